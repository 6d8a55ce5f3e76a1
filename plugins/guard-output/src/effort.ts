/**
 * Characters that may be scanned for each character of a text: far more than any text needs that is
 * not crafted to be slow.
 */
const MOST_FOR_EACH = 256
const MOST_FOR_ANY = 1_000_000

/**
 * Counts the characters that are scanned: a measure of work that is, unlike time, the same on each
 * machine.
 *
 * @example
 * const effort = new Effort(1_000)
 * effort.add(text.length)
 * if (effort.exceeded) return 'nothing of this may leave'
 */
export class Effort {
  looked = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  static forText({ length }: { readonly length: number }): Effort {
    return new Effort(MOST_FOR_ANY + length * MOST_FOR_EACH)
  }

  get exceeded(): boolean {
    return this.looked > this.#most
  }

  add(characters: number): void {
    this.looked += characters
  }
}
