import { Effort } from './effort.ts'
import type { PatternFinding, Span } from './finding.ts'
import { BETWEEN_TOKENS } from './leaks.ts'
import { NumberStream } from './number-stream.ts'
import { type Finding, inOrder, type Reader, type Review, WORK_EXCEEDED } from './review.ts'
import { stableLinkPrefix, avoidHandleSplit } from './stable-prefix.ts'
import { redactPart } from './redact.ts'

/** Characters of already emitted text that may name the entity of a name. */
const NEAR = 240
const MOST_NEAR = 2_048
/** Characters that are held back at most. */
const MOST_HELD = 65_536
/**
 * The held part is scanned again when it has grown by this fraction, so that no character is
 * scanned often.
 */
const GROWTH = 4
/**
 * Characters that may be scanned for each new one; beyond that, scans wait for more new characters.
 */
const USUAL = 8
const MOST_AHEAD = 2_048
const LONG_STEP = 64
/**
 * A run without a space is held until it ends, and looked at when it does or has grown by so many
 * characters.
 */
const LONG_TOKEN = 4_096

const NOTHING = { findings: [], numbers: [] } as const

/** Follows the emitted part of a reply that was cut because of restricted data. */
export const CUT = '\n\n[The rest of this reply was withheld: it held restricted data.]'
/** Follows the emitted part of a reply that took too much work to scan. */
export const CUT_FOR_WORK =
  '\n\n[The rest of this reply was withheld: it took too much work to look at.]'

/**
 * Redacts a streamed text. It holds back the shortest end that may still become a match, so that no
 * part of a match is emitted, however the stream is split. The work is linear in the text: the held
 * part is bounded, and scanned again only when it has grown by a fraction of itself.
 */
export class OutputStream {
  blocked = false
  readonly #review: Review
  readonly #reader: Reader
  readonly #found: (finding: Finding) => void
  readonly #effort: Effort
  readonly #numbers = new NumberStream()
  #near = ''
  #held = ''
  /** Characters that were held at the last scan. */
  #seen = 0
  /** Whether a space came since. */
  #space = false
  /** Characters that were looked at beyond what is usual, not yet made up for. */
  #ahead = 0

  /** @param found called once for every finding */
  constructor(review: Review, reader: Reader, found: (finding: Finding) => void = () => undefined) {
    this.#review = review
    this.#reader = reader
    this.#found = found
    this.#effort = new Effort(review.settings.budget)
  }

  /** Characters that were scanned so far. */
  get looked(): number {
    return this.#effort.looked
  }

  /** @returns the text that may be emitted now */
  push(piece: string): string {
    if (this.blocked) return ''
    this.#held += piece
    this.#space ||= BETWEEN_TOKENS.test(piece)
    if (!this.#isDue()) return ''
    const { settled, touched } = this.#look()
    return this.#released(() => this.#release(settled, touched))
  }

  flush(): string {
    return this.blocked
      ? ''
      : this.#released(() =>
          this.#release(
            this.#held.length,
            this.#review.known(this.#reader).touches(this.#held, this.#effort),
          ),
        )
  }

  #isDue(): boolean {
    const grown = this.#held.length - this.#seen
    if (grown < this.#seen / GROWTH || (this.#ahead > MOST_AHEAD && grown < LONG_STEP)) return false
    return this.#space || grown >= LONG_TOKEN || this.#review.known(this.#reader).empty
  }

  /** Up to where all judges are sure. */
  #look(): { readonly settled: number; readonly touched: boolean } {
    const { settled, touched } = this.#review.known(this.#reader).look(this.#held, this.#effort)
    this.#effort.add(this.#held.length)
    return {
      settled:
        settled === 0
          ? 0
          : avoidHandleSplit(
              this.#held,
              Math.min(settled, this.#numbers.settled(this.#held), stableLinkPrefix(this.#held)),
            ),
      touched,
    }
  }

  /** Lets go what can be, and notes what it took. */
  #released(release: () => string): string {
    const [grown, before] = [
      this.#held.length - this.#seen,
      this.#effort.looked - this.#held.length,
    ]
    const out = this.#effort.exceeded ? this.#cut('', WORK_EXCEEDED) : release()
    this.#ahead = Math.max(0, this.#ahead + this.#effort.looked - before - grown * USUAL)
    this.#seen = this.#held.length
    this.#space = false
    return this.#seen > MOST_HELD && !this.blocked ? this.#cut(out, WORK_EXCEEDED) : out
  }

  #release(settled: number, touched: boolean): string {
    if (settled <= 0) return ''
    const held = this.#held
    const { findings, numbers } = this.#findings(held, settled, touched)
    if (findings.length === 0) return this.#letGo(held, settled, numbers)
    // What begins here and ends behind it waits with its end.
    const upto = findings.reduce(
      (least, { start, end }) => (end > settled && start >= 0 ? Math.min(least, start) : least),
      settled,
    )
    const own = findings.filter(({ start }) => start < upto)
    const block = own.find(({ action }) => action === 'block')
    if (block?.what === WORK_EXCEEDED.what) return this.#cut('', block)
    for (const finding of own) this.#found(finding)
    if (block) return this.#end(redactPart(held, own, 0, Math.max(0, block.start)) + CUT)
    const text = this.#letGo(held, upto, numbers)
    return own.length === 0 ? text : redactPart(held, own, 0, upto)
  }

  #letGo(held: string, upto: number, numbers: readonly PatternFinding[]): string {
    const text = held.slice(0, upto)
    this.#numbers.letGo(text, numbers)
    this.#near += text
    if (this.#near.length > MOST_NEAR) this.#near = this.#near.slice(-NEAR)
    this.#held = held.slice(upto)
    return text
  }

  #cut(out: string, why: Omit<Finding, 'start' | 'end'>): string {
    this.#found({ start: 0, end: this.#held.length, ...why })
    return this.#end(out + CUT_FOR_WORK)
  }

  #end(out: string): string {
    this.blocked = true
    this.#held = ''
    return out
  }

  /**
   * What is held and begins before a place, found with what stands around it. Places before what is
   * held are below zero.
   */
  #findings(
    held: string,
    upto: number,
    touched: boolean,
  ): { readonly findings: readonly Finding[]; readonly numbers: readonly PatternFinding[] } {
    const mayHold = this.#numbers.mayHold(held)
    if (mayHold) this.#effort.add(NEAR + held.length)
    const numbers = mayHold ? this.#numbers.findings(held) : []
    const withLinks = held.includes('://')
    if (numbers.length === 0 && !touched && !withLinks) return NOTHING
    const textOf = ({ start, end }: Span): string =>
      (this.#near + held).slice(start + this.#near.length, end + this.#near.length)
    const judged = numbers.length === 0 ? [] : this.#review.numbers(numbers, this.#reader, textOf)
    if (!touched && !withLinks)
      return {
        numbers,
        findings: inOrder(judged).filter(({ end, start }) => end > 0 && start < upto),
      }
    const near = this.#near.slice(-NEAR)
    const part = near + held
    this.#effort.add(part.length)
    const around = [
      ...(touched ? this.#review.values(part, this.#reader, this.#effort) : []),
      ...(withLinks ? this.#review.links(part, this.#reader) : []),
    ]
    const shifted = around.map((one) => ({
      ...one,
      start: one.start - near.length,
      end: one.end - near.length,
    }))
    return {
      numbers,
      findings: inOrder(
        [...judged, ...shifted].filter(({ start, end }) => end > 0 && start < upto),
      ),
    }
  }
}
