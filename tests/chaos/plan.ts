/**
 * What a message asks of the scripted model, as data: the message carries the plan of its own turn,
 * so that every process, before and after a crash, plays the same turn.
 */

import { SUMMARY_HEAD } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { z } from 'zod'

/** The tools of `chaos-plugin.ts`, and some of the product's own. */
const toolName = z.enum([
  'read_thing',
  'effect_keyed',
  'effect_plain',
  'ask_user',
  'stop_execution',
  'dispatch_task',
  'store_notes',
  'update_state',
  'count_state',
])
export type ToolName = z.output<typeof toolName>

const ownCall = z.object({
  tool: toolName,
  /** A guard asks a person first. */
  approve: z.literal(true).optional(),
})

/** What becomes of a message. */
const deedOf = <C extends z.ZodType>(call: C) =>
  z.object({
    /** The calls of each step; after the last one the model answers in words. */
    steps: z.array(z.array(call)),
    /** The model refuses to say its last word. */
    fails: z.literal(true).optional(),
    /** Characters that the model says before the calls of a step. */
    words: z.int().optional(),
    /**
     * The reply, counted from 1, that is refused as too long until the conversation was summed up.
     */
    overflows: z.int().optional(),
  })

/** `task`: of a `dispatch_task`, what the sub-agent is to do. */
const call = ownCall.extend({ task: deedOf(ownCall).optional() })

const deed = deedOf(call)
/**
 * `marker` tells one message from every other, and its calls with it: `m7` has the calls `m7.1.1`,
 * `m7.1.2`, `m7.2.1` …
 */
const plan = deed.extend({ marker: z.string() })
export type Call = z.output<typeof call>
export type Deed = z.output<typeof deed>
export type Plan = z.output<typeof plan>

/** Where a model reply stops for good: before its first byte, or after so many pieces of text. */
export interface Stall {
  /** Counted from 1 among the replies of the turn. */
  readonly reply: number
  readonly pieces: number
}

export const messageOf = (of: Plan): string => JSON.stringify(of)
export const planOf = (text: string): Plan => plan.parse(JSON.parse(text))
export const callMarker = (marker: string, step: number, n: number): string =>
  `${marker}.${step}.${n}`

/** Marker and tool of every call a plan makes. */
export const callsOf = ({ marker, steps }: Plan): readonly (Call & { readonly marker: string })[] =>
  steps.flatMap((calls, step) =>
    calls.map((made, n) => ({ ...made, marker: callMarker(marker, step + 1, n + 1) })),
  )

/** The plans of its sub-agents, each under the marker of the call that dispatches it. */
export const tasksOf = (plan: Plan): readonly Plan[] =>
  callsOf(plan).flatMap(({ marker, task }) => (task ? [{ ...task, marker }] : []))

/** A plan and those of its sub-agents. */
export const familyOf = (plan: Plan): readonly [Plan, ...Plan[]] => [plan, ...tasksOf(plan)]

interface Asked {
  readonly plan: Plan
  /** Counted from 1 among the replies of the turn. */
  readonly step: number
  /** The conversation begins with a summary. */
  readonly summed: boolean
}

/**
 * What a model request is about: the plan of its last message, and how far the turn is, also where
 * a summary says so.
 */
export function askedOf({ messages }: ChatCompletionRequest): Asked {
  const summed = messages.some(
    (message) => message.role === 'user' && contentText(message).startsWith(SUMMARY_HEAD),
  )
  const plan = newestPlan(messages.filter(({ role }) => role === 'user').map(contentText))
  const steps = stepsIn(messages.map(contentText).join('\n')).filter(
    ({ marker }) => marker === plan.marker,
  )
  return { plan, step: Math.max(0, ...steps.map(({ step }) => step)) + 1, summed }
}

/**
 * The plan that stands last in the texts of a person. A summary lists messages; one that was
 * cancelled before its answer stands before the next one in one text, also where the first of them
 * is a summary; and the results of calls stand there as texts once a provider refused them.
 */
