import { type AskedQuestion, hashOf, isList, isObject, type Json, type JsonObject, type QuestionDraft } from '@amodal/sdk'
import { shown } from './untrusted.ts'

/** What a server wants to know of a person before it goes on with a call. */
export interface Elicitation {
  /** The same question has the same key, so that an answer finds the question when it is asked again. */
  readonly key: string
  readonly message: string
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly title: string
  readonly required: boolean
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly schema: JsonObject
}

export interface ElicitationAnswer { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, string | number | boolean | string[]> }

const MOST_FIELDS = 30
const MOST_OPTIONS = 100
const TEXT = 2_000
const LABEL = 300
/** Which of the three the person means; no field of a server is called so. */
const ACTION = '_action'

/** Reads what a server sent. A question that is no form, such as an address to open, has no fields. */
export function elicitationOf(params: { readonly message: string; readonly requestedSchema?: unknown }): Elicitation {
  const schema = jsonObject(params.requestedSchema)
  const required = isList(schema['required']) ? schema['required'] : []
  const properties = Object.entries(jsonObject(schema['properties'])).filter(([name]) => name !== ACTION).slice(0, MOST_FIELDS)
  const fields = properties.flatMap(([name, property]): Field[] => (isObject(property) ? [fieldOf(name, property, required.includes(name))] : []))
  return { key: hashOf({ message: params.message, schema }), message: shown(params.message, TEXT), fields }
}

function fieldOf(name: string, property: JsonObject, required: boolean): Field {
  const items = jsonObject(property['items'])
  const options = optionsOf(property).length > 0 ? optionsOf(property) : optionsOf(items)
  const text = [property['title'], property['description']].filter((part) => typeof part === 'string').join(': ')
  const type = property['type']
  const known = type === 'number' || type === 'integer' || type === 'boolean' || type === 'array' ? type : 'string'
  const values = options.length > 0 ? { enum: options.map(({ value }) => value) } : {}
  return {
    name, required, type: known, options, title: shown(text === '' ? name : text, LABEL),
    schema: known === 'array' ? { type: 'array', items: { type: 'string', ...values } }
      : { type: known, ...values, ...(known === 'string' ? { maxLength: 10_000 } : limits(property)) },
  }
}

function optionsOf(schema: JsonObject): Field['options'] {
  const titled = isList(schema['oneOf']) ? schema['oneOf'] : isList(schema['anyOf']) ? schema['anyOf'] : []
  const named = titled.flatMap((one) => (isObject(one) && typeof one['const'] === 'string' ? [{ value: one['const'], label: textOr(one['title'], one['const']) }] : []))
  const names = isList(schema['enumNames']) ? schema['enumNames'] : []
  const plain = (isList(schema['enum']) ? schema['enum'] : []).flatMap((value, index) => (typeof value === 'string' ? [{ value, label: textOr(names[index], value) }] : []))
  return [...named, ...plain].slice(0, MOST_OPTIONS).map(({ value, label }) => ({ value, label: shown(label, LABEL) }))
}

const textOr = (value: Json | undefined, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

const limits = (property: JsonObject): JsonObject =>
  Object.fromEntries(['minimum', 'maximum'].flatMap((key) => (typeof property[key] === 'number' ? [[key, property[key]]] : [])))

/** The question as a person gets it. The call is made again with the answer, which finds its way by the key. */
export function questionOf(elicitation: Elicitation, { server, tool, missing, expiresInMs }: {
  readonly server: string; readonly tool: string
  /** Fields that an earlier answer left out. */
  readonly missing: readonly string[]
  /** ms; 0: never. */
  readonly expiresInMs: number
}): QuestionDraft {
  const { key, message, fields } = elicitation
  const again = missing.length === 0 ? '' : ` (still needed: ${missing.join(', ')})`
  const question = `"${server}" asks, for ${tool}: ${message}${again}`
  return {
    type: 'question', resumes: true, ...(expiresInMs > 0 ? { expiresInMs } : {}),
    schema: {
      type: 'object', description: question, required: ['answers'], additionalProperties: false,
      properties: {
        answers: {
          type: 'object', additionalProperties: false,
          properties: { ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])), [ACTION]: { type: 'string', enum: ['accept', 'decline', 'cancel'] } },
        },
      },
    },
    context: { question, elicitation: key, connection_name: server, tool },
    questions: [
      ...fields.map((field, index): AskedQuestion => asked(field, index === 0 ? `${question}\n\n` : '')),
      {
        id: ACTION, text: fields.length === 0 ? question : `Send this to "${server}"?`, type: 'choice',
        options: [{ label: 'Send', value: 'accept' }, { label: 'Decline', value: 'decline' }, { label: 'Cancel', value: 'cancel' }],
      },
    ],
  }
}

function asked({ name, title, type, options, required }: Field, before: string): AskedQuestion {
  const text = `${before}${title}${required ? '' : ' (optional)'}`
  if (type === 'boolean') return { id: name, text, type: 'boolean' }
  return options.length === 0 ? { id: name, text, type: 'text' } : { id: name, text, type: type === 'array' ? 'multi' : 'choice', options: [...options] }
}

/** What people have answered to earlier questions of a call: the newest counts. */
export type Given = readonly { readonly context: JsonObject; readonly answer: JsonObject }[]

/** The answer to this very question, or what it lacks. */
export function answerIn(given: Given, { key, fields }: Elicitation): { readonly answer?: ElicitationAnswer; readonly missing: readonly string[] } {
  const found = given.findLast(({ context }) => context['elicitation'] === key)
  if (!found) return { missing: [] }
  const answers = jsonObject(found.answer['answers'])
  const action = answers[ACTION]
  if (action === 'decline' || action === 'cancel') return { answer: { action }, missing: [] }
  const missing = fields.filter(({ name, required }) => required && !(name in answers)).map(({ name }) => name)
  // Silence is no consent.
  if (missing.length === 0 && Object.keys(answers).length === 0) return { missing: ['a yes or no'] }
  if (missing.length > 0) return { missing }
  const content = Object.fromEntries(Object.entries(answers).flatMap(([name, value]) => (name !== ACTION && isContent(value) ? [[name, value]] : [])))
  return { answer: { action: 'accept', content }, missing: [] }
}

const isContent = (value: Json): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || (isList(value) && value.every((item) => typeof item === 'string'))

/** Part of a message that was JSON on the wire. */
function jsonObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as JsonObject : {}
}
