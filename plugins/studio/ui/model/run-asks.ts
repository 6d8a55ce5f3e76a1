import type { AskedQuestion, Json, JsonObject } from '@amodal/sdk'
import type { AnswerInput, RunQuestion } from '@amodal/sdk/client'
import { isJsonObject } from './json-object.ts'
import { approvalFields, grantIn, plain, type Ask } from './timeline.ts'

/**
 * What a run asks as the card of a conversation shows it; `undefined`: it is a form of its own, or
 * a limit.
 */
export function askOf(pending: RunQuestion): Ask | undefined {
  const { pending_input_schema: schema, pending_input_context: context } = pending
  switch (pending.pending_input_type) {
    case 'approval':
      return approvalOf(pending)
    case 'question': {
      const question = questionOf('response', propertiesOf(schema)['response'], textIn(context))
      return question && { id: pending.ask_id, kind: 'question', questions: [question] }
    }
    case 'form':
      return severalOf(pending)
    case 'continue_or_finish':
      return undefined
    default:
      return pending.pending_input_type satisfies never
  }
}

/** The input that the server expects for an answer of such a card. */
export function inputOf(
  { pending_input_type: type }: RunQuestion,
  answer: AnswerInput,
): JsonObject {
  const { approved = false, feedback, scope, answers = {} } = answer
  if (type === 'form') return { answers }
  if (type !== 'approval') return isJsonObject(answers) ? answers : {}
  return {
    approved,
    ...(feedback !== undefined && { feedback }),
    ...(scope !== undefined && { scope }),
  }
}

function approvalOf({ ask_id: id, pending_input_context: context, ...more }: RunQuestion): Ask {
  return {
    id,
    kind: 'approval',
    ...approvalFields(context, plain(context['tool'] ?? context['tool_id'] ?? '')),
    params: context['params'] ?? {},
    grant: grantIn(context),
    expires: more.expires_at,
  }
}

/** Several questions of `ask_user`: their texts are the lines of what is asked. */
function severalOf({
  ask_id: id,
  pending_input_schema: schema,
  pending_input_context: context,
}: RunQuestion): Ask | undefined {
  const properties = propertiesOf(schema)
  const [name, ...others] = Object.keys(properties)
  if (name !== 'answers' || others.length > 0) return undefined
  const fields = Object.entries(propertiesOf(properties['answers']))
  const texts = textIn(context).split('\n')
  const questions = fields.map(([key, one], at) =>
    questionOf(key, one, texts.length === fields.length ? (texts[at] ?? key) : key),
  )
  return questions.every((one) => one !== undefined)
    ? { id, kind: 'question', questions }
    : undefined
}

/** A field of a schema as a question; `undefined`: its card has no control for it. */
function questionOf(id: string, schema: Json | undefined, text: string): AskedQuestion | undefined {
  if (!isJsonObject(schema)) return undefined
  if (schema['type'] === 'boolean') return { id, text, type: 'boolean' }
  if (schema['type'] === 'array') {
    const options = optionsOf(schema['items'])
    return options && { id, text, type: 'multi', options }
  }
  if (schema['type'] !== 'string') return undefined
  const options = optionsOf(schema)
  return options ? { id, text, type: 'choice', options } : { id, text, type: 'text' }
}

/** What may be chosen from, with the titles of values that have one. */
export function optionsOf(
  schema: Json | undefined,
): readonly { readonly label: string; readonly value: string }[] | undefined {
  if (!isJsonObject(schema)) return undefined
  const values = listIn(schema['enum'])
  if (values.length === 0) return undefined
  const titles = new Map<Json, string>()
  for (const one of listIn(schema['oneOf']))
    if (isJsonObject(one) && typeof one['title'] === 'string')
      titles.set(one['const'] ?? null, one['title'])
  return values.flatMap((value) =>
    typeof value === 'string' ? [{ value, label: titles.get(value) ?? value }] : [],
  )
}

/** A list of JSON; empty where there is none. */
export const listIn = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : []

/** The fields of an object by their names, as JSON Schema has them. */
export const propertiesOf = (schema: Json | undefined): JsonObject =>
  isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {}

/** What a person is asked, in full. */
export const textIn = ({ question, message }: JsonObject): string =>
  plain(question ?? message ?? '')

/** A number that an answer may have with `continue`, with what the server proposes. */
export interface Extension {
  readonly name: string
  readonly isInteger: boolean
  readonly least: number | undefined
  readonly most: number | undefined
  readonly proposed: number
}

/** Turns where neither the schema nor the context says how many: what the server adds then. */
const TURNS = 10

/** The numbers that a limit can be extended by. */
export const extensionsOf = (pending: RunQuestion): readonly Extension[] =>
  Object.entries(propertiesOf(pending.pending_input_schema)).flatMap(([name, schema]) => {
    if (!isJsonObject(schema)) return []
    const { type, minimum, maximum } = schema
    if (type !== 'integer' && type !== 'number') return []
    const proposed = pending.pending_input_context[name]
    return [
      {
        name,
        isInteger: type === 'integer',
        least: typeof minimum === 'number' ? minimum : undefined,
        most: typeof maximum === 'number' ? maximum : undefined,
        proposed: typeof proposed === 'number' ? proposed : TURNS,
      },
    ]
  })

/** What is wrong with an answer, and with which of its fields; `undefined`: with none of them. */
export interface Misfit {
  readonly field: string | undefined
  readonly text: string
}

/** @param message of the server, such as `answer.copies: must be from 1 to 9` */
export function misfitIn(message: string, fields: readonly string[]): Misfit {
  const [, name, path = '', text = ''] = /^answer\.([\w-]+)([\w.[\]-]*): (.*)$/s.exec(message) ?? []
  const field = fields.find((one) => one === name)
  if (field === undefined) return { field, text: message }
  return { field, text: path === '' ? text : `${path.replace(/^\./, '')}: ${text}` }
}
