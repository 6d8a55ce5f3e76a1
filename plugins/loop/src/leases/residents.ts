import type { SessionScope } from '@amodal/sdk'
import type { History } from '../run/history.ts'

/** The estimated size of the services of a session. */
const SCOPE_BYTES = 4_096

/**
 * The most sessions whose services are retained; a scope takes more memory than a short history.
 */
const MOST_SCOPES = 100

/** An idle session. Services that were never used are not retained. */
export interface Resident {
  readonly history: History
  readonly scope: SessionScope | undefined
}

/**
 * A cache of idle sessions: histories, which the journal can rebuild, and services. Limited by
 * memory size.
 */
export class Residents {
  /** The most bytes. */
  readonly limit: number
  readonly #residents = new Map<
    string,
    Resident & { readonly head: number; readonly bytes: number }
  >()
  /** Keys of sessions with services, the oldest first. */
  readonly #scoped = new Set<string>()
  #bytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get size(): number {
    return this.#residents.size
  }

  /** The estimated memory size. */
  get bytes(): number {
    return this.#bytes
  }

  /** Removes and returns a session, unless another owner has written since. */
  take(key: string, head: number): Resident | undefined {
    const found = this.#remove(key)
    if (found?.head === head) return found
    void found?.scope?.close()
    return undefined
  }

  /** @returns whether it is retained; if not, the caller has to close its services */
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

  /** Closes the services of the session that was used least recently; its history is retained. */
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
