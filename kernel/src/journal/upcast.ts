import { failure, type Failure } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'
import { ENTRY_VERSION, type EntryKind, type JournalEntry, type Placed, type StoredEntry } from './entry.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Pure functions from version `v` to `v + 1`, per kind, in order from version 1.
 * They only ever grow: a fixture of every past version stays in the tests.
 */
export const UPCASTERS: Readonly<Partial<Record<EntryKind, readonly ((body: Body) => Body)[]>>> = {}

const isKind = (kind: unknown): kind is EntryKind => typeof kind === 'string' && kind in ENTRY_VERSION

/** Reads a stored entry in whatever version it was written. An unknown newer one is refused: guessing would lose facts. */
export function readEntry(
  stored: StoredEntry, upcasters: Readonly<Partial<Record<EntryKind, readonly ((body: Body) => Body)[]>>> = UPCASTERS,
): Result<Placed, Failure> {
  let body = JSON.parse(stored.body) as Body // written by us; kind and version are checked next
  const { kind } = body
  if (!isKind(kind)) return err(failure('UNKNOWN_ENTRY_VERSION', `journal entry ${stored.seq} has the unknown kind ${String(kind)}`))
  const steps = upcasters[kind] ?? []
  const newest = Math.max(ENTRY_VERSION[kind], steps.length + 1)
  for (let version = Number(body['v']); version < newest; version++) {
    const step = steps[version - 1]
    if (!step) return err(failure('UNKNOWN_ENTRY_VERSION', `journal entry ${stored.seq} (${kind}) has version ${version}, which nothing reads any more`))
    body = { ...step(body), v: version + 1 }
  }
  if (Number(body['v']) > newest) {
    return err(failure('UNKNOWN_ENTRY_VERSION', `journal entry ${stored.seq} (${kind}) has version ${String(body['v'])}; this release knows ${newest}`))
  }
  const entry = body as unknown as JournalEntry // the version is one this release writes
  return ok({ ...entry, seq: stored.seq, ...(stored.sealed === undefined ? {} : { sealed: stored.sealed }) })
}

export function readEntries(stored: readonly StoredEntry[]): Result<readonly Placed[], Failure> {
  const entries: Placed[] = []
  for (const one of stored) {
    const entry = readEntry(one)
    if (!entry.ok) return entry
    entries.push(entry.value)
  }
  return ok(entries)
}
