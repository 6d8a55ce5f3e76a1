import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { type Mask, shown } from './untrusted.ts'

/**
 * A question of a server to a person during a call, as it was sent: its texts are not redacted yet.
 */
export interface SentElicitation {
  readonly message: string
  readonly fields: readonly Field[]
}

/** The same as it may be shown. */
export interface Elicitation extends SentElicitation {
  /**
   * The same question has the same key, so that an answer finds the question when it is asked
   * again.
   */
  readonly key: string
  /** Something was taken out of it: two that differ in that alone have one key. */
  readonly isCleaned: boolean
}

export interface Field {
  readonly name: string
  readonly title: string
  readonly required: boolean
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly options: readonly FieldOption[]
  /** Sent where the person leaves the field as it is. */
  readonly default?: FieldValue
  /** The same as the person is shown it; left out where it is not shown. */
  readonly shownDefault?: FieldValue
  /** Type and constraints, as JSON Schema. */
  readonly schema: JsonObject
}

export interface FieldOption {
  /** What is sent. */
  readonly value: string
  /** What stands for it where the person chooses: the value itself, or its handle. */
  readonly shown: string
  readonly label: string
}

export type FieldValue = string | number | boolean | readonly string[]

export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Record<string, string | number | boolean | string[]>
}

const MOST_FIELDS = 30
const MOST_OPTIONS = 100
const MOST_CHARS = 10_000
const PATTERN = 500
/** Characters of a message and of a title, cut when they are clean. */
export const TEXT = 2_000
export const LABEL = 300
/** Longer ones are not looked through. */
const MOST_SENT = 200_000
/** Which of the three the person means; no field of a server is called so. */
export const ACTION = '_action'

/** What a form may ask of a value, by its type. */
const CONSTRAINTS: Readonly<Record<Field['type'], readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
}
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/**
 * Reads what a server sent, without characters that cannot be seen and without secrets that it
 * repeats.
 */
export function elicitationOf(
  params: { readonly message: string; readonly requestedSchema?: unknown },
  mask: Mask,
): SentElicitation {
  const schema = jsonObject(params.requestedSchema)
  const required = isList(schema['required']) ? schema['required'] : []
  const properties = Object.entries(jsonObject(schema['properties']))
    .filter(([name]) => name !== ACTION)
    .slice(0, MOST_FIELDS)
  const fields = properties.flatMap(([name, property]): Field[] =>
    isObject(property) ? [fieldOf(name, property, required.includes(name), mask)] : [],
  )
  return { message: shown(params.message, MOST_SENT, mask), fields }
}

function fieldOf(name: string, property: JsonObject, required: boolean, mask: Mask): Field {
  const own = optionsOf(property, mask)
  const options = own.length > 0 ? own : optionsOf(jsonObject(property['items']), mask)
  const text = [property['title'], property['description']]
    .filter((part) => typeof part === 'string')
    .join(': ')
  const type = property['type']
  const known =
    type === 'number' || type === 'integer' || type === 'boolean' || type === 'array'
      ? type
      : 'string'
  const values = options.length > 0 ? { enum: options.map(({ value }) => value) } : {}
  const preset = property['default']
  return {
    name,
    required,
    type: known,
    options,
    title: shown(text === '' ? name : text, MOST_SENT, mask),
    ...(isFieldValue(preset) && {
      default: typeof preset === 'string' ? textStart(preset, MOST_CHARS) : preset,
    }),
    schema: {
      type: known,
      ...(known === 'array' ? { items: { type: 'string', ...values } } : values),
      ...(known === 'string' && { maxLength: MOST_CHARS }),
      ...constraintsOf(property, known),
    },
  }
}

function constraintsOf(property: JsonObject, type: Field['type']): JsonObject {
  const { format, pattern } = property
  return {
    ...Object.fromEntries(
      CONSTRAINTS[type].flatMap((key) =>
        typeof property[key] === 'number' ? [[key, property[key]]] : [],
      ),
    ),
    ...(type === 'string' && typeof format === 'string' && FORMATS.includes(format) && { format }),
    ...(type === 'string' &&
      typeof pattern === 'string' &&
      pattern.length <= PATTERN && { pattern }),
  }
}

function optionsOf(schema: JsonObject, mask: Mask): Field['options'] {
  const titled = [schema['oneOf'], schema['anyOf']].find(isList) ?? []
  const named = titled.flatMap((one) =>
    isObject(one) && typeof one['const'] === 'string'
      ? [{ value: one['const'], label: textOr(one['title'], one['const']) }]
      : [],
  )
  const names = isList(schema['enumNames']) ? schema['enumNames'] : []
  const plain = (isList(schema['enum']) ? schema['enum'] : []).flatMap((value, index) =>
    typeof value === 'string' ? [{ value, label: textOr(names[index], value) }] : [],
  )
  return [...named, ...plain]
    .slice(0, MOST_OPTIONS)
    .map(({ value, label }) => ({ value, shown: value, label: shown(label, MOST_SENT, mask) }))
}

const textOr = (value: Json | undefined, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

export const isFieldValue = (
  value: Json | undefined,
): value is string | number | boolean | string[] =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (isList(value) && value.every((item) => typeof item === 'string'))

/** Part of a message that was JSON on the wire. */
export function jsonObject(value: unknown): JsonObject {
  const json = value as Json // as it came
  return isObject(json) ? json : {}
}
