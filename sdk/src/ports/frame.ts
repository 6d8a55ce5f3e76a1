import type { AgentEvent } from '../agent-event.ts'

/**
 * Where a frame stands: the last entry that a reader of this frame has completely, the owner's
 * fencing token, the attempt, and a count within these.
 */
export interface FrameId {
  readonly seq: number
  /** 0: a place in the journal, such as that of a frame made from a stored entry. */
  readonly fencingToken: number
  /** How often frames since the last commit were discarded, in this turn. */
  readonly attempt: number
  readonly n: number
}

/** An event with its id, as a reader receives it. */
export interface Frame {
  readonly id: FrameId
  /** ms since the epoch */ readonly at: number
  readonly event: AgentEvent
}

export const frameId = (id: FrameId): string => `${id.seq}.${id.fencingToken}.${id.attempt}.${id.n}`

/** Reads a `Last-Event-ID`; anything else than four whole numbers is `undefined`. */
export function parseFrameId(text: string): FrameId | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/.exec(text)
  if (!match) return undefined
  const [seq = 0, fencingToken = 0, attempt = 0, n = 0] = match.slice(1).map(Number)
  return { seq, fencingToken, attempt, n }
}
