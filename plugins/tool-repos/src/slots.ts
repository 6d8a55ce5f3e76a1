import { err, ok, timeLimit, type Failure, type Result } from '@amodal/sdk'
import { RepoBusy } from './errors.ts'

export interface SlotLimits {
  readonly total: number
  /** Of those with the same key. */
  readonly perKey: number
  readonly waitMs: number
}

interface Waiter {
  readonly key: string
  readonly start: () => void
}

/** More than this many do not wait. */
const MAX_WAITING = 200

/** Limits how much is done at a time, in the order in which it was requested. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #busy = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  #total = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** @returns a function that ends the use, once; `REPO_BUSY` after the wait */
  async acquire(key: string, signal: AbortSignal): Promise<Result<() => void, Failure>> {
    if (this.#isFree(key)) return ok(this.#take(key))
    if (this.#waiting.size >= MAX_WAITING) return err(BUSY)
    const limit = timeLimit(this.#limits.waitMs, 'waiting for other git processes', signal)
    const started = await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { key, start: () => resolve(true) }
      this.#waiting.add(waiter)
      limit.addEventListener(
        'abort',
        () => {
          if (this.#waiting.delete(waiter)) resolve(false)
        },
        { once: true },
      )
    })
    return started ? ok(this.#releaseOf(key)) : err(BUSY)
  }

  #isFree(key: string): boolean {
    return this.#total < this.#limits.total && (this.#busy.get(key) ?? 0) < this.#limits.perKey
  }

  #take(key: string): () => void {
    this.#count(key, 1)
    return this.#releaseOf(key)
  }

  #releaseOf(key: string): () => void {
    let released = false
    return () => {
      if (released) return
      released = true
      this.#count(key, -1)
      this.#startNext()
    }
  }

  #startNext(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree(waiter.key)) continue
      this.#waiting.delete(waiter)
      this.#count(waiter.key, 1)
      waiter.start()
    }
  }

  #count(key: string, change: 1 | -1): void {
    const count = (this.#busy.get(key) ?? 0) + change
    if (count === 0) this.#busy.delete(key)
    else this.#busy.set(key, count)
    this.#total += change
  }
}

const BUSY = RepoBusy('too many git processes run at the moment: try again')
