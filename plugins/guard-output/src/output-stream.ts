import { type Finding, inOrder, type Reader, type Review } from './review.ts'
import { mayHoldPatterns } from './scan.ts'
import { linksSettled, numbersSettled, wholeHandles } from './settle.ts'
import { redacted } from './withhold.ts'

/** What was already let go and may still say what a number is: the head of a table, the beginning of a sentence. */
const MOST_BEFORE = 8_192
const KEPT_BEFORE = 4_096
const LONG_HELD = 256
const LONG_STEP = 64
/** Of it, what a name needs to be told whose it is. */
const NEAR = 240

/** Stands behind what had left when something was found that may not leave. */
export const CUT = '\n\n[The rest of this reply was withheld: it held restricted data.]'

/**
 * A text that leaves piece by piece. Held back is the shortest end that may still become something that may not leave,
 * so that no part of it has left when that is known; however the pieces are cut.
 */
export class OutputStream {
  blocked = false
  readonly #review: Review
  readonly #reader: Reader
  readonly #found: (finding: Finding) => void
  #before = ''
  #held = ''
  /** Characters that were held when they were last looked at. */
  #looked = 0

  /** @param found told of everything that was found, once */
  constructor(review: Review, reader: Reader, found: (finding: Finding) => void = () => undefined) {
    this.#review = review
    this.#reader = reader
    this.#found = found
  }

  /** @returns what may leave now */
  push(piece: string): string {
    this.#held += piece
    // What is held for long is not looked at anew with every piece.
    if (this.blocked || (this.#held.length > LONG_HELD && this.#held.length - this.#looked < LONG_STEP)) return ''
    const out = this.#release(this.#settled())
    this.#looked = this.#held.length
    return out
  }

  flush(): string {
    return this.blocked ? '' : this.#release(this.#held.length)
  }

  #settled(): number {
    const known = this.#review.known(this.#reader)
    return wholeHandles(this.#held, Math.min(numbersSettled(this.#held), linksSettled(this.#held), known.settled(this.#held)))
  }

  #release(settled: number): string {
    if (settled <= 0) return ''
    if (!this.#needsLook()) return this.#letGo(this.#held.slice(0, settled), this.#held.slice(settled))
    const from = this.#before.length
    const text = this.#before + this.#held
    const findings = this.#findings(text, from, from + settled)
    // What begins here and ends behind it waits with its end.
    const upto = findings.reduce((least, { start, end }) => (end > from + settled && start >= from ? Math.min(least, start) : least), from + settled)
    const own = findings.filter(({ start }) => start < upto)
    for (const finding of own) this.#found(finding)
    const block = own.find(({ action }) => action === 'block')
    if (!block) {
      this.#letGo(text.slice(from, upto), text.slice(upto))
      return redacted(text, own, from, upto)
    }
    this.blocked = true
    this.#held = ''
    return redacted(text, own, from, Math.max(from, block.start)) + CUT
  }

  /** Most pieces hold nothing that anything could be found in. */
  #needsLook(): boolean {
    return mayHoldPatterns(this.#held) || this.#held.includes('://') || this.#review.known(this.#reader).touches(this.#held)
  }

  #letGo(text: string, held: string): string {
    this.#before += text
    if (this.#before.length > MOST_BEFORE) this.#before = this.#before.slice(-KEPT_BEFORE)
    this.#held = held
    return text
  }

  /** What is in `text` between two places, found with what stands around it. */
  #findings(text: string, from: number, upto: number): readonly Finding[] {
    const near = Math.max(0, from - NEAR)
    const part = text.slice(near)
    const values = this.#review.known(this.#reader).touches(this.#held) ? this.#review.values(part, this.#reader) : []
    const around = [...values, ...this.#review.links(part, this.#reader)]
    const shifted = around.map((one) => ({ ...one, start: one.start + near, end: one.end + near }))
    const numbers = mayHoldPatterns(this.#held) ? this.#review.patterns(text) : []
    return inOrder([...numbers, ...shifted].filter(({ start, end }) => end > from && start < upto))
  }
}
