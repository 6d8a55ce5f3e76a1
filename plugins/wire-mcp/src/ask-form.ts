import {
  isList,
  isObject,
  never,
  redact,
  trySync,
  type Json,
  type JsonObject,
  type PendingAsk,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** A question as a form that clients show (`elicitation/create` in form mode). */
export interface AskForm {
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JsonObject>>
    readonly required?: readonly string[]
  }
}

/** Fields of an answer that a form shows one by one. */
const NESTED = 'answers'

/** The form of a question: its fields, flat and plain, since clients show nothing else. */
export function formOf(ask: PendingAsk): AskForm {
  const properties: Record<string, JsonObject> = {}
  const required: string[] = []
  const add = (schema: JsonObject): void => {
    const needed = isList(schema['required']) ? schema['required'] : []
    for (const [name, field] of Object.entries(fieldsOf(schema))) {
      if (name === NESTED && Object.keys(fieldsOf(field)).length > 0) {
        add(isObject(field) ? field : {})
        continue
      }
      properties[name] = fieldOf(field).schema
      if (needed.includes(name)) required.push(name)
    }
  }
  add(ask.schema)
  return {
    message: messageOf(ask),
    requestedSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
  }
}

/** The answer that a filled form means, in the shape that the question asked for. */
export function answerOf({ schema }: PendingAsk, content: JsonObject): JsonObject {
  const nested = fieldsOf(fieldsOf(schema)[NESTED])
  const answer: Record<string, Json> = {}
  const inside: Record<string, Json> = {}
  for (const [name, value] of Object.entries(content)) {
    if (name in nested) inside[name] = readField(nested[name], value)
    else answer[name] = readField(fieldsOf(schema)[name], value)
  }
  return Object.keys(nested).length > 0 ? { ...answer, [NESTED]: inside } : answer
}

/** What is asked, in words: a call with its parameters, or the question itself. */
function messageOf({ type, context, schema }: PendingAsk): string {
  const text = (key: string): string | undefined => {
    const value = context[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  switch (type) {
    case 'approval': {
      const shown = redact(context)
      const what = text('tool') ?? text('tool_name') ?? text('endpoint') ?? 'a call'
      const reason = text('reason')
      return [
        `Approve ${what}?${reason === undefined ? '' : ` (${reason})`}`,
        JSON.stringify(shown, null, 2),
      ].join('\n')
    }
    case 'question':
      return text('question') ?? textOf(schema['description']) ?? 'The agent asks a question.'
    case 'continue_or_finish':
      return text('message') ?? 'A limit is reached. Continue, or finish?'
    default:
      return never(type)
  }
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const fieldsOf = (schema: Json | undefined): Readonly<Record<string, Json>> =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}

const KEPT = ['title', 'description', 'default'] as const
const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'format'] as const
const FORMATS: ReadonlySet<Json> = new Set(['email', 'uri', 'date', 'date-time'])

interface Field {
  readonly schema: JsonObject
  /** What no form can show is written as JSON. */
  readonly isJson?: true
}

function fieldOf(field: Json | undefined): Field {
  const given = isObject(field) ? field : {}
  const words = pick(given, KEPT)
  const { format, ...limits } = pick(given, LIMITS)
  const { type, items, oneOf, enum: values } = given
  const choices = isList(oneOf) ? oneOf.filter(isChoice) : []
  if (choices.length > 0) return { schema: { type: 'string', ...words, oneOf: choices } }
  if (isTexts(values)) {
    const { enumNames } = given
    const named = isTexts(enumNames) && enumNames.length === values.length
    return { schema: { type: 'string', ...words, enum: values, ...(named && { enumNames }) } }
  }
  switch (type) {
    case 'string': {
      const known = format !== undefined && FORMATS.has(format)
      return { schema: { type, ...words, ...limits, ...(known && { format }) } }
    }
    case 'boolean':
      return { schema: { type, ...words } }
    case 'number':
    case 'integer':
      return { schema: { type, ...words, ...limits } }
    case 'array':
      return severalOf(items, words)
    default:
      return jsonText(words)
  }
}

/** Several of a list, where the list is known. */
function severalOf(items: Json | undefined, words: JsonObject): Field {
  const { oneOf, enum: values } = isObject(items) ? items : {}
  const choices = isList(oneOf) ? oneOf.filter(isChoice) : []
  if (choices.length > 0) return { schema: { type: 'array', ...words, items: { anyOf: choices } } }
  return isTexts(values)
    ? { schema: { type: 'array', ...words, items: { type: 'string', enum: values } } }
    : jsonText(words)
}

const jsonText = ({ title, description }: JsonObject): Field => ({
  schema: {
    type: 'string',
    ...(title !== undefined && { title }),
    description: `${textOf(description) ?? ''} (JSON)`.trim(),
  },
  isJson: true,
})

function readField(field: Json | undefined, value: Json): Json {
  if (typeof value !== 'string' || fieldOf(field).isJson !== true) return value
  const parsed = trySync(
    () => parseExact(value) as Json, // of a person: the question's own schema checks it
    () => undefined,
  )
  return parsed.ok ? parsed.value : value
}

const isChoice = (one: Json): boolean =>
  isObject(one) && typeof one['const'] === 'string' && typeof one['title'] === 'string'

const isTexts = (values: Json | undefined): values is readonly string[] =>
  isList(values) && values.length > 0 && values.every((one) => typeof one === 'string')

const pick = (schema: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = schema[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
