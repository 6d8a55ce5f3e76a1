import {
  type AskId,
  err,
  type Failure,
  type InboxBody,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type SessionRef,
  ok,
  type PendingAsk,
  readEntries,
  type Result,
  type SessionStore,
} from '@amodal/sdk'
import { parseExact, isNumber } from '@amodal/sdk/data'
import { misfitOfSchema } from './answer-schema.ts'

/** A person's answer as the inbox stores it. */
export type AnswerBody = Extract<InboxBody, { kind: 'answer' }>

/** The inbox accepts each key once, so a question has one answer. */
export const answerKey = (ask: AskId): string => `answer:${ask}`

/**
 * The stored answer to a question of this session: in the inbox, or in the journal once the run has
 * used it.
 */
export async function storedAnswer(
  store: SessionStore,
  ref: SessionRef,
  ask: AskId,
  signal: AbortSignal,
): Promise<Result<AnswerBody | undefined, Failure>> {
  const waiting = await store.inbox(ref, signal)
  if (!waiting.ok) return waiting
  const item = waiting.value.find(({ key }) => key === answerKey(ask))
  if (item) return ok(parseExact(item.body) as AnswerBody) // written by `answer`
  const stored = await store.entries(ref, { after: 0 }, signal)
  const entries = stored.ok ? readEntries(stored.value) : stored
  if (!entries.ok) return entries
  const entry = entries.value.findLast((one) => one.kind === 'input_answered' && one.ask === ask)
  return ok(
    entry?.kind === 'input_answered'
      ? { kind: 'answer', ask, answer: entry.answer, principal: entry.principal }
      : undefined,
  )
}

/**
 * Checks an answer against the schema of its question. The keywords that approvals and plain
 * questions use are checked here; a library is loaded only for others.
 */
export function checkAnswer(ask: PendingAsk, answer: JsonObject): Result<void, string> {
  const problem = misfit(ask.schema, answer, 'answer') ?? misfitOfSchema(ask.schema, answer)
  return problem === undefined ? ok(undefined) : err(problem)
}

const list = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])
const num = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise

function misfit(schema: JsonObject, value: Json, path: string): string | undefined {
  const allowed = list(schema['enum'])
  if (allowed.length > 0 && !allowed.some((one) => one === value))
    return `${path}: must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`
  switch (schema['type']) {
    case 'object':
      return isObject(value) ? misfitObject(schema, value, path) : `${path}: must be an object`
    case 'string':
      return misfitText(schema, value, path)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${path}: must be true or false`
    case 'integer':
    case 'number':
      return misfitNumber(schema, value, path)
    case 'array':
      return isList(value) ? misfitList(schema, value, path) : `${path}: must be a list`
    default:
      return undefined
  }
}

function misfitText(schema: JsonObject, value: Json, path: string): string | undefined {
  if (typeof value !== 'string') return `${path}: must be a text`
  const most = num(schema['maxLength'], Infinity)
  return value.length > most ? `${path}: at most ${most} characters` : undefined
}

function misfitNumber(schema: JsonObject, value: Json, path: string): string | undefined {
  const isInteger = schema['type'] === 'integer'
  const number = isNumber(value) ? Number(value) : NaN
  if (!Number.isFinite(number) || (isInteger && !Number.isInteger(number)))
    return `${path}: must be a ${isInteger ? 'whole ' : ''}number`
  const least = num(schema['minimum'], -Infinity)
  const most = num(schema['maximum'], Infinity)
  return number < least || number > most ? `${path}: must be from ${least} to ${most}` : undefined
}

function misfitList(schema: JsonObject, value: readonly Json[], path: string): string | undefined {
  const { items } = schema
  if (!isObject(items)) return undefined
  return value
    .map((item, index) => misfit(items, item, `${path}[${index}]`))
    .find((problem) => problem !== undefined)
}

function misfitObject(schema: JsonObject, value: JsonObject, path: string): string | undefined {
  for (const key of list(schema['required']))
    if (typeof key === 'string' && !(key in value)) return `${path}.${key}: is missing`
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const [key, item] of Object.entries(value)) {
    const inner = properties[key]
    if (isObject(inner)) {
      const problem = misfit(inner, item, `${path}.${key}`)
      if (problem !== undefined) return problem
    } else if (schema['additionalProperties'] === false) return `${path}.${key}: is not known`
  }
  return undefined
}
