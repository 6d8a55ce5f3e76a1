import {
  err,
  ok,
  type Failure,
  type RedactedValue,
  type Result,
  type SequencedEntry,
  type SessionId,
} from '@amodal/sdk'
import { EvalNotPromotable } from '../errors.ts'

/** A conversation as its journal has it, with those of its sub-agents. */
export interface Conversation {
  readonly session: SessionId
  readonly entries: readonly SequencedEntry[]
  /** Entries of sub-agents by their sessions. */
  readonly children: ReadonlyMap<SessionId, readonly SequencedEntry[]>
  /**
   * Whether entries are as a client is shown them: what was taken out for it cannot be told from
   * what the agent itself did not see.
   */
  readonly isShown: boolean
  readonly redacted: readonly Pick<RedactedValue, 'value'>[]
}

/** The entries of one session in a conversation. */
export interface Part {
  readonly entries: readonly SequencedEntry[]
  /** The sub-agents that lead to it; empty: the agent itself. */
  readonly agents: readonly string[]
}

/** Sub-agents of sub-agents, as deep as the product lets them be. */
const DEEPEST = 8

/** Refuses with the place in the journal that stands against it. */
export const notPromotable = (seq: number, why: string): Result<never, Failure> =>
  err(EvalNotPromotable(`entry ${seq}: ${why}`))

/**
 * The entries of a session that a case is made of: up to the end of the turn that has entry `at`,
 * and from where the conversation was cleared for the last time.
 */
export function cut(
  entries: readonly SequencedEntry[],
  at: number | undefined,
): Result<readonly SequencedEntry[], Failure> {
  const upto = entries.findLast(
    ({ kind, seq }) => kind === 'user_message' && (at === undefined || seq <= at),
  )
  if (!upto)
    return err(
      EvalNotPromotable(
        at === undefined
          ? 'the session has no message of a person'
          : `no message of a person is before entry ${at}`,
      ),
    )
  const end = entries.find(({ kind, seq }) => kind === 'user_message' && seq > upto.seq)?.seq
  const own = entries.filter(({ seq }) => end === undefined || seq < end)
  const cleared = own.findLastIndex(
    (entry) => entry.kind === 'compacted' && entry.cause === 'clear' && entry.seq < upto.seq,
  )
  return ok(own.slice(cleared + 1))
}

/** A session and those of its sub-agents, as far as the entries tell of them. */
export function partsOf(
  { children }: Pick<Conversation, 'children'>,
  entries: readonly SequencedEntry[],
  agents: readonly string[] = [],
): Result<readonly Part[], Failure> {
  const parts: Part[] = [{ entries, agents }]
  if (agents.length >= DEEPEST) return ok(parts)
  for (const entry of entries) {
    if (entry.kind !== 'child_opened') continue
    const own = children.get(entry.child)
    if (!own)
      return notPromotable(
        entry.seq,
        `the journal of the sub-agent "${entry.agent}", ${entry.child}, is not there`,
      )
    const inner = partsOf({ children }, own, [...agents, entry.agent])
    if (!inner.ok) return inner
    parts.push(...inner.value)
  }
  return ok(parts)
}
