import { endNamedAfter } from './account-candidates.ts'
import { AHEAD, END_OF_SENTENCE } from './sentence.ts'
import { Columns } from './columns.ts'
import type { PatternFinding } from './finding.ts'
import { groupsOf } from './numbers.ts'
import { type Plain, plainOf } from './plain.ts'
import { endOfOther, mayHoldNumbers } from './possible-numbers.ts'
import { mayHoldPatterns, scanPart } from './scan.ts'
import { NAMES_SSN } from './ssn.ts'

/**
 * What was already let go and may still say what a number is: the head of a table, the beginning of
 * a sentence.
 */
const MOST_BEFORE = 8_192
const KEPT_BEFORE = 4_096
/**
 * Of it, what is read again with each number: more than the longest sentence around one that
 * counts.
 */
const NEAR = 240
/** Longer runs of digits and signs are no number of anybody. */
const MOST_NUMBER = 80
/** Of a word that names something; two parts of a text are asked with so much in common. */
const LONGEST_NAME = 96

const DIGIT = /\p{Nd}/u
/** With signs of two units or none, or with tags, a number is longer. */
const LONG_SPELLING = /[<*`\u00ad\u0300-\uffff]/
const LONGEST_SPELLING = 512
const HALF = /[\ud800-\udbff]$/
/** What may stand between the digits of a number, by code. */
const NUMBER_SIGNS: ReadonlySet<number> = new Set(
  [...' ./_+·\t-'].map((sign) => sign.charCodeAt(0)),
)
const IBAN_AT_END = /(?<![A-Za-z0-9])[A-Za-z](?:[A-Za-z](?:[ -]?\d(?:[ -]?[A-Za-z0-9])*[ -]?)?)?$/
/** Accounts of some banks have a letter in front, or letters among the digits. */
const LETTER_AT_END = /(?<![A-Za-z0-9])[A-Z][ -]?(?:\d[\d -]*)?$/
const LETTERS_IN_NUMBER_AT_END =
  /(?<![A-Za-z0-9])(?:[A-Z][ -]?)?\d[\d. -]{2,26}[A-Za-z][A-Z\d]{0,11}[ -]?\d{0,2}$/

/**
 * The numbers of a text that comes in parts. Places are those of what is held back: what begins
 * before it is below zero. A number is judged once, when what stands behind it is known; only then
 * is the text around it read again.
 */
export class NumberStream {
  /** Plain, and behind `#shift` more characters. */
  #before = ''
  #shift = 0
  readonly #columns = new Columns('')
  readonly #accounts = new Set<number>()
  #namesSsn = false
  #asked = 0

  /**
   * Up to where the numbers of what is held can be judged: what comes next may belong to the last
   * one, or say what it is.
   */
  settled(held: string): number {
    if (!DIGIT.test(held))
      return outsideOfEscape(held, held.length - Math.max(lettersAtEnd(held), markedAtEnd(held)))
    const end = held.slice(
      LONG_SPELLING.test(held.slice(-LONGEST_SPELLING)) ? -LONGEST_SPELLING : -MOST_NUMBER,
    )
    const shift = held.length - end.length
    const { text: tail, at } = plainOf(end)
    const begun = [
      // behind a comma an amount may go on
      numberAtEnd(tail.endsWith(',') ? tail.slice(0, -1) : tail),
      ...[IBAN_AT_END, LETTER_AT_END, LETTERS_IN_NUMBER_AT_END].map(
        (pattern) => pattern.exec(tail)?.index,
      ),
    ].filter((index) => index !== undefined)
    return outsideOfEscape(
      held,
      Math.min(...begun.map((index) => shift + at(index)), firstUnsaid(held)),
    )
  }

  /**
   * Whether something may be found in what is held; nearly all numbers have another form than any
   * that is looked for.
   */
  mayHold(held: string): boolean {
    if (!DIGIT.test(held)) return false // and what came before is not put together for it
    const last = this.#before.slice(-MOST_NUMBER / 2)
    if (!mayHoldPatterns(last + held)) return false
    const { text } = plainOf(held)
    const whole = last + text
    return mayHoldNumbers(whole, groupsOf(whole))
  }

  findings(held: string): readonly PatternFinding[] {
    const near = this.#before.slice(-NEAR)
    const start = this.#shift + this.#before.length - near.length
    const plain = plainOf(held)
    const inHeld = (index: number): boolean => index >= near.length
    const part: Plain = {
      text: near + plain.text,
      at: (index) => (inHeld(index) ? plain.at(index - near.length) : index - near.length),
      behind: (index) =>
        inHeld(index) ? plain.behind(index - near.length) : index + 1 - near.length,
    }
    let all: string | undefined
    const whole = (): string => (all ??= this.#before + plain.text)
    const headOf = (span: { readonly start: number; readonly end: number }): string | undefined => {
      this.#columns.turnTo(whole(), this.#shift)
      const into = this.#before.length - near.length
      return this.#columns.headOf({ start: span.start + into, end: span.end + into })
    }
    return scanPart(part, {
      columns: { headOf },
      accounts: new Set([...this.#accounts].map((place) => place - start)),
      namesSsn: () => this.#names(NAMES_SSN, whole),
    })
  }

  /** What is held begins behind this now. */
  letGo(text: string, found: readonly PatternFinding[]): void {
    const plain = plainOf(text)
    if (found.length > 0) this.#keepAccounts(text, plain, found)
    this.#before += plain.text
    if (this.#before.length <= MOST_BEFORE) return
    this.#shift += this.#before.length - KEPT_BEFORE
    this.#before = this.#before.slice(-KEPT_BEFORE)
    for (const place of this.#accounts) if (place < this.#shift) this.#accounts.delete(place)
  }

  /**
   * An account may be named by the one before it, which is found no more once the words that name
   * it are too far away.
   */
  #keepAccounts(text: string, plain: Plain, found: readonly PatternFinding[]): void {
    for (const place of this.#accounts)
      if (place < this.#shift + this.#before.length - NEAR) this.#accounts.delete(place)
    for (const { kind, start } of found) {
      if (kind === 'bank_account' && start >= 0 && start < text.length)
        this.#accounts.add(this.#shift + this.#before.length + placeIn(plain, start))
    }
  }

  /** Whether a word stands anywhere in the text so far; no part of it is asked twice. */
  #names(pattern: RegExp, whole: () => string): boolean {
    if (this.#namesSsn) return true
    const from = Math.max(0, this.#asked - this.#shift - LONGEST_NAME)
    this.#namesSsn = pattern.test(whole().slice(from))
    this.#asked = this.#shift + whole().length
    return this.#namesSsn
  }
}

/** Where a place of the original text is in its plain form, found by halves: there may be many. */
function placeIn({ text, at }: Plain, original: number): number {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(middle) < original) low = middle + 1
    else high = middle
  }
  return low
}

/** One or two letters that a word has begun with: an IBAN may. */
function lettersAtEnd(text: string): number {
  const [third = ' ', second = ' ', last = ' '] = text.slice(-3).padStart(3)
  if ((last === ' ' || last === '-') && isCapital(second) && !isLetter(third)) return 2
  if (!isLetter(last)) return 0
  if (!isLetter(second)) return 1
  return isLetter(third) ? 0 : 2
}

/** Two letters and the markup behind them: the digits of an IBAN may come in it. */
function markedAtEnd(text: string): number {
  const end = text.slice(-LONGEST_MARKED)
  if (!MAY_BE_MARKED.test(end)) return 0
  const index = LETTERS_MARKED.exec(end)?.index
  return index === undefined ? 0 : end.length - index
}

const LONGEST_MARKED = 96
const MAY_BE_MARKED = /[<*_~`]/
const LETTERS_MARKED = /(?<![A-Za-z0-9])[A-Za-z]{2}(?:<[^<>]{0,64}>?|[*_~`]{1,3})$/

const isCapital = (char: string): boolean => /[A-Z]/.test(char)
const isLetter = (char: string): boolean => /[\p{L}\p{N}]/u.test(char)

/** An escape is one sign, and not parted, nor is a character that takes two units. */
const outsideOfEscape = (text: string, place: number): number =>
  text[place - 1] === '\\' || HALF.test(text.charAt(place - 1)) ? place - 1 : place

/** Where the first digit of a number stands that goes on to the end. */
function numberAtEnd(text: string): number | undefined {
  let first: number | undefined
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) first = at
    else if (!NUMBER_SIGNS.has(code)) break
  }
  return first
}

/** The first number that a sentence may still say something about. */
function firstUnsaid(original: string): number {
  if (!mayHoldPatterns(original)) return original.length
  const { text, at } = plainOf(original)
  const groups = groupsOf(text)
  for (const [index, { start }] of groups.entries()) {
    const end = endNamedAfter(groups, index) ?? endOfOther(groups, index)
    if (end === undefined) continue
    const behind = text.slice(end, end + AHEAD)
    if (behind.length < AHEAD && behind.search(END_OF_SENTENCE) === -1) return at(start)
  }
  return original.length
}
