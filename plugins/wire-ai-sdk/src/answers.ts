import {
  askId,
  err,
  failure,
  isObject,
  ok,
  type AskAnswer,
  type Failure,
  type Json,
  type JsonObject,
  type PendingAsk,
  type Result,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { defined } from '@amodal/sdk/loop'
import { z } from 'zod'
import type { UiMessage } from './user-message.ts'

const toolPart = z.object({
  type: z.string(),
  toolCallId: z.string(),
  state: z.string(),
  approval: z
    .object({
      id: z.string(),
      approved: z.boolean().nullish(),
      reason: z.string().max(10_000).nullish(),
    })
    .nullish(),
  output: jsonValue.optional(),
})
type ToolPart = z.output<typeof toolPart>

const dataAnswer = z.object({
  id: z.string(),
  approved: z.boolean().optional(),
  feedback: z.string().max(10_000).optional(),
  action: z.string().max(200).optional(),
  response: jsonValue.optional(),
  answers: jsonValue.optional(),
  additional_turns: z.number().int().positive().optional(),
  additional_tokens: z.number().int().positive().optional(),
  additional_cost: z.number().positive().optional(),
  additional_tool_calls: z.number().int().positive().optional(),
})

const toolParts = (message: UiMessage | undefined): readonly ToolPart[] =>
  (message?.parts ?? []).flatMap((part) => {
    const read = toolPart.safeParse(part)
    return read.success ? [read.data] : []
  })

/** The calls that a message has, and the approvals it was asked for, by their calls. */
export function callsIn(message: UiMessage | undefined): {
  readonly calls: readonly string[]
  readonly approvals: ReadonlyMap<string, string>
} {
  const parts = toolParts(message)
  return {
    calls: parts.map(({ toolCallId }) => toolCallId),
    approvals: new Map(
      parts.flatMap(({ toolCallId, approval, state }) =>
        approval && state.startsWith('approval-') ? [[toolCallId, approval.id]] : [],
      ),
    ),
  }
}

/**
 * Answers that stand in the parts of an assistant's message: approvals that were responded to, and
 * outputs of calls that ask. What is no answer to an open question is the client's history.
 */
export function answersIn(
  message: UiMessage | undefined,
  asks: readonly PendingAsk[],
): readonly AskAnswer[] {
  if (message?.role !== 'assistant' || asks.length === 0) return []
  return toolParts(message).flatMap((part) => {
    const answer = answerIn(part, asks)
    return answer ? [answer] : []
  })
}

function answerIn(
  { state, approval, toolCallId, output }: ToolPart,
  asks: readonly PendingAsk[],
): AskAnswer | undefined {
  switch (state) {
    case 'approval-responded': {
      const ask = asks.find(({ id, type }) => type === 'approval' && id === approval?.id)
      if (!ask || typeof approval?.approved !== 'boolean') return undefined
      const { approved, reason } = approval
      return {
        id: askId(ask.id),
        answer: { approved, ...(reason && { feedback: reason }) },
      }
    }
    case 'output-available': {
      const ask = asks.find(({ call, type }) => type === 'question' && call === toolCallId)
      return ask && output !== undefined
        ? { id: askId(ask.id), answer: questionAnswer(ask, output) }
        : undefined
    }
    default:
      return undefined
  }
}

/** Answers that a person's message brings as data. Unlike history, each has to be one. */
export function answersOf(
  data: readonly Json[],
  asks: readonly PendingAsk[],
): Result<readonly AskAnswer[], Failure> {
  const answers: AskAnswer[] = []
  for (const one of data) {
    const read = dataAnswer.safeParse(one)
    if (!read.success)
      return err(
        failure('VALIDATION_ERROR', 'data-answer: has the id of its question, and an answer to it'),
      )
    const { id, feedback, response, answers: several, ...rest } = read.data
    const ask = asks.find((open) => open.id === id)
    if (!ask) return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`))
    const given = several === undefined ? response : { answers: several }
    answers.push({
      id: askId(ask.id),
      answer: {
        ...defined(rest),
        ...(feedback !== undefined && { feedback }),
        ...(given !== undefined && questionAnswer(ask, given)),
      },
    })
  }
  return ok(answers)
}

/** One question has a `response`, several have `answers`; a client may leave these words out. */
function questionAnswer({ schema }: PendingAsk, given: Json): JsonObject {
  const { properties } = schema
  const [only, ...more] = isObject(properties) ? Object.keys(properties) : []
  const isWhole = isObject(given) && Object.keys(given).every((name) => name === only)
  if (isWhole) return given
  return only !== undefined && more.length === 0 ? { [only]: given } : { response: given }
}
