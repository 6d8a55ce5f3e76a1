/**
 * Joins surrogate pairs that a stream has split between two pieces: the first half waits for the
 * second. Providers split at token boundaries.
 */
export class PairJoiner {
  #first = ''

  /** Returns the complete part of the text. */
  push(delta: string): string {
    const text = this.#first + delta
    const isOpen = /[\uD800-\uDBFF]$/.test(text)
    this.#first = isOpen ? text.slice(-1) : ''
    return (isOpen ? text.slice(0, -1) : text).toWellFormed()
  }

  /** Returns an unpaired half at the end of the text. */
  flush(): string {
    const rest = this.#first.toWellFormed()
    this.#first = ''
    return rest
  }
}
