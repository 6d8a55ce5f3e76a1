/** Bytes that may be written for each byte of an answer. */
const RATIO = 2
/** Bytes that a short answer may take besides. */
const ALLOWANCE = 1_500

/**
 * How much may be written for an answer. A line that is repainted with every word costs many times
 * its bytes, so that open lines are shown only as far as the budget goes; finished lines always
 * are.
 */
export class RepaintBudget {
  readonly #written: () => number
  #from: number
  #text = 0

  /** @param written bytes written to the terminal so far */
  constructor(written: () => number) {
    this.#written = written
    this.#from = written()
  }

  /** Another turn begins. */
  reset(): void {
    this.#from = this.#written()
    this.#text = 0
  }

  /** @param bytes of the answer so far */
  grow(bytes: number): void {
    this.#text = Math.max(this.#text, bytes)
  }

  get isWithin(): boolean {
    return this.#written() - this.#from <= ALLOWANCE + RATIO * this.#text
  }
}
