import type { JsonObject } from '@amodal/sdk'
import type { Thing, TracedRun } from '../thing.ts'
import { factsOf } from './facts.ts'
import { dollars, iso, tokensOf } from './text.ts'

/**
 * What a run came to, with its sub-agents.
 *
 * @param things of the run; those of others are passed over
 */
export function runView(run: TracedRun, things: readonly Thing[]): JsonObject {
  const facts = things.flatMap((thing) => (thing.run === run ? [factsOf(thing)] : []))
  const waits = facts.flatMap(({ startedAt, waitingMs }) =>
    waitingMs === undefined || waitingMs === null
      ? []
      : [{ from: startedAt, to: startedAt + waitingMs }],
  )
  const open = facts.find(({ waitingMs }) => waitingMs === null)
  const waiting = lengthOf(waits)
  const { end } = run
  return {
    id: run.id,
    number: run.number,
    started_at: iso(run.startedAt),
    ended_at: end ? iso(end.at) : null,
    reason: end?.reason ?? null,
    status: statusOf(run, open !== undefined),
    tokens: tokensOf(run.usage),
    cost: dollars(run.cost),
    ms_working: Math.max(0, run.lastAt - run.startedAt - waiting),
    ms_waiting: waiting,
    waiting_since: open ? iso(open.startedAt) : null,
    model_calls: run.modelCalls,
    tool_calls: run.toolCalls,
    errors: facts.filter(({ kind, status }) => isError(kind, status)).length,
    ...(end?.error && { error: { code: end.error.code } }),
  }
}

/** The end of a failed run repeats the error of what failed in it, or is the only one there is. */
const isError = (kind: string, status: string): boolean =>
  status === 'failed' || (status === 'unknown' && kind !== 'end')

function statusOf({ end }: TracedRun, waits: boolean): string {
  if (!end) return waits ? 'waiting' : 'running'
  if (end.reason === 'user_abort') return 'cancelled'
  return end.reason === 'error' ? 'failed' : 'done'
}

/** ms that intervals cover together, those at the same time counted once. */
function lengthOf(intervals: readonly { readonly from: number; readonly to: number }[]): number {
  let [sum, reached] = [0, -Infinity]
  for (const { from, to } of intervals.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, reached))
    reached = Math.max(reached, to)
  }
  return sum
}
