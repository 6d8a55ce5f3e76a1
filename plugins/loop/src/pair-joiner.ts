/**
 * The pieces of one streamed text, without a pair of surrogates that is cut between two of them:
 * the first half waits for the second. Providers cut where their tokens end.
 */
export class PairJoiner {
  #first = ''

  /** As much of the text as is complete. */
  push(delta: string): string {
    const text = this.#first + delta
    const isOpen = /[\uD800-\uDBFF]$/.test(text)
    this.#first = isOpen ? text.slice(-1) : ''
    return (isOpen ? text.slice(0, -1) : text).toWellFormed()
  }

  /** A half that nothing came for. */
  flush(): string {
    const rest = this.#first.toWellFormed()
    this.#first = ''
    return rest
  }
}
