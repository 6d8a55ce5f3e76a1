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
 * Keeps histories of sessions that expire. A session is deleted only after `keep` has resolved
 * well: until then what was written has to be safe, also from a power failure. The same session may
 * come again, and from several instances at once; that changes nothing. An `Err` leaves the session
 * as it is, and it comes again later.
 */
export interface SessionArchive {
  keep(session: ArchivableSession, signal: AbortSignal): Promise<Result<ArchivedSession, Failure>>
}
export const SessionArchive = slot.kernel<SessionArchive>('session-archive')
