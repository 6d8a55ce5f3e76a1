import type { Folded } from './fold.ts'
import { opensWord } from './span.ts'
import type { TrackedValue } from './tracked-value.ts'
import type { Range, ValueIndex } from './value-index.ts'
import type { Work } from './work.ts'

/** Between two characters of a value stands no more. */
export const WIDEST_GAP = 12

/** A value whose characters stand in a text; `first` and `last` count folded characters. */
export interface Candidate {
  readonly tracked: TrackedValue
  readonly first: number
  readonly last: number
  /** Where it begins, as the caller counts places. */
  readonly origin: number
}

/** Values that have begun in a text. */
interface Begun extends Range {
  readonly first: number
  readonly depth: number
  readonly origin: number
}

interface Last {
  readonly code: number
  readonly place: number
  readonly origin: number
  /** Whether a value may begin with it. */
  readonly opens: boolean
}

const NOTHING: Last = { code: 0, place: -Infinity, origin: 0, opens: false }

/**
 * Finds tracked values in a text that comes in parts, and knows where a value has begun whose end
 * is still to come.
 */
export class ValueMatcher {
  readonly #index: ValueIndex
  readonly #work: Work
  #begun: Begun[] = []
  #count = 0
  /** Characters of the parts so far. */
  #length = 0
  #last = NOTHING

  constructor(index: ValueIndex, work: Work) {
    this.#index = index
    this.#work = work
  }

  /** The same state once more, which goes on by itself. */
  fork(): ValueMatcher {
    const copy = new ValueMatcher(this.#index, this.#work)
    copy.#begun = this.#begun
    copy.#count = this.#count
    copy.#length = this.#length
    copy.#last = this.#last
    return copy
  }

  /** Where the first value begins that the next part may go on with. */
  get begunAt(): number {
    if (this.#isBehindGap(this.#length)) return Infinity
    const last = this.#last.opens ? this.#last.origin : Infinity
    return this.#begun.reduce((least, { origin }) => Math.min(least, origin), last)
  }

  /**
   * Reads the next part of the text.
   *
   * @param before the character before it
   * @param originOf where a character of it stands, as the caller counts places
   * @returns values that end in this part; what stands around them is not looked at
   */
  read(
    text: string,
    folded: Folded,
    before = '',
    originOf: (place: number) => number = (place) => place,
  ): readonly Candidate[] {
    const found: Candidate[] = []
    for (let at = 0; at < folded.length && !this.#work.exceeded; at++) {
      const place = folded.places[at] ?? 0
      const opens =
        place > 0 || before === '' ? opensWord(text, place) : opensWord(before + text.charAt(0), 1)
      const last = { code: folded.codes[at] ?? 0, place: this.#length + place, opens }
      this.#push({ ...last, origin: originOf(place) }, found)
    }
    this.#length += text.length
    return found
  }

  #push(next: Last, found: Candidate[]): void {
    if (this.#isBehindGap(next.place)) {
      if (this.#begun.length > 0) this.#begun = []
      this.#last = NOTHING
    }
    if (this.#begun.length > 0 || this.#last.opens) this.#advance(next.code, found)
    this.#last = next.opens && this.#index.beginsWith(next.code) ? next : { ...next, opens: false }
    this.#count++
  }

  #isBehindGap(place: number): boolean {
    return place - this.#last.place - 1 > WIDEST_GAP
  }

  #advance(code: number, found: Candidate[]): void {
    this.#work.scan(this.#begun.length)
    const begun: Begun[] = []
    const add = (range: Range | undefined, first: number, depth: number, origin: number): void => {
      if (!range) return
      for (const tracked of this.#index.complete(range, depth))
        found.push({ tracked, first, last: this.#count, origin })
      begun.push({ ...range, first, depth, origin })
    }
    for (const one of this.#begun)
      add(this.#index.narrow(one, one.depth, code), one.first, one.depth + 1, one.origin)
    const { opens, code: lastCode, origin } = this.#last
    if (opens) add(this.#index.startingWith(lastCode, code), this.#count - 1, 2, origin)
    this.#begun = begun
  }
}
