import { timeLimit } from './time.ts'
import type { Failure, Logger, Result } from '@amodal/kernel'
import type { Database } from './ports/database.ts'

/** ms after which a value is read anew, in case a notification was lost. */
const FRESH_MS = 30_000
/** Maximum number of cached values. */
const MOST = 2_000
const NOTIFY_MS = 5_000

/**
 * How other instances on the same database are notified of a change; `name` names the values.
 */
export interface ReadElsewhere {
  readonly database: Database
  readonly name: string
  readonly log: Logger
}

/**
 * A cache of values that are read from a database, so that a turn without changes needs no
 * statement. A writer calls `changed`, which invalidates the value here and on the other instances.
 *
 * @example
 * const list = await notes.get(owner, () => store.list(signal))
 */
export class LastRead<T> {
  readonly #entries = new Map<
    string,
    { readonly at: number; readonly read: Promise<Result<T, Failure>> }
  >()
  readonly #elsewhere: ReadElsewhere | undefined

  /** @param elsewhere omitted when no other process has the values */
  constructor(elsewhere?: ReadElsewhere) {
    this.#elsewhere = elsewhere
  }

  /** Listens for changes on other instances. @returns ends it */
  listen(): (() => void) | undefined {
    return this.#elsewhere?.database.listen(channelOf(this.#elsewhere), (key) => this.#forget(key))
  }

  /** @param key whose value it is; a failure is not cached */
  async get(key: string, read: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
    const known = this.#entries.get(key)
    if (known && performance.now() - known.at < FRESH_MS) {
      const cached = await known.read
      if (cached.ok) return cached
    }
    const entry = { at: performance.now(), read: read() }
    if (this.#entries.size >= MOST) this.#entries.clear()
    this.#entries.set(key, entry)
    const value = await entry.read
    if (!value.ok && this.#entries.get(key) === entry) this.#entries.delete(key)
    return value
  }

  #forget(key: string): void {
    this.#entries.delete(key)
  }

  changed(key: string): void {
    this.#forget(key)
    if (!this.#elsewhere) return
    const { database, name, log } = this.#elsewhere
    void database
      .notify(
        channelOf(this.#elsewhere),
        key,
        timeLimit(NOTIFY_MS, 'notifying the other instances'),
      )
      .then((notified) => {
        if (!notified.ok)
          log.warn(`${name}.not_told`, {
            code: notified.error.code,
            message: notified.error.message,
          })
      })
  }
}

const channelOf = ({ name }: ReadElsewhere): string => `amodal_${name}`
