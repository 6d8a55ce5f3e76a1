/** Scanning a shorter text again is as fast as a look-up here. */
const LEAST_CHARS = 4_096
const MOST_TEXTS = 4
/** Characters of all cached texts together. */
const MOST_CHARS = 4_000_000

interface CleanText {
  readonly text: string
  readonly by: object
}

/**
 * Cache of long texts that were scanned recently without a match. Arguments of a call are scanned
 * for the guard, the journal and the client; only the first scan has to do the work.
 *
 * @example
 * const clean = new CleanTexts()
 * clean.add(text, scanner)
 * clean.has(text, scanner) // true
 */
export class CleanTexts {
  readonly #kept: CleanText[] = []

  /** @param by the scanner, while it knows the same values: another object where it knows more */
  has(text: string, by: object): boolean {
    return (
      text.length >= LEAST_CHARS && this.#kept.some((one) => one.by === by && one.text === text)
    )
  }

  add(text: string, by: object): void {
    if (text.length < LEAST_CHARS || text.length > MOST_CHARS) return
    this.#kept.push({ text, by })
    let chars = this.#kept.reduce((sum, one) => sum + one.text.length, 0)
    while (this.#kept.length > MOST_TEXTS || chars > MOST_CHARS)
      chars -= this.#kept.shift()?.text.length ?? chars
  }
}

/** Short texts of one scanner. */
const MOST_SHORT = 16

/**
 * The texts in which one scanner found nothing: its own short ones, and its part of the long ones
 * that all scanners share.
 *
 * @example
 * const seen = new CleanMemory(shared)
 * if (seen.has(text)) return []
 */
export class CleanMemory {
  readonly #long: CleanTexts
  readonly #short = new Set<string>()
  /** Stands for what the scanner knows now. */
  #knowledge: object = {}

  constructor(long: CleanTexts) {
    this.#long = long
  }

  has(text: string): boolean {
    return this.#short.has(text) || this.#long.has(text, this.#knowledge)
  }

  add(text: string): void {
    if (text.length >= LEAST_CHARS) return this.#long.add(text, this.#knowledge)
    this.#short.add(text)
    const [oldest] = this.#short
    if (oldest !== undefined && this.#short.size > MOST_SHORT) this.#short.delete(oldest)
  }

  /** The scanner knows more now: that it found nothing holds no longer. */
  clear(): void {
    this.#short.clear()
    this.#knowledge = {}
  }
}
