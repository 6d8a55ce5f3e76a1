/** Characters that may be scanned for each character of a text that is no reply. */
const FOR_EACH = 256
const FOR_ANY_TEXT = 1_000_000
/** A finding is as much work as so many characters. */
const FINDING = 64

/**
 * Counts scanned characters: a measure of work that is, unlike time, the same on each machine.
 *
 * @example
 * const work = new Work(1_000)
 * work.scan(text.length)
 * if (work.exceeded) return undefined
 */
export class Work {
  scanned = 0
  readonly #budget: number

  /** @param budget characters that may be scanned */
  constructor(budget: number) {
    this.#budget = budget
  }

  static forText({ length }: { readonly length: number }): Work {
    return new Work(FOR_ANY_TEXT + length * FOR_EACH)
  }

  get exceeded(): boolean {
    return this.scanned > this.#budget
  }

  scan(characters: number): void {
    this.scanned += characters
  }

  find(): void {
    this.scanned += FINDING
  }
}
