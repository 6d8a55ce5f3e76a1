/** So many places; who finds none waits, in order of arrival. */
export class Places {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Waits for a place. What it resolves to gives the place back, once. Rejects where `signal`
   * aborts first.
   */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    let taken = true
    return () => {
      if (taken) this.#giveBack()
      taken = false
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.delete(next)
        reject(new Error('stopped while it waited for a place', { cause: signal?.reason }))
      }
      this.#waiting.add(next)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
