import { slot, type Failure, type Result, type SessionRef } from '@amodal/kernel'
import type { StoredEntry } from '@amodal/kernel'
import type { SessionRow } from './session-store.ts'

/** A session whose history is about to be deleted. */
export interface ArchivableSession extends SessionRef {
  readonly row: SessionRow
  /**
   * Its entries up to `row.head`, those of the sessions that it was forked from included; oldest
   * first, in pages. Sealed parts stay sealed. Each call reads them anew; the last page of a read
   * that failed is an `Err`.
   */
  entries(signal: AbortSignal): AsyncIterable<Result<readonly StoredEntry[], Failure>>
}

/** Where a session was put. */
export interface ArchivedSession {
  /** A path or an address that `amodal ops archive` or the provider understands. */
  readonly place: string
  /** SHA-256 in hex of what was kept. */
  readonly sha256: string
}

/**
 * Archives the histories of sessions that expire. A session is deleted only after `keep` has
 * returned `ok`: by then the data must be durable, also over a power failure. `keep` may be called
 * several times for one session, also by several instances at once, and must be idempotent. After
 * an `Err` the session is not deleted, and `keep` is called for it later.
 */
export interface SessionArchive {
  keep(session: ArchivableSession, signal: AbortSignal): Promise<Result<ArchivedSession, Failure>>
}
export const SessionArchive = slot.kernel<SessionArchive>('session-archive')