function newestPlan(texts: readonly string[]): Plan {
  for (const line of texts.join('\n').split('\n').toReversed()) {
    const json = /^(?:- )?(\{.*\})$/.exec(line)?.[1]
    const read = json === undefined ? undefined : plan.safeParse(jsonOrNothing(json))
    if (read?.success) return read.data
  }
  throw new Error(`no message has a plan: ${texts.at(-1) ?? ''}`)
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const LAST = 'The '
const before = (step: number): string => `Step ${step}`

/** The steps that a text tells of. */
const stepsIn = (text: string): readonly { readonly step: number; readonly marker: string }[] =>
  [...text.matchAll(/Step (\d+) of (\S+) \(/g)].map(([, step, marker = '']) => ({
    step: Number(step),
    marker,
  }))

/** How the text of a reply begins. */
export const firstPiece = ({ steps }: Plan, step: number): string =>
  step > steps.length ? LAST : before(step)

interface Manner {
  readonly stall?: Stall | undefined
  readonly pace?: number | undefined
}

const TOO_LONG = {
  message:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  code: 'context_length_exceeded',
}

/** The model refuses what it is asked as too long for it, until it is summed up. */
export const isTooLong = ({ plan, step, summed }: Asked): boolean =>
  plan.overflows === step && !summed

/**
 * @param n says which request this answers: a reply that is made again must not pass for the first
 *   one
 */
export function replyTo({ plan, step, summed }: Asked, n: number, { stall, pace }: Manner): Reply {
  const { marker, steps, words = 0 } = plan
  const ending =
    stall?.reply === step ? ({ ending: { kind: 'stall', after: stall.pieces } } as const) : {}
  const options = { ...ending, ...(pace === undefined ? {} : { pace }) }
  const calls = steps[step - 1]
  if (isTooLong({ plan, step, summed })) return reply.httpError(400, TOO_LONG)
  if (!calls && plan.fails && !stall)
    return reply.httpError(400, { message: `${marker} is refused` })
  if (!calls) return reply.text([LAST, 'end ', 'of ', marker, ` (${n})`], options)
  const text = `${before(step)} of ${marker} (${n}). ${'word '.repeat(words / 5)}`
  return reply.toolCalls(
    calls.map((made, at) => ({
      name: made.tool,
      arguments: argumentsOf(made, callMarker(marker, step, at + 1)),
    })),
    { ...options, before: text },
  )
}

function argumentsOf(
  { tool, approve, task }: Call,
  marker: string,
): Readonly<Record<string, unknown>> {
  switch (tool) {
    case 'ask_user':
      return { question: marker }
    case 'stop_execution':
      return {}
    case 'dispatch_task':
      return { agent: WORKER, prompt: messageOf({ steps: [], ...task, marker }) }
    case 'store_notes':
      return { id: STORED, value: marker }
    case 'update_state':
      return { last: marker, board: { at: marker, steps: marker.split('.') } }
    case 'read_thing':
    case 'count_state':
    case 'effect_keyed':
    case 'effect_plain':
      return { marker, ...(approve ? { approve } : {}) }
    default:
      return tool satisfies never
  }
}

/** The document that all turns write. */
export const STORED = 'by-turns'

/** The sub-agent that does all tasks. */
export const WORKER = 'worker'

/** The model that sums up. */
export const NOTER = 'noter'

/** The marker of the newest message in what is to be summed up. */
export const notedMarker = (request: ChatCompletionRequest): string =>
  [...contentText(request.messages.at(-1)).matchAll(/^person: .*"marker":"([^"]+)"/gm)].at(
    -1,
  )?.[1] ?? ''

/**
 * What the model that sums up says of a conversation: how far it is and what came of its calls, in
 * two pieces.
 */
export function notesOn(request: ChatCompletionRequest, { stall, pace }: Manner): Reply {
  const [, since = ''] = contentText(request.messages.at(-1)).split('What has happened since:')
  const notes = JSON.stringify({
    findings: since.match(/done \S+/g) ?? [],
    done: stepsIn(since).map(({ step, marker }) => `Step ${step} of ${marker} (noted)`),
  })
  return reply.text([notes.slice(0, 5), notes.slice(5)], {
    ...(stall ? ({ ending: { kind: 'stall', after: stall.pieces } } as const) : {}),
    ...(pace === undefined ? {} : { pace }),
  })
}
