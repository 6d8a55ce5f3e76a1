import type { JsonObject, SessionId } from '@amodal/sdk'
import type { Shown } from '../thing.ts'
import { factsOf } from './facts.ts'
import { iso } from './text.ts'

/** Where a row stands. */
export interface RowPlace {
  readonly session: SessionId
  /** 0 for the session itself, 1 for its sub-agents. */
  readonly depth: number
  /** Key of the row of the call that the sub-agent works for. */
  readonly parent: string | null
  /** ms since the epoch that `start_ms` counts from; left out: the start of the row's own run. */
  readonly origin?: number
}

/** A row's name among all sessions. */
export const keyOf = (session: SessionId, id: string): string => `${session}:${id}`

/** A row as clients have it. */
export function rowView(thing: Shown, { session, depth, parent, origin }: RowPlace): JsonObject {
  const { startedAt, waitingMs, of, ms, kind, title, status, ...more } = factsOf(thing)
  const { run } = thing
  return {
    key: keyOf(session, thing.id),
    id: thing.id,
    seq: thing.seq,
    session,
    run: { id: run.id, number: run.number },
    kind,
    title,
    status,
    at: iso(startedAt),
    start_ms: Math.max(0, startedAt - (origin ?? run.startedAt)),
    ms,
    ...(waitingMs !== undefined && { waiting_ms: waitingMs }),
    depth,
    parent,
    ...(of !== undefined && { of }),
    ...more,
  }
}
