import type { RunEvent } from '../events.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { isLegal, NEXT, type AgentState, type StateKind } from '../loop/state.ts'

// Changes that a hook may not make to a value: each check returns the reason of a refusal, or
// nothing.

export function legalMove(from: StateKind, to: AgentState): string | undefined {
  return Object.hasOwn(NEXT, to.kind) && isLegal(from, to.kind)
    ? undefined
    : `moved from ${from} to ${to.kind}, which is not a legal move (${NEXT[from].join(', ')})`
}

export function sameEvent(after: RunEvent, before: RunEvent): string | undefined {
  return after.type === before.type
    ? undefined
    : `changed the type of an event from ${before.type} to ${String(after.type)}`
}

/** Fields of an entry that are text. All others are ids, order, counts or hashes. */
const TEXTS: ReadonlySet<string> = new Set([
  'text',
  'context',
  'reasoning',
  'input',
  'args',
  'output',
  'events',
  'answer',
  'summary',
  'prompt',
  'message',
  'data',
  'title',
  'description',
])

const identity = (entry: JournalEntry): string =>
  JSON.stringify(
    entry.kind === 'user_message' && entry.assets
      ? { ...entry, assets: entry.assets.map(({ name: _name, ...file }) => file) }
      : entry,
    (key, value: unknown) => (TEXTS.has(key) ? undefined : value),
  )

export function sameIdentity(after: JournalEntry, before: JournalEntry): string | undefined {
  return identity(after) === identity(before)
    ? undefined
    : `changed more than texts of a ${before.kind}: ids, kinds, hashes and counts stay`
}
