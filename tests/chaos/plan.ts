/**
 * What a message asks of the scripted model, as data: the message carries the plan of its own turn, so that every
 * process, before and after a crash, plays the same turn.
 */

import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { z } from 'zod'

/** The tools of `chaos-plugin.ts`, and two of the product's own. */
const toolName = z.enum(['read_thing', 'effect_keyed', 'effect_plain', 'ask_user', 'stop_execution'])
export type ToolName = z.output<typeof toolName>

const call = z.object({
  tool: toolName,
  /** A guard asks a person first. */
  approve: z.literal(true).optional(),
})

const plan = z.object({
  /** Tells one message from every other, and its calls with it: `m7` has the calls `m7.1.1`, `m7.1.2`, `m7.2.1` … */
  marker: z.string(),
  /** The calls of each step; after the last one the model answers in words. */
  steps: z.array(z.array(call)),
})
export type Call = z.output<typeof call>
export type Plan = z.output<typeof plan>

/** Where a model reply stops for good: before its first byte, or after so many pieces of text. */
export interface Stall {
  /** Counted from 1 among the replies of the turn. */
  readonly reply: number
  readonly pieces: number
}

export const messageOf = (of: Plan): string => JSON.stringify(of)
export const planOf = (text: string): Plan => plan.parse(JSON.parse(text))
export const callMarker = (marker: string, step: number, n: number): string => `${marker}.${step}.${n}`

/** Marker and tool of every call a plan makes. */
export const callsOf = ({ marker, steps }: Plan): readonly (Call & { readonly marker: string })[] =>
  steps.flatMap((calls, step) => calls.map((made, n) => ({ ...made, marker: callMarker(marker, step + 1, n + 1) })))

interface Asked {
  readonly plan: Plan
  /** Counted from 1 among the replies of the turn. */
  readonly step: number
}

/** What a model request is about: the plan of its last message, and how far the turn is. */
export function askedOf({ messages }: ChatCompletionRequest): Asked {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const content = messages[last]?.content
  const text = typeof content === 'string' ? content : (content ?? []).flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('')
  return { plan: planOf(text), step: messages.slice(last).filter(({ role }) => role === 'assistant').length + 1 }
}

const LAST = 'The '
const before = (step: number): string => `Step ${step}`

/** How the text of a reply begins. */
export const firstPiece = ({ steps }: Plan, step: number): string => (step > steps.length ? LAST : before(step))

/** @param n says which request this answers: a reply that is made again must not pass for the first one */
export function replyTo({ plan: { marker, steps }, step }: Asked, n: number, { stall, pace }: { readonly stall?: Stall | undefined; readonly pace?: number | undefined }): Reply {
  const ending = stall?.reply === step ? { ending: { kind: 'stall', after: stall.pieces } } as const : {}
  const options = { ...ending, ...(pace === undefined ? {} : { pace }) }
  const calls = steps[step - 1]
  if (!calls) return reply.text([LAST, 'end ', 'of ', marker, ` (${n})`], options)
  return reply.toolCalls(calls.map((made, at) => ({ name: made.tool, arguments: argumentsOf(made, callMarker(marker, step, at + 1)) })), { ...options, before: `${before(step)} of ${marker} (${n}). ` })
}

function argumentsOf({ tool, approve }: Call, marker: string): Readonly<Record<string, unknown>> {
  switch (tool) {
    case 'ask_user': return { question: marker }
    case 'stop_execution': return {}
    case 'read_thing': case 'effect_keyed': case 'effect_plain': return { marker, ...(approve ? { approve } : {}) }
    default: return tool satisfies never
  }
}
