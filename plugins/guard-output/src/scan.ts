import { bankAccountsIn } from './bank-account.ts'
import { cardsIn } from './card.ts'
import { Columns, type Heads } from './columns.ts'
import { overlaps, type PatternFinding, type PatternKind, type Span } from './finding.ts'
import { ibansIn } from './iban.ts'
import { groupsOf } from './numbers.ts'
import { type Plain, plainOf } from './plain.ts'
import { mayHoldNumbers } from './possible-numbers.ts'
import { NAMES_SSN, ssnsIn } from './ssn.ts'

/** Texts with fewer digits have no match, and most texts have fewer. */
const LEAST_DIGITS = 5

export function mayHoldPatterns(text: string): boolean {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (
      ((code >= 48 && code <= 57) ||
        (code >= FIRST_OTHER &&
          OTHER_DIGIT.test(String.fromCodePoint(text.codePointAt(index) ?? 0)))) &&
      ++digits >= LEAST_DIGITS
    )
      return true
  }
  return false
}

/** Of scripts that have digits of their own. */
const FIRST_OTHER = 0x660
const OTHER_DIGIT = /\p{Nd}/u

/**
 * Context for the numbers of a part from the rest of the text. Positions are those of the
 * normalised part.
 */
export interface Surroundings {
  readonly columns: Heads
  readonly namesSsn: () => boolean
  /** Where accounts begin that were found before, with more of the text before them. */
  readonly accounts: ReadonlySet<number>
}

/**
 * Finds numbers of persons and banks: social security numbers, payment cards, IBANs, and bank
 * accounts near the word for them. Linear in the length of the text.
 *
 * @returns places in `original`, in order, none of them over another
 * @example
 * scan('My SSN is 078-05-1121.') // [{ kind: 'ssn', start: 10, end: 21 }]
 */
export function scan(original: string): readonly PatternFinding[] {
  if (!mayHoldPatterns(original)) return []
  const plain = plainOf(original)
  const groups = groupsOf(plain.text)
  return mayHoldNumbers(plain.text, groups)
    ? scanPart(plain, surroundingsOf(plain.text), groups)
    : []
}

function surroundingsOf(text: string): Surroundings {
  let ssn: boolean | undefined
  return {
    columns: new Columns(text),
    accounts: new Set(),
    namesSsn: () => (ssn ??= NAMES_SSN.test(text)),
  }
}

/** The same for a part of a text; `surroundings` gives the context from the rest. */
export function scanPart(
  { text, at, behind }: Plain,
  { columns, accounts, namesSsn }: Surroundings,
  groups = groupsOf(text),
): readonly PatternFinding[] {
  let found: readonly PatternFinding[] = []
  // In this order: what is an IBAN or a card is not a bank account as well.
  const add = (kind: PatternKind, spans: readonly Span[]): void => {
    found = joined(
      found,
      spans
        .map(({ start, end }) => ({ kind, start: at(start), end: behind(end - 1) }))
        .sort(byStart),
    )
  }
  add('iban', ibansIn(text))
  add('card', cardsIn(text, groups))
  add('ssn', ssnsIn(text, groups, columns, namesSsn))
  add('bank_account', bankAccountsIn(text, groups, columns, accounts))
  return found
}

const byStart = (one: Span, other: Span): number => one.start - other.start

/** Merges two ordered lists; of overlapping matches the earlier list wins. */
function joined(
  first: readonly PatternFinding[],
  more: readonly PatternFinding[],
): readonly PatternFinding[] {
  const all: PatternFinding[] = []
  let next = 0
  for (const one of more) {
    for (let ahead = first[next]; ahead && ahead.end <= one.start; ahead = first[++next])
      all.push(ahead)
    const ahead = first[next]
    const last = all.at(-1)
    if (!(ahead && overlaps(ahead, one)) && !(last && overlaps(last, one))) all.push(one)
  }
  return [...all, ...first.slice(next)]
}
