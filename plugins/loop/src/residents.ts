import type { SessionScope } from '@amodal/sdk'
import type { History } from './history.ts'

/** About what the services of a session take. */
const SCOPE_BYTES = 4_096

/**
 * Sessions whose services are kept, the most recently used ones: a scope takes more than a short
 * history does.
 */
const MOST_SCOPES = 100

/** A session that nobody is at work on. Services that nobody has asked for are none. */
export interface Resident {
  readonly history: History
  readonly scope: SessionScope | undefined
}

/**
 * Idle sessions that may be needed again: histories, which the journal can rebuild, and services.
 * Capped by what they take in memory.
 */
export class Residents {
  /** Bytes at most. */
  readonly limit: number
  readonly #residents = new Map<
    string,
    Resident & { readonly head: number; readonly bytes: number }
  >()
  /** Those with services, the oldest first. */
  readonly #scoped = new Set<string>()
  #bytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get size(): number {
    return this.#residents.size
  }

  /** About what they take in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Gives it out, if nobody has written since: the owner keeps it while it works. */
  take(key: string, head: number): Resident | undefined {
    const found = this.#remove(key)
    if (found?.head === head) return found
    void found?.scope?.close()
    return undefined
  }

  /** @returns whether it is kept; if not, its services are still the caller's to close */
  keep(key: string, { history, scope }: Resident, head: number): boolean {
    this.drop(key)
    const bytes = history.bytes + (scope ? SCOPE_BYTES : 0)
    if (history.stale || bytes > this.limit) return false
    this.#residents.set(key, { history, scope, head, bytes })
    this.#bytes += bytes
    if (scope) this.#scoped.add(key)
    if (this.#scoped.size > MOST_SCOPES) this.#dropScope()
    for (const oldest of this.#residents.keys()) {
      if (this.#bytes <= this.limit) break
      this.drop(oldest)
    }
    return true
  }

  drop(key: string): void {
    void this.#remove(key)?.scope?.close()
  }

  /**
   * The session that has not been used for the longest time keeps its place, and its services are
   * made anew.
   */
  #dropScope(): void {
    const [oldest = ''] = this.#scoped
    const found = this.#residents.get(oldest)
    this.#scoped.delete(oldest)
    if (!found) return
    void found.scope?.close()
    this.#residents.set(oldest, { ...found, scope: undefined, bytes: found.bytes - SCOPE_BYTES })
    this.#bytes -= SCOPE_BYTES
  }

  #remove(key: string) {
    const found = this.#residents.get(key)
    if (!found) return undefined
    this.#residents.delete(key)
    this.#scoped.delete(key)
    this.#bytes -= found.bytes
    return found
  }
}
