/**
 * Reads for all who ask at the same time. Whoever asks while it is read gets the next reading,
 * which begins behind this one: so everybody has what was there when they asked.
 */
export class JointReading<T> {
  readonly #read: () => Promise<T>
  #now: Promise<T> | undefined
  #next: Promise<T> | undefined

  /** @param read never rejects */
  constructor(read: () => Promise<T>) {
    this.#read = read
  }

  read(): Promise<T> {
    if (!this.#now) return this.#begin()
    this.#next ??= this.#now.then(() => {
      this.#next = undefined
      return this.#begin()
    })
    return this.#next
  }

  #begin(): Promise<T> {
    const now = this.#read().finally(() => {
      if (this.#now === now) this.#now = undefined
    })
    this.#now = now
    return now
  }
}
