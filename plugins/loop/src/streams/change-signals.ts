import { sleep } from '@amodal/sdk'

/** Wakes the readers of a session; one per process. */
export class ChangeSignals {
  readonly #waiting = new Map<string, Set<() => void>>()

  wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }

  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.wake(key)
  }

  async wait(key: string, ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const wake = (): void => stop.abort()
    const set = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, set.add(wake))
    await sleep(ms, AbortSignal.any([stop.signal, signal]))
    set.delete(wake)
    if (set.size === 0) this.#waiting.delete(key)
  }
}
