import { clientCallOf, toolsInState } from '@amodal/plugin-client-tools/tokens'
import {
  NO_USAGE,
  runId,
  SYSTEM,
  type AgentEvent,
  type AskId,
  type Json,
  type JsonObject,
  type ModelReply,
  type SequencedEntry,
  type Usage,
  type UserMessage,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { addUsage } from '@amodal/sdk/loop'
import { wireRunUsage } from '@amodal/sdk/wire'
import type { ResponsePlace } from './wire-id.ts'

/** The part of a session that one response tells of. */
export interface RunSegment {
  readonly opening: SequencedEntry<UserMessage>
  /** From where it begins on, up to its end or to the client's next tool result. */
  readonly entries: readonly SequencedEntry[]
  /** The last message of the session is that of this response. */
  readonly isLatest: boolean
  /** Another response goes on with the same run. */
  readonly isContinued: boolean
}

/**
 * Finds what a response tells of: its run from the message, or from the answers on, to its end.
 * What a person answers belongs to it; what a client returns for a call begins another response.
 */
export function segmentOf(
  entries: readonly SequencedEntry[],
  { from }: Pick<ResponsePlace, 'from'>,
): RunSegment | undefined {
  const start = entries.findIndex((entry) =>
    from.kind === 'message'
      ? entry.kind === 'user_message' && entry.key === from.key
      : entry.kind === 'input_answered' && entry.ask === from.ask,
  )
  const first = entries[start]
  if (!first) return undefined
  const opening = entries.find(
    (entry): entry is SequencedEntry<UserMessage> =>
      entry.kind === 'user_message' && entry.run === first.run,
  )
  if (!opening) return undefined
  const run = entries.slice(start).filter((entry) => entry.run === first.run)
  const calls = clientAsksIn(run)
  const end = run.findIndex((entry) => entry.kind === 'input_answered' && calls.has(entry.ask))
  return {
    opening,
    entries: end === -1 ? run : run.slice(0, end),
    isLatest: entries.findLast((entry) => entry.kind === 'user_message') === opening,
    isContinued: end !== -1,
  }
}

/** A message that was accepted, and of which the journal has nothing yet. */
export const pendingSegment = (key: string, at: number): RunSegment => ({
  opening: {
    kind: 'user_message',
    v: 1,
    seq: 0,
    run: runId(''),
    principal: SYSTEM,
    bundle: '',
    text: '',
    at,
    key,
  },
  entries: [],
  isLatest: true,
  isContinued: false,
})

const clientAsksIn = (entries: readonly SequencedEntry[]): ReadonlySet<AskId> =>
  new Set(
    entries.flatMap((entry) =>
      entry.kind === 'input_asked' && clientCallOf(entry) ? [entry.ask] : [],
    ),
  )

/** Names of the tools that the client of this run executes. */
export const clientToolNames = ({ opening }: Pick<RunSegment, 'opening'>): ReadonlySet<string> =>
  new Set(toolsInState(opening.session_state).map(({ name }) => name))

/** The tokens of the model calls among these entries. */
export function usageIn(entries: readonly SequencedEntry[]): ReturnType<typeof wireRunUsage> {
  const replies = entries.filter(
    (entry): entry is SequencedEntry<ModelReply> => entry.kind === 'model_reply',
  )
  const usage = replies.reduce<Usage>((sum, reply) => addUsage(sum, reply.usage), NO_USAGE)
  return wireRunUsage({ usage, last_usage: replies.at(-1)?.usage })
}

/** The events that an entry of the journal stands for, reasoning included. */
export function eventsOf(entry: SequencedEntry): readonly AgentEvent[] {
  switch (entry.kind) {
    case 'model_reply':
      return replyEvents(entry)
    case 'tool_outcome':
      return [resultOf(entry.call, entry.status, entry.output)]
    case 'child_closed':
      return [resultOf(entry.call, entry.status, entry.summary)]
    case 'run_ended':
      return [
        ...(entry.error ? [{ type: 'error' as const, ...entry.error }] : []),
        { type: 'done', reason: entry.reason, usage: wireRunUsage(entry) },
      ]
    case 'user_message':
    case 'tool_intent':
    case 'input_asked':
    case 'input_answered':
    case 'compacted':
    case 'child_opened':
    case 'note':
      return []
    default:
      return entry satisfies never
  }
}

const replyEvents = ({ reasoning, text, calls }: ModelReply): readonly AgentEvent[] => [
  ...(reasoning ? [{ type: 'reasoning_delta' as const, content: reasoning }] : []),
  ...(text === '' ? [] : [{ type: 'text_delta' as const, content: text }]),
  ...calls.map(({ id, name, input }) => ({
    type: 'tool_call_start' as const,
    tool_name: name,
    tool_id: id,
    parameters: parseExact(input) as JsonObject, // checked to be JSON when it was read
  })),
]

function resultOf(call: string, status: string, output: Json): AgentEvent {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return status === 'success'
    ? { type: 'tool_call_result', tool_id: call, status, result: text }
    : { type: 'tool_call_result', tool_id: call, status: 'error', error: text }
}
