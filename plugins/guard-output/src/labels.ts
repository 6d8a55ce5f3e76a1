import type { NumberKind } from './number-kind.ts'

/** What a number is called right before it, or by the name of its field. */
const LABELS: Readonly<Record<'bank_account' | 'ssn', string>> = {
  bank_account: `account, account number, account no, account id, bank account, acct,
    acct number, acct no, a/c, a/c no, routing, routing number,
    routing no, aba, sort code, iban, bban, kontonummer,
    konto, konto nr, bankleitzahl, blz, numéro de compte, compte,
    rib, número de cuenta, cuenta, numero di conto, conto, rekeningnummer,
    rekening, número da conta, conta`,
  ssn: 'ssn, social security, social security number, social security no',
}

/** Characters of the longest label and what may stand behind it. */
export const LONGEST_LABEL = 48

/** Between a label and its number: `is`, a colon, a sign for numbers, quotes. */
const JOINING = /(?:[\s.:=#"'`*_()[\]|-]|\bis\b|\bwas\b|№|n°|\bnr\b){0,10}/.source

const patternOf = (labels: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\d])(?:${labels
      .split(/,\s+/)
      .map(unmarked)
      .toSorted((one, other) => other.length - one.length)
      .map((label) => label.split(' ').join('[\\s_.-]{0,2}'))
      .join('|')})s?${JOINING}$`,
    'iu',
  )

/** Without accents, as texts are normalised. */
const unmarked = (label: string): string => label.normalize('NFKD').replaceAll(/\p{M}/gu, '')

const PATTERNS = [
  ['ssn', patternOf(LABELS.ssn)],
  ['bank_account', patternOf(LABELS.bank_account)],
] as const

/**
 * What the words right before a number say that it is.
 *
 * @param before the end of the normalised text before the number
 * @example labelledKind('my account number is ') // 'bank_account'
 */
export function labelledKind(before: string): NumberKind | undefined {
  if (!endsWithWord(before)) return undefined
  // `accountNumber` and `acctNo` are names of fields.
  const words = before.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return PATTERNS.find(([, pattern]) => pattern.test(words))?.[0]
}

const MOST_SIGNS = 12

/** Whether words stand before the signs at the end: a cheap look at what is mostly no label. */
function endsWithWord(text: string): boolean {
  for (let at = text.length - 1; at >= Math.max(0, text.length - MOST_SIGNS); at--) {
    const char = text.charAt(at)
    if (/\p{L}/u.test(char)) return true
    if (/\d/.test(char)) return false
  }
  return false
}
