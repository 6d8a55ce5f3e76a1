import {
  type AskAnswer,
  askId,
  err,
  type Failure,
  failure,
  isList,
  isObject,
  type Json,
  type JsonObject,
  never,
  ok,
  type PendingAsk,
  type Result,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { decided, fitted } from './fitted.ts'

const json: z.ZodType<Json> = jsonValue

const name = z.string().max(200).nullish()

/** Unknown fields are refused, so that no field of the client is dropped silently. */
const one = z.strictObject({
  id: name,
  ask_id: name,
  correlation_id: name,
  /** The call that waits; or, of `tool_id`, its tool. */
  tool_use_id: name,
  tool_id: name,
  approved: z.boolean().nullish(),
  /** `conversation`: a grant for later calls of the same tool and endpoint. */
  scope: name,
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
/** The fields of an answer that each type of question accepts. */
const SAYS: Readonly<Record<PendingAsk['type'], readonly (keyof One)[]>> = {
  approval: ['approved', 'scope', 'action', 'response', 'answers', 'feedback'],
  continue_or_finish: [
    'action',
    'response',
    'approved',
    'additional_turns',
    'additional_tokens',
    'additional_cost',
    'additional_tool_calls',
  ],
  question: ['answers', 'response'],
}
const NAMES: readonly string[] = ['id', 'ask_id', 'correlation_id', 'tool_use_id', 'tool_id']
/** Fields that may accompany `continue`. */
const MORE = [
  'additional_turns',
  'additional_tokens',
  'additional_cost',
  'additional_tool_calls',
] as const

/** The body of an answer: one, or several at once. The path may name the session instead. */
export const answerRequest = z.strictObject({
  ...one.shape,
  session_id: z.string().max(200).nullish(),
  sessionId: z.string().max(200).nullish(),
  scope_id: z.string().max(200).nullish(),
  responses: z.array(one).min(1).max(100).nullish(),
})
export type AnswerRequest = z.output<typeof answerRequest>

/**
 * Converts answers of clients to the form of each question. The kernel validates them against its
 * schema.
 */
export function toAnswers(
  { responses, ...body }: AnswerRequest,
  asks: readonly PendingAsk[],
): Result<readonly AskAnswer[], Failure> {
  const conflicting = responses ? given(body).filter((field) => field in one.shape) : []
  if (conflicting.length > 0)
    return err(
      failure(
        'VALIDATION_ERROR',
        `${conflicting.join(', ')}: not allowed together with responses; put it into each response`,
      ),
    )
  const answers: AskAnswer[] = []
  for (const item of responses ?? [body]) {
    const ask = askOf(item, asks)
    if (!ask.ok) return ask
    const foreign = given(item).filter(
      (field) =>
        field in one.shape &&
        !NAMES.includes(field) &&
        !SAYS[ask.value.type].some((known) => known === field),
    )
    if (foreign.length > 0)
      return err(
        failure(
          'ANSWER_INVALID',
          `${foreign.join(', ')}: not allowed here; this question (${ask.value.type}) accepts ${SAYS[ask.value.type].join(', ')}`,
        ),
      )
    const answer = answerTo(ask.value, item)
    if (!answer.ok) return answer
    answers.push({ id: askId(ask.value.id), answer: answer.value })
  }
  return ok(answers)
}

const given = (item: object): readonly string[] =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([field]) => field)

/** The question that the ids of an answer name; all given ids must name the same one. */
function askOf(
  { id, ask_id: askName, correlation_id: correlation, tool_use_id: call, tool_id: tool }: One,
  asks: readonly PendingAsk[],
): Result<PendingAsk, Failure> {
  const ids = [id, askName, correlation].flatMap((one) => one ?? [])
  const [first = call ?? tool] = ids
  if (!first) return err(failure('VALIDATION_ERROR', 'id: names the question that is answered'))
  const meant = asks.filter(
    (ask) =>
      ids.every((one) => one === ask.id) &&
      (!call || ask.call === call) &&
      (!tool || ask.call === tool || ask.context['tool'] === tool),
  )
  const [ask, ...others] = meant
  if (!ask) return err(failure('ASK_NOT_FOUND', `the question "${first}" is not open`))
  return others.length === 0
    ? ok(ask)
    : err(
        failure(
          'VALIDATION_ERROR',
          `id: "${first}" waits with ${meant.length} questions; name one of ${meant.map((one) => one.id).join(', ')}`,
        ),
      )
}

function answerTo(ask: PendingAsk, given: One): Result<JsonObject, Failure> {
  switch (ask.type) {
    case 'approval': {
      const words = [
        given.action,
        given.response === undefined ? firstOf(given.answers) : given.response,
      ].map((word) => decided(word) ?? word)
      const decisions = [given.approved, ...words].filter(
        (one) => one !== undefined && one !== null,
      )
      const [approved] = decisions
      if (typeof approved !== 'boolean' && approved !== undefined)
        return err(failure('ANSWER_INVALID', 'approved: must be true or false'))
      if (decisions.some((one) => one !== approved))
        return err(failure('ANSWER_INVALID', 'approved: contradicts another field'))
      return ok({
        ...(approved !== undefined && { approved }),
        ...(given.scope ? { scope: given.scope } : {}),
        ...(given.feedback ? { feedback: given.feedback } : {}),
      })
    }
    case 'continue_or_finish': {
      const action =
        given.action ?? actionOf(given.approved ?? given.response ?? firstOf(given.answers))
      const more = MORE.flatMap((field): readonly (readonly [string, number])[] =>
        given[field] ? [[field, given[field]]] : [],
      )
      return ok({ ...(action !== undefined && { action }), ...Object.fromEntries(more) })
    }
    case 'question':
      return ok(toQuestion(ask.schema, given))
    default:
      return never(ask.type)
  }
}

function firstOf(answers: Json | undefined): Json | undefined {
  if (isObject(answers)) return Object.values(answers)[0]
  return isList(answers) ? answers[0] : answers
}

/** A question whether to continue at a limit can also be answered with yes or no. */
function actionOf(given: Json | undefined): string | undefined {
  const continues = decided(given)
  if (continues !== undefined) return continues ? 'continue' : 'finish'
  return typeof given === 'string' ? given : undefined
}

/**
 * One question has one `response`, and several have `answers` by their ids. Clients of either kind
 * answer questions of the other: one answer without an id, or under an id of their own, is the
 * answer to the one question that there is.
 */
function toQuestion(schema: JsonObject, { answers, response }: One): JsonObject {
  const properties = propertiesOf(schema)
  const given = response ?? answers
  if (given === undefined) return 'answers' in properties ? { answers: {} } : {}
  if ('response' in properties)
    return { response: fitted(properties['response'], onlyOne(given, properties['response'])) }
  if (!('answers' in properties)) return isObject(given) ? given : {}
  const questions = propertiesOf(properties['answers'])
  return {
    answers: Object.fromEntries(
      byId(given, Object.keys(questions)).map(([id, value]) => [id, fitted(questions[id], value)]),
    ),
  }
}

const propertiesOf = (schema: Json | undefined): JsonObject =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}

/**
 * The value of a single answer, unwrapped; a list is the answer itself if several options may be
 * chosen.
 */
function onlyOne(given: Json, schema: Json | undefined): Json {
  const takesFirst = isList(given) && !(isObject(schema) && schema['type'] === 'array')
  if (isObject(given)) return Object.values(given)[0] ?? given
  return takesFirst ? (given[0] ?? given) : given
}

function byId(
  given: Json,
  ids: readonly string[],
): readonly (readonly [id: string, value: Json])[] {
  const [only, ...others] = ids
  if (isObject(given)) {
    const entries = Object.entries(given)
    const [entry] = entries
    return only !== undefined &&
      others.length === 0 &&
      entry &&
      entries.length === 1 &&
      !ids.includes(entry[0])
      ? [[only, entry[1]]]
      : entries
  }
  if (only === undefined) return []
  if (!isList(given) || others.length === 0) return [[only, given]]
  return ids.flatMap((id, at) => (given[at] === undefined ? [] : [[id, given[at]] as const]))
}
