import {
  type Candidate,
  candidatesAt,
  isCompactDate,
  LEAST_NAMED_AFTER as SHORT,
} from './account-candidates.ts'
import { isRouting } from './account-checks.ts'
import { LETTERED } from './account-formats.ts'
import { type Token, tokensIn } from './account-lexicon.ts'
import { type Naming, Namings } from './account-naming.ts'
import { AHEAD } from './sentence.ts'
import type { Heads } from './columns.ts'
import type { Span } from './finding.ts'
import { type Group, standsAlone } from './numbers.ts'

/** A second number of the same kind: `from account X to Y`. */
const GOES_ON = /^\s*(?:,|and|or|to|und|et|y|e|&|\/)\s*$/i
/** Counts, times and amounts, which an account may have a great many of. */
const COUNTED =
  /^\s*(?:(?:active|new|open|unique|registered) )?(?:(?:followers|entries|bytes|records|rows|views|updates|seats|users|units|impressions|requests|lines|times|points|items|days|seconds|messages|customers|tons|pages|sessions|seguidores|registros|pedidos|veces|secondi|volte|punti|bezoekers|keer|takipçi|pozycji|stron|fois|secondes|Stück|Mal|Euro|euro|dollars?|pesos|EUR|USD|GBP|CHF)(?!\p{L})|[%€$£]|件|人|円|元|원|บาท)/iu
/** Behind a number: what it is, not the name of the next field. */
const IS = /^["'*\x60)]{0,2}\s*(?:,\s*)?(?:\(|(?:is|was|as|ist|est|es|é|è|e|to|är|er|jest|je)\s|=)/i
const HAND_OVER = /[+@\\]$|(?:[$€£¥]\s?)$/
/** Wrong check digits: whoever knows the country knows that it is none. */
const PART_OF_IBAN =
  /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?:[ -]?(?:[A-Za-z]{4}|[A-Za-z\d]{4}))?(?: [A-Za-z\d]{4}){0,3}[ -]$/
