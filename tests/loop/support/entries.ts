import type { JournalEntry, SequencedEntry } from '@amodal/sdk'
import { expect } from 'vitest'

export const only = <K extends JournalEntry['kind']>(
  entries: readonly SequencedEntry[],
  kind: K,
): readonly SequencedEntry<Extract<JournalEntry, { kind: K }>>[] =>
  entries.filter(
    (entry): entry is SequencedEntry<Extract<JournalEntry, { kind: K }>> => entry.kind === kind,
  )

/** What became of each call, by its id: one outcome each, or the test fails. */
export function outcomes(entries: readonly SequencedEntry[]): Readonly<Record<string, string>> {
  const found = only(entries, 'tool_outcome').map(({ call, status }) => [call, status] as const)
  expect(new Set(found.map(([call]) => call)).size, 'one outcome per call').toBe(found.length)
  return Object.fromEntries(found)
}
