import {
  type BundleFile,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseDateTime,
  never,
  type StoreDefinition,
  type StoreField,
} from '@amodal/sdk'
import { didYouMean, type Issues, type Path, pathText, readJson } from '@amodal/sdk/files'
import { keyFields } from './store-fields.ts'

interface Misfit {
  readonly path: Path
  readonly message: string
  readonly fix: string
}

/** Reads the documents that a store begins with. One that does not fit its schema is left out. */
export function readSeed(
  source: BundleFile,
  store: StoreDefinition,
  issues: Issues,
): readonly JsonObject[] {
  const json = readJson(source, issues)
  if (!json) return []
  const { file } = json
  if (!isList(json.value)) {
    issues.error('BAD_REPO', 'the file holds no list of documents', {
      file,
      line: json.lineOf([]),
      fix: 'write [ { … }, { … } ]',
    })
    return []
  }
  const seen = new Map<string, number>()
  const names = keyFields(store.entity.key)
  return json.value.flatMap((document, index) => {
    const misfits = [...misfitsOf({ type: 'object', fields: store.entity.schema }, document, [])]
    if (misfits.length === 0 && isObject(document)) {
      const empty = names.find((name) => document[name] === '')
      const key = keyOf(store.entity.key, document)
      const twin = seen.get(key)
      if (empty !== undefined)
        misfits.push({
          path: [empty],
          message: 'is empty, and it is part of the key',
          fix: 'give it a value',
        })
      else if (twin !== undefined)
        misfits.push({
          path: [],
          message: `has the key "${key}" of document ${twin}`,
          fix: `give it another ${names.join(' or ')}`,
        })
      else seen.set(key, index + 1)
    }
    for (const { path, message, fix } of misfits) {
      const what = path.length === 0 ? 'it' : `\`${pathText(path)}\``
      issues.error('BAD_REPO', `document ${index + 1} is left out: ${what} ${message}`, {
        file,
        line: json.lineOf([index, ...path]),
        fix,
      })
    }
    return misfits.length === 0 && isObject(document) ? [document] : []
  })
}

function keyOf(template: string, document: JsonObject): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = document[name]
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function misfitsOf(field: StoreField, value: Json | undefined, path: Path): readonly Misfit[] {
  const misfit = (message: string, fix: string): readonly Misfit[] => [{ path, message, fix }]
  if (value === undefined || value === null) {
    return field.nullable === true
      ? []
      : misfit(
          value === null ? 'is null' : 'is missing',
          'give it a value, or make the field "nullable" in the store',
        )
  }
  switch (field.type) {
    case 'string':
    case 'ref':
      return typeof value === 'string' ? [] : misfit('is no text', 'put it in double quotes')
    case 'boolean':
      return typeof value === 'boolean' ? [] : misfit('is not true or false', 'write true or false')
    case 'number': {
      const { min = -Infinity, max = Infinity } = field
      if (typeof value !== 'number') return misfit('is no number', 'write it without quotes')
      return value >= min && value <= max
        ? []
        : misfit(`is not between ${min} and ${max}`, 'correct it, or `min` and `max` in the store')
    }
    case 'datetime':
      return typeof value === 'string' && parseDateTime(value) !== undefined
        ? []
        : misfit('is no date and time', 'write it as in 2026-03-26T09:14:00Z')
    case 'enum': {
      const { values = [] } = field
      return typeof value === 'string' && values.includes(value)
        ? []
        : misfit(`cannot be ${JSON.stringify(value)}`, `use one of: ${values.join(', ')}`)
    }
    case 'array': {
      const { item } = field
      if (!isList(value)) return misfit('is no list', 'put it in [ ]')
      return value.flatMap((each, index) => (item ? misfitsOf(item, each, [...path, index]) : []))
    }
    case 'object':
      return isObject(value)
        ? misfitsOfObject(field.fields ?? {}, value, path)
        : misfit('is no object', 'write { … }')
    default:
      return never(field.type)
  }
}

function misfitsOfObject(
  fields: Readonly<Record<string, StoreField>>,
  value: JsonObject,
  path: Path,
): readonly Misfit[] {
  const known = Object.keys(fields)
  const unknown = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name): Misfit => {
      const meant = didYouMean(name, known)
      return {
        path: [...path, name],
        message: 'is no field of the store',
        fix:
          meant === undefined ? `remove it, or add it to the schema` : `rename it to \`${meant}\``,
      }
    })
  return [
    ...unknown,
    ...Object.entries(fields).flatMap(([name, field]) =>
      misfitsOf(field, Object.hasOwn(value, name) ? value[name] : undefined, [...path, name]),
    ),
  ]
}
