import {
  ok,
  type Clock,
  type Database,
  type Failure,
  type SessionRef,
  type SessionStore,
} from '@amodal/sdk'
import { removeExpired, isThere, lostSessions, SEEN_MS } from './unused-files.ts'
import { removeOutside } from './outside-bytes.ts'
import type { Retention } from './statements.ts'
import type { AssetBytes } from './tokens.ts'
import type { MemoryRecords } from './memory-records.ts'

interface CleanUpParts {
  readonly database: Database | undefined
  /** Where bytes are outside of the database. */
  readonly outside: AssetBytes | undefined
  readonly sessions: SessionStore | undefined
  /** Where there is no database. */
  readonly memory: MemoryRecords
  readonly clock: Pick<Clock, 'now'>
  readonly retention: Retention
  readonly forget: (session: SessionRef, signal: AbortSignal) => Promise<void>
  readonly warn: (error: Failure) => void
}

/**
 * One round of removing what nobody needs: first what sessions hold that are gone without a word,
 * then what nothing holds.
 *
 * @returns a round, `true` where it has left some
 */
export function createCleanUp(parts: CleanUpParts): (signal: AbortSignal) => Promise<boolean> {
  const { database } = parts
  return database
    ? (signal) => cleanDatabase(database, parts, signal)
    : async (signal) => {
        await cleanMemory(parts, signal)
        return false
      }
}

async function cleanDatabase(
  database: Database,
  { sessions, outside, retention, forget, warn }: CleanUpParts,
  signal: AbortSignal,
): Promise<boolean> {
  const lost = sessions ? await lostSessions(database, sessions, signal) : undefined
  if (lost?.ok) for (const one of lost.value) await forget(one, signal)
  const done = await removeExpired(database, retention, signal)
  const bytes = outside ? await removeOutside(database, outside, signal) : ok(false)
  for (const one of [lost, done, bytes]) if (one?.ok === false && !signal.aborted) warn(one.error)
  return (done.ok && done.value.more) || (bytes.ok && bytes.value)
}

async function cleanMemory(
  { sessions, memory, clock, retention, forget }: CleanUpParts,
  signal: AbortSignal,
): Promise<void> {
  if (sessions)
    for (const one of memory.holders(clock.now() - SEEN_MS)) {
      const there = await isThere(sessions, one, signal)
      if (there.ok && !there.value) await forget(one, signal)
    }
  memory.clean(clock.now(), retention)
}
