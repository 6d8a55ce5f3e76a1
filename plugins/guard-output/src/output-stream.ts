import { unescaped } from './decode.ts'
import { fold } from './fold.ts'
import { beforeHandle } from './handles.ts'
import { LONGEST_LABEL } from './labels.ts'
import { normalise } from './normalise.ts'
import { beginsAtEnd } from './open-number.ts'
import { redactPart } from './redact.ts'
import { type Finding, type Reader, type Review, WORK_EXCEEDED } from './review.ts'
import { scan, type Search } from './scan.ts'
import type { Span } from './span.ts'
import { CONTEXT } from './value-match.ts'
import { type Candidate, ValueMatcher } from './value-matcher.ts'
import { Work } from './work.ts'

/** Follows the emitted part of a reply that was cut because of restricted data. */
export const CUT = '\n\n[The rest of this reply was withheld: it held restricted data.]'
/** Follows the emitted part of a reply that took too much work to scan. */
export const CUT_FOR_WORK =
  '\n\n[The rest of this reply was withheld: it took too much work to look at.]'

/** Characters of emitted text that may say what follows: a label, the entity of a name. */
const BEFORE = CONTEXT + 12
const MOST_HELD = 65_536
/** What is held is scanned when it has grown by so much, or when a part of it can be released. */
const STEP = 1_024
/** Longer runs without a space are read in parts, each with the end of the part before. */
const LONGEST_UNIT = 2_048
const OVERLAP = 1_024
/** A run without a space and the space; in scripts without spaces, up to a character. */
const UNIT = new RegExp(
  String.raw`[^\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]{0,${LONGEST_UNIT - 1}}[\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]|\S{${LONGEST_UNIT}}`,
  'y',
)
/** A word that has begun, and whose end changes nothing where no values are tracked. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]{2,40}[.,;:!?…'"()]*$/
/** Units in which nothing is ever found where no values are tracked. */
const WORDS = /(?:[A-Za-z]?[a-z.,;:!?'"()]{0,40}\s)+/y
const ENDS_UNIT = /[\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/
/** Whether a unit may hold what a scan finds besides tracked values: digits, signs, an encoding. */
const NEEDS_SCAN = /[\p{Nd}@%&\\]|^(?=\S{8})\S+[A-Z]/u
/** A line of base64 that the next line may go on with has so many signs. */
const BASE64_LINE = 16
const BASE64_SIGN = /[A-Za-z\d+/_-]/

/**
 * Redacts a text that is pushed in pieces. It is read by units, such as a word, whatever the pieces
 * are, so the result is that of the whole text. The shortest end that may still become a finding is
 * held back. Each character is scanned a few times, and no more.
 */
export class OutputStream {
  blocked = false
  readonly #review: Review
  readonly #reader: Reader
  readonly #found: (finding: Finding) => void
  readonly #search: Search
  /** Pushed, and not a whole unit yet. */
  #pending = ''
  /** Whole units that are not released. */
  #held = ''
  /** Characters of the reply before what is held. */
  #base = 0
  /** The end of what was released, as it came. */
  #before = ''
  /** Characters of what is held that were scanned, and have to wait. */
  #scanned = 0
  #needsScan = false
  /** Values that what follows may still name. */
  readonly #unnamed: Span[] = []
  readonly #plain: ValueMatcher
  /** Reads escapes and entities, from the first one in what is held. */
  #unescaped: ValueMatcher | undefined

  /** @param found called once for every finding */
  constructor(review: Review, reader: Reader, found: (finding: Finding) => void = () => undefined) {
    this.#review = review
    this.#reader = reader
    this.#found = found
    const { kinds, budget } = review.settings
    this.#search = { index: review.index(reader), kinds, work: new Work(budget) }
    this.#plain = new ValueMatcher(this.#search.index, this.#search.work)
  }

  /** Characters that were scanned so far. */
  get scanned(): number {
    return this.#search.work.scanned
  }

  /** @returns the text that may be emitted now */
  push(piece: string): string {
    if (this.blocked) return ''
    const text = this.#pending + piece
    if (text.length < LONGEST_UNIT && !ENDS_UNIT.test(piece)) {
      this.#pending = text
      return this.#plainWord()
    }
    let out = ''
    let at = 0
    while (at < text.length && !this.blocked) {
      const words = this.#wordsAt(text, at)
      UNIT.lastIndex = at
      const unit = words === '' ? UNIT.exec(text)?.[0] : words
      if (unit === undefined) break
      at += unit.length
      out += words === '' ? this.#read(unit) : this.#release(unit, unit.length)
    }
    this.#pending = this.blocked ? '' : text.slice(at)
    return out + this.#plainWord()
  }

  /** What is pending, where it is a plain word: a reply that stalls is shown up to there. */
  #plainWord(): string {
    const word = this.#pending
    const isOpen =
      this.#held !== '' || !this.#search.index.isEmpty || this.#search.kinds.includes('email')
    if (isOpen || !PLAIN_WORD.test(word)) return ''
    this.#pending = ''
    this.#search.work.scan(word.length)
    return this.#release(word, word.length)
  }

  flush(): string {
    if (this.blocked) return ''
    const last = this.#pending
    this.#pending = ''
    this.#held += last
    this.#needsScan = true
    return this.#held === '' ? '' : this.#releaseUpto(this.#held.length)
  }

  /** Plain words at a place, if nothing is held that they could belong to. */
  #wordsAt(text: string, at: number): string {
    if (this.#held !== '' || !this.#search.index.isEmpty) return ''
    WORDS.lastIndex = at
    const words = WORDS.exec(text)?.[0] ?? ''
    this.#search.work.scan(words.length)
    return words
  }

  #read(unit: string): string {
    this.#held += unit
    this.#search.work.scan(unit.length)
    this.#needsScan ||= NEEDS_SCAN.test(unit)
    if (!this.#search.index.isEmpty) this.#follow(unit)
    const open = this.#openFrom(unit)
    const waiting = this.#held.length - open
    const grown = this.#held.length - this.#scanned
    const isWorthwhile =
      waiting * 2 <= open || !this.#needsScan || grown >= Math.max(STEP, waiting / 4)
    if (open === 0 || !isWorthwhile) return this.#limited('')
    const upto = this.#outsideOfCharacter(beforeHandle(this.#held, open))
    return this.#limited(upto === 0 ? '' : this.#releaseUpto(upto))
  }

  /** Follows the values that have begun, as they stand and with escapes read. */
  #follow(unit: string): void {
    const start = this.#held.length - unit.length
    const before = this.#held.charAt(start - 1) || this.#before.slice(-1)
    const plain = normalise(unit)
    const placeOf = (index: number): number => this.#base + start + plain.at(index)
    const once = unescaped(plain.text)
    if (once && !this.#unescaped) this.#unescaped = this.#plain.fork()
    if (this.#unescaped) {
      const twice = once && unescaped(once.text)
      const inPlain = (index: number): number => once?.at(twice?.at(index) ?? index) ?? index
      const text = twice?.text ?? once?.text ?? plain.text
      this.#note(this.#unescaped.read(text, fold(text), before, (index) => placeOf(inPlain(index))))
    }
    this.#note(this.#plain.read(plain.text, fold(plain.text), before, placeOf))
  }

  #note(candidates: readonly Candidate[]): void {
    for (const { tracked, origin } of candidates) {
      this.#needsScan = true
      if (tracked.needsContext)
        this.#unnamed.push({ start: origin, end: this.#base + this.#held.length })
    }
  }

  /** Where what may still become a finding begins in what is held. */
  #openFrom(unit: string): number {
    const held = this.#held
    const end = this.#base + held.length
    while ((this.#unnamed[0]?.end ?? end) < end - CONTEXT) this.#unnamed.shift()
    const begun = this.#unnamed.reduce(
      (least, { start }) => Math.min(least, start),
      Math.min(this.#plain.begunAt, this.#unescaped?.begunAt ?? Infinity),
    )
    let open = Math.min(held.length, Math.max(0, begun - this.#base))
    if (unit.length === LONGEST_UNIT) open = Math.min(open, held.length - OVERLAP)
    if (unit.endsWith('\n')) open = Math.min(open, this.#base64Start())
    return this.#needsScan ? Math.min(open, beginsAtEnd(held)) : open
  }

  /** Where lines of base64 begin that go on to the end of what is held. */
  #base64Start(): number {
    const text = this.#held
    const least = Math.max(0, text.length - OVERLAP)
    let start = text.length
    while (start > least && text[start - 1] === '\n') {
      const end = start - (text[start - 2] === '\r' ? 2 : 1)
      let begin = end
      while (begin > least && BASE64_SIGN.test(text.charAt(begin - 1))) begin--
      if (end - begin < BASE64_LINE) break
      start = begin
    }
    return start
  }

  #releaseUpto(upto: number): string {
    if (this.#search.work.exceeded) return this.#cut('', WORK_EXCEEDED)
    if (!this.#needsScan) return this.#release(this.#held, upto)
    const from = this.#before.length
    const text = this.#before + this.#held
    const found = this.#review.judge(text, scan(text, this.#search, from), this.#reader)
    if (this.#search.work.exceeded) return this.#cut('', WORK_EXCEEDED)
    const own = found.map((one) => ({
      ...one,
      start: Math.max(0, one.start - from),
      end: one.end - from,
    }))
    const isAll = upto === this.#held.length
    // What begins before and ends behind waits with its end.
    const last = own.reduce(
      (least, { start, end }) => (!isAll && end > upto ? Math.min(least, start) : least),
      upto,
    )
    return this.#redacted(
      own.filter(({ start }) => start < last),
      last,
    )
  }

  #redacted(findings: readonly Finding[], upto: number): string {
    const held = this.#held
    const block = findings.find(({ action }) => action === 'block')
    for (const finding of findings) {
      this.#found(finding)
      if (finding === block) break
    }
    if (block) return this.#end(redactPart(held, findings, 0, block.start) + CUT)
    const text = this.#release(held, upto)
    return findings.length === 0 ? text : redactPart(held, findings, 0, upto)
  }

  /** @param text what is held, or words that were not held */
  #release(text: string, upto: number): string {
    const released = text.slice(0, upto)
    const most = this.#search.index.isEmpty ? LONGEST_LABEL : BEFORE
    this.#before = (this.#before + released.slice(-most)).slice(-most)
    this.#base += released.length
    this.#held = text.slice(upto)
    this.#scanned = this.#held.length
    if (this.#held === '') {
      this.#needsScan = false
      this.#unescaped = undefined
    }
    return released
  }

  #outsideOfCharacter(place: number): number {
    return /[\ud800-\udbff]/.test(this.#held.charAt(place - 1)) ? place - 1 : place
  }

  #limited(out: string): string {
    if (this.blocked) return out
    return this.#search.work.exceeded || this.#held.length > MOST_HELD
      ? this.#cut(out, WORK_EXCEEDED)
      : out
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
}
