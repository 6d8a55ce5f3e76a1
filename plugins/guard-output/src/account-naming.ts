import { AHEAD, END_OF_SENTENCE } from './sentence.ts'
import { type Kind, type Token, tokensIn } from './account-lexicon.ts'

/** Characters before a number in which it may be named. */
const BACK = 120
const MOST_WORDS = 16
/** Words behind a number that may say what it is. */
const MOST_BEHIND = 6

/** What the words before a number say of it. */
export interface Naming {
  /** The nearest word that names an account, if no other number stands between. */
  readonly label: Token | undefined
  /** Words between that say nothing. */
  readonly strange: number
  /** `number`, or a sign for it, stands between, or beside the name. */
  readonly numbered: boolean
  /** The first word of any meaning before the number. */
  readonly nearest: Kind | undefined
  readonly nearestWord: string
  /** Numbers between that word and this one. */
  readonly numbersBetween: number
  readonly strangeToNearest: number
  /** Something before it speaks of banks, and of accounts. */
  readonly ofBanks: boolean
  readonly ofAccounts: boolean
  readonly ofPhones: boolean
}

const OF_BANKS: ReadonlySet<Kind> = new Set<Kind>(['precise', 'bank', 'brand', 'code'])
const LETTER = /[\p{L}\p{M}]/u
const NUMBER_BETWEEN = /\d{2}|\d(?!\))/
/** The name of a tag says nothing, if it is none of an account. */
const TAG = /<\/?$/
const PHONE = /^(?:call|phone|telef|tel$|fax|mobil|cell|телеф|тел$|факс|τηλ|sdt|电话|電話|전화|โทร)/
const END = /[.!?]["')\]]?\s+$/
/**
 * Letters that a code begins with name nothing, also where they are those of a bank, as in
 * `HDFC0001234`.
 */
const isOfCode = ({ kind }: Token, gap: string): boolean =>
  (kind === 'word' || kind === 'brand') && /^\d/.test(gap)
const isCapital = (char: string): boolean => /\p{Lu}/u.test(char)

/** Reads the words of a text once, however many numbers stand in it. */
export class Namings {
  readonly #text: string
  #tokens: Token[] = []
  #upto = 0

  constructor(text: string) {
    this.#text = text
  }

  before(start: number): Naming {
    this.#readUpto(start)
    const seen = new Seen()
    let at = start
    for (let index = this.#tokens.length - 1; index >= 0; index--) {
      const token = this.#tokens[index]
      if (!token || token.start < start - BACK || seen.words >= MOST_WORDS) break
      if (token.end > start) continue
      const gap = this.#text.slice(token.end, at)
      if (seen.ended(token, gap, isCapital(this.#text.charAt(at)))) break
      seen.add(token, gap, TAG.test(this.#text.slice(Math.max(0, token.start - 2), token.start)))
      at = token.start
    }
    return seen
  }

  /** What is said behind, up to the end of the sentence. */
  behind(end: number): readonly Token[] {
    const ahead = this.#text.slice(end, end + AHEAD)
    const stop = ahead.search(END_OF_SENTENCE)
    const tokens = tokensIn(this.#text, end, end + (stop === -1 ? ahead.length : stop))
    return tokens.slice(0, MOST_BEHIND)
  }

  /** Numbers come in order, so that what was read for one is there for the next. */
  #readUpto(start: number): void {
    let from = Math.max(this.#upto, start - BACK)
    if (from > this.#upto) {
      this.#tokens = []
      // not from the middle of a word
      while (from < start && LETTER.test(this.#text.charAt(from - 1))) from++
    }
    if (start <= from) return
    this.#tokens.push(...tokensIn(this.#text, from, start))
    if (this.#tokens.length > 4 * BACK)
      this.#tokens = this.#tokens.filter((token) => token.start >= start - BACK)
    this.#upto = start
  }
}

class Seen implements Naming {
  label: Token | undefined
  strange = 0
  numbered = false
  nearest: Kind | undefined
  nearestWord = ''
  numbersBetween = 0
  strangeToNearest = 0
  ofBanks = false
  ofAccounts = false
  ofPhones = false
  words = 0
  #strange = 0
  #numbers = 0
  #owned = false
  #labelled = 0
  #lines = 0

  /** Whether a sentence has ended between a word and what follows it. */
  ended({ kind }: Token, gap: string, capital: boolean): boolean {
    if (/\n\s*\n/.test(gap)) this.#strange += 2
    return capital && END.test(gap) && (kind === 'word' || kind === 'link')
  }

  add(token: Token, gap: string, tag: boolean): void {
    const { kind } = token
    this.words++
    if (NUMBER_BETWEEN.test(gap)) this.#numbers++
    this.#lines += gap.includes('\n') ? 1 : 0
    if (OF_BANKS.has(kind) && this.#lines < 2) this.ofBanks = true
    if (kind === 'account' && this.#lines < 2) this.ofAccounts = true
    if (kind === 'other' && this.#lines === 0 && PHONE.test(token.word)) this.ofPhones = true
    if (kind === 'link' || isOfCode(token, gap)) return
    if (kind === 'word') {
      // nor are initials
      if (!tag && token.word.length > 1) this.#strange++
      return
    }
    if (kind === 'number') {
      // beside the name, on either side of it
      if (this.#numbers === 0 && (!this.label || this.words - this.#labelled < 3))
        this.numbered = true
      return
    }
    if (this.nearest === undefined) {
      this.nearest = kind
      this.nearestWord = token.word
      this.numbersBetween = this.#numbers
      this.strangeToNearest = this.#strange
    }
    if (kind === 'other' || kind === 'code') this.#owned = true
    const isName = kind === 'precise' || kind === 'account'
    if (isName && !this.label && !this.#owned && this.#numbers === 0) {
      this.label = token
      this.strange = this.#strange
      this.#labelled = this.words
    } else if (
      isName &&
      this.label?.kind === 'account' &&
      kind === 'precise' &&
      this.#numbers === 0 &&
      !this.#owned
    ) {
      this.label = token
    }
  }
}
