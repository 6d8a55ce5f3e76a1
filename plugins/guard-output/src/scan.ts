import { bankAccountsIn } from './bank-account.ts'
import { cardsIn } from './card.ts'
import { Columns } from './columns.ts'
import { overlaps, type PatternFinding, type PatternKind, type Span } from './finding.ts'
import { ibansIn } from './iban.ts'
import { groupsOf } from './numbers.ts'
import { plainOf } from './plain.ts'
import { ssnsIn } from './ssn.ts'

/** Below so many digits nothing is to be found, and most texts have fewer. */
const LEAST_DIGITS = 8

export function mayHoldPatterns(text: string): boolean {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (((code >= 48 && code <= 57) || (code >= 0xff10 && code <= 0xff19)) && ++digits >= LEAST_DIGITS) return true
  }
  return false
}

/**
 * Finds numbers of persons and banks: social security numbers, payment cards, IBANs, and bank accounts near the word
 * for them. Linear in the length of the text.
 *
 * @returns places in `original`, in order, none of them over another
 * @example
 * scan('My SSN is 078-05-1121.') // [{ kind: 'ssn', start: 10, end: 21 }]
 */
export function scan(original: string): readonly PatternFinding[] {
  if (!mayHoldPatterns(original)) return []
  const { text, at } = plainOf(original)
  const groups = groupsOf(text)
  const columns = new Columns(text)
  let found: readonly PatternFinding[] = []
  // In this order: what is an IBAN or a card is not a bank account as well.
  const add = (kind: PatternKind, spans: readonly Span[]): void => {
    found = joined(found, spans.map(({ start, end }) => ({ kind, start: at(start), end: at(end - 1) + 1 })).sort(byStart))
  }
  add('iban', ibansIn(text))
  add('card', cardsIn(text, groups))
  add('ssn', ssnsIn(text, groups, columns))
  add('bank_account', bankAccountsIn(text, groups, columns))
  return found
}

const byStart = (one: Span, other: Span): number => one.start - other.start

/** Two lists in order as one; of what is over another, what was found first stays. */
function joined(first: readonly PatternFinding[], more: readonly PatternFinding[]): readonly PatternFinding[] {
  const all: PatternFinding[] = []
  let next = 0
  for (const one of more) {
    for (let ahead = first[next]; ahead && ahead.end <= one.start; ahead = first[++next]) all.push(ahead)
    const ahead = first[next]
    const last = all.at(-1)
    if (!(ahead && overlaps(ahead, one)) && !(last && overlaps(last, one))) all.push(one)
  }
  return [...all, ...first.slice(next)]
}
