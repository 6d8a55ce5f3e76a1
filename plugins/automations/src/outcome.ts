import { textStart } from '@amodal/sdk/data'
import type { DoneReason, PendingAsk, SequencedEntry, SessionView } from '@amodal/sdk'
import type { RefusedCall } from './run.ts'

/** What a run came to, as its journal says. */
export type RunOutcome =
  | { readonly kind: 'ended'; readonly result: string; readonly error?: string }
  /** It waits for a person. */
  | { readonly kind: 'asks'; readonly asks: readonly PendingAsk[] }
  /** It was set aside: it will not end by itself. */
  | { readonly kind: 'stuck'; readonly error: string }
  | { readonly kind: 'open' }

/** Refused calls that are named. */
const MOST_REFUSED = 50

const FAILED: Readonly<Record<DoneReason, string | undefined>> = {
  model_stop: undefined,
  max_turns: undefined,
  user_abort: 'the run was cancelled',
  error: 'the run failed',
  budget_exceeded: 'the run used up its budget',
  loop_detected: 'the run repeated itself and was stopped',
}

/** @param key of the message that began the run */
export function outcomeOf(view: SessionView, key: string): RunOutcome {
  const run = view.entries.find((entry) => entry.kind === 'user_message' && entry.key === key)?.run
  const own = view.entries.filter((entry) => run !== undefined && entry.run === run)
  const end = own.findLast((entry) => entry.kind === 'run_ended')
  if (end?.kind !== 'run_ended') {
    if (view.row.setAside !== undefined)
      return { kind: 'stuck', error: 'the session crashed its server and was set aside' }
    return view.asks.length > 0 ? { kind: 'asks', asks: view.asks } : { kind: 'open' }
  }
  const result = textOf(own)
  const error = end.error?.message ?? FAILED[end.reason]
  const isEmpty = error === undefined && result.trim() === ''
  if (error === undefined && !isEmpty) return { kind: 'ended', result }
  return { kind: 'ended', result, error: error ?? 'the run ended without a result' }
}

/** The last message of the agent. */
function textOf(entries: readonly SequencedEntry[]): string {
  const reply = entries.findLast((entry) => entry.kind === 'model_reply' && entry.text !== '')
  return reply?.kind === 'model_reply' ? reply.text : ''
}

/** Calls of a session that were refused. */
export const refusedIn = (entries: readonly SequencedEntry[]): readonly RefusedCall[] =>
  entries
    .flatMap((entry): readonly RefusedCall[] =>
      entry.kind === 'tool_outcome' && entry.code === 'TOOL_DENIED'
        ? [{ tool: entry.name, reason: reasonOf(entry.output) }]
        : [],
    )
    .slice(0, MOST_REFUSED)

const reasonOf = (output: unknown): string =>
  textStart(typeof output === 'string' ? output : JSON.stringify(output), 500)
