import type { Failure, Result } from '@amodal/kernel'

/** ms after which a value is read again, should word of a change have been lost. */
const FRESH_MS = 30_000
/** Values that are kept. */
const MOST = 2_000

/**
 * Values as they were last read, so that a turn for which nothing has changed costs no statement. Whoever changes one says
 * so with `forget`, here and on the other instances.
 *
 * @example
 * const notes = await kept.get(owner, () => store.list(signal))
 */
export class LastRead<T> {
  readonly #kept = new Map<string, { readonly at: number; readonly read: Promise<Result<T, Failure>> }>()

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

  forget(key: string): void { this.#kept.delete(key) }
}
