import type { HeldSession, SessionId, SessionRef, SessionRow } from '@amodal/sdk'
import { isUnclaimed, type StoredSession } from './stored-session.ts'

export const keyOf = ({ tenant, session }: SessionRef): string => `${tenant}\0${session}`

/** The sessions of this process, least recently used first, up to a maximum number. */
export class SessionTable {
  readonly #maxSessions: number
  readonly #sessions = new Map<string, StoredSession>()
  /** Keys of the expired sessions. */
  readonly #expired = new Set<string>()
  /** Sessions that show entries of their parent. */
  readonly #forks = new Set<StoredSession>()
  #uses = 0

  constructor(maxSessions: number) {
    this.#maxSessions = maxSessions
  }

  filter(matches: (stored: StoredSession) => boolean): StoredSession[] {
    return [...this.#sessions.values()].filter(matches)
  }

  find(ref: SessionRef): StoredSession | undefined {
    return this.#sessions.get(keyOf(ref))
  }

  /** The session, if it is still owned under this fencing token. */
  held({ tenant, session, fencingToken }: HeldSession): StoredSession | undefined {
    const stored = this.find({ tenant, session })
    return stored?.owner !== undefined && stored.fencingToken === fencingToken ? stored : undefined
  }

  /**
   * Adds a session; when the limit is reached, evicts the oldest that is expired, or unclaimed.
   *
   * @returns `undefined` when no session can be evicted
   */
  add(stored: StoredSession): StoredSession | undefined {
    if (this.#sessions.size >= this.#maxSessions) {
      const evicted = this.#evictable(stored.parent)
      if (!evicted) return undefined
      this.remove(evicted)
    }
    this.#sessions.set(keyOf(stored.ref), stored)
    return stored
  }

  /** From now on the entries of its parent are needed. */
  addFork(stored: StoredSession): void {
    this.#forks.add(stored)
  }

  /** Marks it as the most recently used. */
  use(stored: StoredSession): void {
    const key = keyOf(stored.ref)
    stored.updatedAt = Date.now()
    stored.used = ++this.#uses
    this.#sessions.delete(key)
    this.#sessions.set(key, stored)
  }

  remove(stored: StoredSession): void {
    this.#sessions.delete(keyOf(stored.ref))
    this.#expired.delete(keyOf(stored.ref))
    this.#forks.delete(stored)
  }

  /** Marks it as expired: it is evicted first and needs no entries of its parent. */
  markExpired(stored: StoredSession): void {
    this.#forks.delete(stored)
    this.#expired.add(keyOf(stored.ref))
  }

  /** Whether a fork shows its entries. */
  isNeeded({ ref }: StoredSession): boolean {
    for (const fork of this.#forks)
      if (fork.parent === ref.session && fork.ref.tenant === ref.tenant) return true
    return false
  }

  /** Sessions of this status without an owner and with an empty inbox. */
  quiet(status: SessionRow['status']): readonly StoredSession[] {
    return this.filter(
      (stored) =>
        stored.status === status &&
        stored.owner === undefined &&
        stored.messages === 0 &&
        stored.controls === 0 &&
        stored.setAside === undefined,
    )
  }

  #evictable(parent: SessionId | undefined): StoredSession | undefined {
    const [expiredKey] = this.#expired
    if (expiredKey !== undefined) return this.#sessions.get(expiredKey)
    for (const stored of this.#sessions.values()) {
      const isFree = isUnclaimed(stored) && !stored.parked && !this.isNeeded(stored)
      if (isFree && stored.ref.session !== parent) return stored
    }
    return undefined
  }
}
