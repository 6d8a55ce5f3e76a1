import {
  askId,
  err,
  isList,
  isObject,
  ok,
  redact,
  type AskAnswer,
  type Json,
  type JsonObject,
  type PendingAsk,
  type Result,
  type SequencedEntry,
} from '@amodal/sdk'
import { askedContext } from '@amodal/sdk/wire'
import { a2aError, type A2aError } from './a2a-error.ts'
import type { MessageRequest } from './message-request.ts'

/** What a task waits for, as a message of the agent: in words, and as data to be answered. */
export function askedParts(
  asks: readonly PendingAsk[],
  entries: readonly SequencedEntry[],
): readonly JsonObject[] {
  const shown = asks.map((ask) => shownAsk(ask, askedContext(ask, entries)))
  const words = asks.map((ask) => inWords(ask, askedContext(ask, entries)))
  return [
    { text: words.join('\n') },
    { data: { pending_input: shown }, mediaType: 'application/json' },
  ]
}

const shownAsk = (
  { id, type, schema, expires_at: at }: PendingAsk,
  context: JsonObject,
): JsonObject => ({
  id,
  pending_input_type: type,
  pending_input_schema: schema,
  pending_input_context: redact(context),
  ...(at !== undefined && { expires_at: new Date(at).toISOString() }),
})

function inWords({ type }: PendingAsk, context: JsonObject): string {
  const text = (name: string): string => {
    const value = context[name]
    return typeof value === 'string' ? value : ''
  }
  switch (type) {
    case 'approval':
      return `An approval is needed for "${text('tool')}": ${text('reason')}`
    case 'question':
      return text('question')
    case 'continue_or_finish':
      return `A decision is needed: ${text('message')}`
    default:
      return type satisfies never
  }
}

/**
 * The answers in a message: a data part is `{responses: [{id, …answer}]}`, or the answer itself
 * where one thing is asked, with its `id` or without. A text answers a question that takes a text.
 */
export function answersIn(
  { data, text }: MessageRequest,
  asks: readonly PendingAsk[],
): Result<readonly AskAnswer[], A2aError> {
  const given = data.flatMap(responsesIn)
  const [only, ...others] = asks
  if (given.length === 0 && only && others.length === 0 && takesText(only) && text !== '')
    return ok([{ id: only.id, answer: { response: text } }])
  if (given.length === 0)
    return err(
      a2aError(
        'INVALID_PARAMS',
        'the task waits for input: answer with a data part that fits `pending_input_schema`',
      ),
    )
  const answers: AskAnswer[] = []
  for (const one of given) {
    if (!isObject(one)) return err(a2aError('INVALID_PARAMS', 'an answer is a JSON object'))
    const { id, ...answer } = one
    if (typeof id !== 'string' && (!only || others.length > 0))
      return err(
        a2aError('INVALID_PARAMS', 'id: several things are asked; name the one that is answered'),
      )
    answers.push({ id: typeof id === 'string' ? askId(id) : (only?.id ?? askId('')), answer })
  }
  return ok(answers)
}

const responsesIn = (part: Json): readonly Json[] =>
  isObject(part) && isList(part['responses']) ? part['responses'] : [part]

function takesText({ type, schema }: PendingAsk): boolean {
  const properties = schema['properties']
  const response = isObject(properties) ? properties['response'] : undefined
  return type === 'question' && isObject(response) && response['type'] === 'string'
}