/** Means a bill as well; those have short numbers. */
const BILL = /^(?:сч|рахун|racun|rac$|szamla)/
const LEAST_ON_BILL = 10
/** A sort code, or a BSB. */
const BEHIND_CODE = /(?<!\d)(?:\d\d([- ])\d\d\1\d\d|\d{3}-\d{3})[\s,;/]{1,3}$/
/** The code of an Indian bank and branch, before its word or behind it: nothing else looks so. */
const IFSC_BEHIND =
  /^[\s,;/(-]{1,4}(?:(?:with )?ifsc?\b(?: code)?[\s.:#=-]{0,3})?[a-z]{4}0[a-z\d]{6}(?![a-z\d])/i
/** What all names of banks have a part of. */
const BANK_NAME = /^ban[kqc]|банк|sparkas|volksb|raiffeis|^pank|銀行|银行|은행|ธนาคาร/
/** Where all accounts are so short. */
const OF_SHORT = /普|当座|口座|חשבון|ח-ן/
const ABBREVIATION = /(?<![\p{L}\d.])\p{L}{1,6}\.$/u
const PATH = /\p{L}\/$/u

/** Of an account that is told by its name alone. */
const USUAL = 8
/** So many digits in the groups of a country are nothing else. */
const LONG = 18
/** Strange words that may stand between a name and its number. */
const MOST_STRANGE = { precise: 5, account: 3, formed: 2 } as const

/**
 * Numbers that the text gives as those of a bank account, or of a bank.
 *
 * @param earlier places of those that were found with more of the text before them
 */
export function bankAccountsIn(
  text: string,
  groups: readonly Group[],
  columns: Heads,
  earlier: ReadonlySet<number>,
): readonly Span[] {
  const found: Span[] = []
  const judge = new Judge(text, columns)
  for (let at = 0; at < groups.length; at++) {
    for (const candidate of candidatesAt(groups, at)) {
      if (!isAlone(text, candidate) || isAmount(text, candidate)) continue
      if (!earlier.has(candidate.start) && !judge.isAccount(candidate, found.at(-1))) continue
      found.push(candidate)
      at += candidate.count - 1
      break
    }
  }
  return withLettered(text, found, judge)
}

/** By itself, or right behind an abbreviation: `Nr.12345678`. */
function isAlone(text: string, span: Span): boolean {
  const { start, end } = span
  return (
    standsAlone(text, span) ||
    (ABBREVIATION.test(text.slice(Math.max(0, start - 8), start)) &&
      standsAlone(text.slice(start, end + 2), { start: 0, end: end - start }))
  )
}

/** A part of an amount or count: `1,234,567`. */
function isAmount(text: string, { start, end, digits, groups }: Candidate): boolean {
  if (text.charAt(end) === '@' || PART_OF_IBAN.test(text.slice(Math.max(0, start - 28), start)))
    return true
  const sign = HAND_OVER.exec(text.slice(Math.max(0, start - 2), start))
  if (sign && (groups.length === 1 || /[+@\\]/.test(sign[0]))) return true
  return (
    digits.length <= SHORT &&
    (/\d,$/.test(text.slice(Math.max(0, start - 2), start)) ||
      /^,\d/.test(text.slice(end, end + 2)))
  )
}

/** Those with letters in them, and the others that are no part of one. */
function withLettered(text: string, found: readonly Span[], judge: Judge): readonly Span[] {
  let all = found
  for (const { pattern, check, says } of LETTERED)
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const span = { start: index, end: index + match.length }
      const right = check === undefined || check(match.replaceAll(/[ -]/g, ''))
      if (!right || (says === 'with its name' && !judge.isNamed(span))) continue
      all = [...all.filter(({ start, end }) => end <= span.start || start >= span.end), span]
    }
  return all === found ? found : [...all].sort((one, other) => one.start - other.start)
}

class Judge {
  readonly #text: string
  readonly #columns: Heads
  readonly #namings: Namings

  constructor(text: string, columns: Heads) {
    this.#text = text
    this.#columns = columns
    this.#namings = new Namings(text)
  }

  /** Right behind a name of an account. */
  isNamed({ start }: Span): boolean {
    const { label, strange } = this.#namings.before(start)
    return label !== undefined && strange === 0
  }

  isAccount(candidate: Candidate, last: Span | undefined): boolean {
    const { start, end, digits, groups } = candidate
    const right = candidate.formats.filter(
      ({ check }) => check === undefined || check(digits, groups),
    )
    if (right.some(({ says }) => says === 'all')) return true
    if (PATH.test(this.#text.slice(Math.max(0, start - 2), start))) return false
    const long = digits.length >= SHORT
    if (long && COUNTED.test(this.#text.slice(end, end + AHEAD))) return false
    const said = this.#namings.before(start)
    const formed = right.length > 0 && (groups.length > 1 || digits.length >= LONG)
    if (saidBefore(candidate, said, formed) || this.#goesOn(start, last)) return true
    if (long && groups.length === 1 && this.#isBehindCode(candidate, said)) return true
    if (this.#inColumn(candidate)) return true
    if (!long || said.ofPhones || isOther(said)) return false
    return this.#saidBehind(candidate, said, formed)
  }

  #goesOn(start: number, last: Span | undefined): boolean {
    return (
      last !== undefined &&
      last.end > start - SHORT - 1 &&
      GOES_ON.test(this.#text.slice(last.end, start))
    )
  }

  #inColumn(candidate: Candidate): boolean {
    const head = this.#columns.headOf(candidate)
    if (head === undefined) return false
    const tokens = tokensIn(head, 0, head.length)
    const has = (...kinds: readonly Token['kind'][]): boolean =>
      tokens.some(({ kind }) => kinds.includes(kind))
    if (has('other')) return false
    if (tokens.some(({ word }) => isOfRouting(word)) && isRouting(candidate.digits)) return true
    return (
      has('precise') ||
      (has('account') && (candidate.digits.length >= USUAL || has('number', 'bank')))
    )
  }

  /** A sort code or a BSB stands before the number, and what says so before or behind both. */
  #isBehindCode({ start, end }: Candidate, { ofBanks }: Naming): boolean {
    if (!BEHIND_CODE.test(this.#text.slice(Math.max(0, start - 12), start))) return false
    if (ofBanks) return true
    const kinds = this.#namings.behind(end).map(({ kind }) => kind)
    return kinds.includes('code') && (kinds.includes('account') || kinds.includes('precise'))
  }

  #saidBehind({ end, digits, groups }: Candidate, said: Naming, formed: boolean): boolean {
    const tokens = this.#namings.behind(end)
    const [first] = tokens
    const bank = (kinds: readonly Token['kind'][], most: number): boolean =>
      tokens.slice(0, most).some(({ kind }) => kinds.includes(kind))
    if (
      formed &&
      !isPhone(groups) &&
      (said.ofBanks || bank(['bank', 'brand', 'code', 'precise'], 6))
    )
      return true
    if (said.label && said.strange === 0 && bank(['code'], 2)) return true
    if (digits.length < USUAL || isCompactDate(digits) || said.nearest === 'code') return false
    if (first?.kind === 'brand' && digits.length > USUAL) return true
    if (this.#isCodeBehind(end, first, said)) return true
    const label = tokens.slice(0, 4).find(({ kind }) => kind === 'precise' || kind === 'account')
    return (
      label !== undefined &&
      !label.word.endsWith('counts') &&
      IS.test(this.#text.slice(end, end + AHEAD)) &&
      !tokens.some(({ kind, start }) => kind === 'other' && start < label.start) &&
      !/^["']?\s*[:=]/.test(this.#text.slice(label.end, label.end + 4))
    )
  }

  /** The code of a bank stands behind a number, behind the word for it. */
  #isCodeBehind(end: number, first: Token | undefined, { nearest }: Naming): boolean {
    if (IFSC_BEHIND.test(this.#text.slice(end, end + AHEAD))) return true
    return (
      first?.kind === 'code' &&
      nearest !== 'bank' &&
      /^[\s.:#=]{1,3}\d{3}/.test(this.#text.slice(first.end, first.end + 8))
    )
  }
}

const isOther = ({ nearest, strangeToNearest }: Naming): boolean =>
  nearest === 'other' && strangeToNearest < 3
const isOfRouting = (word: string): boolean =>
  word === 'aba' || word === 'rtn' || word.startsWith('routing')

/** As numbers of phones are grouped. */
const isPhone = (groups: readonly string[]): boolean => {
  const sizes = groups.map(({ length }) => length).join('-')
  return sizes === '3-3-4' || (groups[0]?.startsWith('0') === true && /^[34]-[34]-4$/.test(sizes))
}

function saidBefore({ digits, groups }: Candidate, said: Naming, formed: boolean): boolean {
  if (said.ofPhones && said.label?.kind !== 'precise') return false
  const { nearest, strangeToNearest, numbersBetween } = said
  if (nearest === 'code') {
    if (numbersBetween === 0)
      return isOfRouting(said.nearestWord) && isRouting(digits) && strangeToNearest === 0
    // the account behind the code of its bank
    if (numbersBetween === 1 && strangeToNearest === 0 && digits.length >= SHORT) return true
  }
  if (said.label) return isLabelled(digits, said, said.label, formed)
  const dashed = groups.length > 2 && digits.length > LEAST_ON_BILL
  const isBank =
    nearest === 'brand' ||
    (nearest === 'bank' && BANK_NAME.test(said.nearestWord) && digits.length > USUAL)
  return (
    isBank &&
    numbersBetween === 0 &&
    strangeToNearest <= (dashed ? 2 : 0) &&
    digits.length >= USUAL &&
    !isCompactDate(digits)
  )
}

function isLabelled(digits: string, said: Naming, label: Token, formed: boolean): boolean {
  const { strange, numbered, ofBanks } = said
  if (isOther(said)) return false
  const precise = label.kind === 'precise'
  if (BILL.test(label.word) && digits.length < LEAST_ON_BILL && !precise && !ofBanks && !formed)
    return false
  const short = digits.length <= SHORT && OF_SHORT.test(label.word)
  const strong = precise || numbered || ofBanks || short
  if (digits.length < SHORT) return strange === 0 && strong
  if (digits.length < USUAL && !formed) return strong && strange <= (precise ? 1 : 0)
  if (isCompactDate(digits)) return strange === 0 && !label.typed
  if (label.typed) return strange <= 1
  if (precise) return strange <= MOST_STRANGE.precise
  if (strong) return strange <= MOST_STRANGE.account
  if (formed) return strange <= MOST_STRANGE.formed
  return strange <= (digits.length > LEAST_ON_BILL - 1 ? 1 : 0)
}
