import type { History } from './history.ts'

/** Histories of idle sessions that may be needed again: a cache the journal can rebuild, capped by size. */
export class Residents {
  readonly #max: number
  readonly #kept = new Map<string, { readonly history: History; readonly head: number; readonly chars: number }>()
  #chars = 0

  constructor(maxChars: number) { this.#max = maxChars }

  get size(): number { return this.#kept.size }

  /** Gives it out, if nobody has written since: the owner keeps it while it works. */
  take(key: string, head: number): History | undefined {
    const found = this.#kept.get(key)
    this.drop(key)
    return found?.head === head ? found.history : undefined
  }

  keep(key: string, history: History, head: number): void {
    this.drop(key)
    if (history.stale) return
    this.#kept.set(key, { history, head, chars: history.chars })
    this.#chars += history.chars
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= this.#max) return
      this.drop(oldest)
    }
  }

  drop(key: string): void {
    const found = this.#kept.get(key)
    if (!found) return
    this.#kept.delete(key)
    this.#chars -= found.chars
  }
}
