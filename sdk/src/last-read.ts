import { timeLimit } from './time.ts'
import type { Failure, Logger, Result } from '@amodal/kernel'
import type { Database } from './ports/database.ts'

/** ms after which a value is read again, should word of a change have been lost. */
const FRESH_MS = 30_000
/** Values that are kept. */
const MOST = 2_000
const TELL_MS = 5_000

/**
 * How other instances on the same database hear of a change; `name` says whose values these are.
 */
export interface ReadElsewhere {
  readonly database: Database
  readonly name: string
  readonly log: Logger
}

/**
 * Values as they were last read, so that a turn for which nothing has changed costs no statement.
 * Whoever changes one says so with `changed`, here and on the other instances.
 *
 * @example
 * const notes = await kept.get(owner, () => store.list(signal))
 */
export class LastRead<T> {
  readonly #kept = new Map<
    string,
    { readonly at: number; readonly read: Promise<Result<T, Failure>> }
  >()
  readonly #elsewhere: ReadElsewhere | undefined

  /** @param elsewhere left out where this process alone has the values */
  constructor(elsewhere?: ReadElsewhere) {
    this.#elsewhere = elsewhere
  }

  /** Hears what others have changed. @returns ends it */
  listen(): (() => void) | undefined {
    return this.#elsewhere?.database.listen(channelOf(this.#elsewhere), (key) => this.#forget(key))
  }

  /** @param key whose value it is; a failure is not kept */
  async get(key: string, read: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
    const known = this.#kept.get(key)
    if (known && performance.now() - known.at < FRESH_MS) {
      const kept = await known.read
      if (kept.ok) return kept
    }
    const entry = { at: performance.now(), read: read() }
    if (this.#kept.size >= MOST) this.#kept.clear()
    this.#kept.set(key, entry)
    const value = await entry.read
    if (!value.ok && this.#kept.get(key) === entry) this.#kept.delete(key)
    return value
  }

  #forget(key: string): void {
    this.#kept.delete(key)
  }

  changed(key: string): void {
    this.#forget(key)
    if (!this.#elsewhere) return
    const { database, name, log } = this.#elsewhere
    void database
      .notify(channelOf(this.#elsewhere), key, timeLimit(TELL_MS, 'telling the other instances'))
      .then((told) => {
        if (!told.ok)
          log.warn(`${name}.not_told`, { code: told.error.code, message: told.error.message })
      })
  }
}

const channelOf = ({ name }: ReadElsewhere): string => `amodal_${name}`
