import {
  type AskAnswer, askId, err, type Failure, failure, isList, isObject, type Json, type JsonObject, never, ok,
  type PendingAsk, type Result,
} from '@amodal/sdk'
import { z } from 'zod'

const json: z.ZodType<Json> = z.json()

const one = z.object({
  id: z.string().max(200).nullish(),
  ask_id: z.string().max(200).nullish(),
  correlation_id: z.string().max(200).nullish(),
  approved: z.boolean().nullish(),
  action: z.string().max(200).nullish(),
  answers: json.optional(),
  response: json.optional(),
  feedback: z.string().max(10_000).nullish(),
  additional_turns: z.number().int().positive().nullish(),
  additional_tokens: z.number().int().positive().nullish(),
  additional_cost: z.number().positive().nullish(),
  additional_tool_calls: z.number().int().positive().nullish(),
})
type One = z.output<typeof one>
/** What may be granted beside `continue`. */
const MORE = ['additional_turns', 'additional_tokens', 'additional_cost', 'additional_tool_calls'] as const

/** The body of an answer: one, or several at once. The session may stand in the path instead. */
export const answerRequest = one.extend({
  session_id: z.string().max(200).nullish(),
  sessionId: z.string().max(200).nullish(),
  scope_id: z.string().max(200).nullish(),
  responses: z.array(one).min(1).max(100).nullish(),
})
export type AnswerRequest = z.output<typeof answerRequest>

/** What clients send, in the form that each question asked for. Whether it fits is for the kernel to say. */
export function toAnswers(body: AnswerRequest, asks: readonly PendingAsk[]): Result<readonly AskAnswer[], Failure> {
  const answers: AskAnswer[] = []
  for (const given of body.responses ?? [body]) {
    const id = given.id ?? given.ask_id ?? given.correlation_id
    if (!id) return err(failure('VALIDATION_ERROR', 'id: names the question that is answered'))
    const ask = asks.find((pending) => pending.id === id)
    if (!ask) return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`))
    answers.push({ id: askId(id), answer: answerTo(ask, given) })
  }
  return ok(answers)
}

function answerTo(ask: PendingAsk, given: One): JsonObject {
  const feedback = given.feedback ? { feedback: given.feedback } : {}
  switch (ask.type) {
    case 'approval': {
      const approved = given.approved ?? decided(given.action ?? given.response)
      return { ...(approved !== undefined && { approved }), ...feedback }
    }
    case 'continue_or_finish': {
      const action = given.action ?? (typeof given.response === 'string' ? given.response : undefined) ?? (given.approved === undefined || given.approved === null ? undefined : given.approved ? 'continue' : 'finish')
      const more = MORE.flatMap((field): readonly (readonly [string, number])[] => (given[field] ? [[field, given[field]]] : []))
      return { ...(action !== undefined && { action }), ...Object.fromEntries(more) }
    }
    case 'question':
      return toQuestion(ask.schema, given)
    default:
      return never(ask.type)
  }
}

/** One question has one `response`; clients that know of several send `answers`, by the id of each question. */
function toQuestion(schema: JsonObject, { answers, response }: One): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const given = response ?? (isObject(answers) ? Object.values(answers)[0] : isList(answers) ? answers[0] : answers)
  if ('response' in properties) return given === undefined ? {} : { response: given }
  if ('answers' in properties) return { answers: answers ?? response ?? {} }
  return isObject(answers) ? answers : {}
}

const YES: readonly unknown[] = ['approve', 'approved', 'allow', 'yes', true]
const NO: readonly unknown[] = ['deny', 'denied', 'reject', 'rejected', 'no', false]
const decided = (word: unknown): boolean | undefined => (YES.includes(word) ? true : NO.includes(word) ? false : undefined)
