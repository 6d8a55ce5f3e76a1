import { never, type StoreField } from '@amodal/sdk'
import { type Issues, type JsonFile, type Path, pathText, warnUnknown } from '@amodal/sdk/files'

type Fields = Readonly<Record<string, StoreField>>

/** What each type has beside `type`, `nullable` and `description`. */
const EXTRA: Readonly<Record<StoreField['type'], readonly string[]>> = {
  string: [],
  number: ['min', 'max'],
  boolean: [],
  datetime: [],
  enum: ['values'],
  array: ['item'],
  object: ['fields'],
  ref: ['store'],
}

// Model providers refuse other names in a tool's schema.
const FIELD_NAME = /^[\w.-]{1,64}$/

/** Checks what the type of each field asks for. */
export function checkFields(fields: Fields, json: JsonFile, at: Path, issues: Issues): void {
  const names = Object.keys(fields)
  if (names.length === 0) {
    issues.error('BAD_REPO', `\`${pathText(at)}\` has no fields`, {
      file: json.file,
      line: json.lineOf(at),
      fix: 'add one, such as "title": { "type": "string" }',
    })
  }
  for (const [name, field] of Object.entries(fields)) {
    const path = [...at, name]
    if (!FIELD_NAME.test(name) || name === '__proto__') {
      issues.error('BAD_REPO', `"${name}" cannot be the name of a field`, {
        file: json.file,
        line: json.lineOf(path),
        fix: 'use up to 64 letters, digits, _, - and .',
      })
    }
    checkField(field, json, path, issues)
  }
}

function checkField(field: StoreField, json: JsonFile, path: Path, issues: Issues): void {
  const known = ['type', 'nullable', 'description', ...EXTRA[field.type]]
  warnUnknown(json, path, known, issues)
  const problem = (message: string, fix: string, at: Path = path): void => {
    issues.error('BAD_REPO', `\`${pathText(path)}\` ${message}`, {
      file: json.file,
      line: json.lineOf(at),
      fix,
    })
  }
  switch (field.type) {
    case 'string':
    case 'boolean':
    case 'datetime':
      return
    case 'number':
      if (field.min !== undefined && field.max !== undefined && field.min > field.max)
        problem('allows no number: `min` is above `max`', 'exchange the two', [...path, 'min'])
      return
    case 'enum': {
      const { values = [] } = field
      if (values.length === 0) problem('is an enum without values', 'add "values": ["…"]')
      else if (new Set(values).size < values.length)
        problem('names a value twice', 'remove one of them', [...path, 'values'])
      return
    }
    case 'array':
      if (field.item) checkField(field.item, json, [...path, 'item'], issues)
      else
        problem('is a list of unknown items', 'add "item": { "type": "string" }, or another type')
      return
    case 'object':
      if (field.fields) checkFields(field.fields, json, [...path, 'fields'], issues)
      else problem('is an object of unknown fields', 'add "fields": { … }')
      return
    case 'ref':
      if (field.store === undefined)
        problem('does not say which store it refers to', 'add "store": "<name>"')
      return
    default:
      never(field.type)
  }
}

/** The key is a template such as `{region}:{id}`, over fields that every document has. */
export function checkKey(key: string, fields: Fields, json: JsonFile, issues: Issues): void {
  const problem = (message: string, fix: string): void => {
    issues.error('BAD_REPO', `\`entity.key\` ${message}`, {
      file: json.file,
      line: json.lineOf(['entity', 'key']),
      fix,
    })
  }
  const known = Object.keys(fields)
  if (known.length === 0) return // that there are none is told already
  const names = keyFields(key)
  if (names.length === 0) {
    const meant = known.includes(key) ? key : known[0]
    problem(
      `"${key}" is the same for every document`,
      `write the name of a field in braces, as in "{${meant}}"`,
    )
  }
  for (const name of names) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field)
      problem(
        `refers to "${name}", which is no field of the schema`,
        `use one of: ${known.join(', ')}`,
      )
    else if (field.type === 'array' || field.type === 'object')
      problem(`refers to "${name}", a whole ${field.type}`, 'use a field that holds a single value')
    else if (field.nullable === true)
      problem(
        `refers to "${name}", which may be null`,
        'use a field that is always there, or remove "nullable"',
      )
  }
}

/** The fields that a key template names. */
export const keyFields = (key: string): readonly string[] =>
  [...key.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
