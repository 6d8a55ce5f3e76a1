import { AHEAD } from './around.ts'
import type { Heads } from './columns.ts'
import type { Span } from './finding.ts'
import { type Chain, chainAt, countDigits, type Group, standsAlone } from './numbers.ts'

const NO = String.raw`(?:numbers?|num|no|nr|nbr|n[°ºr]|n(?=\.)|#)\.?`

/** What a text calls the number of an account, in the languages of most banks; and of a bank. */
const ACCOUNT = [
  String.raw`accounts?(?:[\s_-]*${NO})?`, String.raw`acct\.?(?:[\s_-]*${NO})?`, String.raw`a\/c(?:\s*${NO})?`,
  String.raw`(?:bank)?konto(?:[\s-]*(?:nummer|${NO}))?`, String.raw`kto\.?(?:[\s-]*${NO})?`, String.raw`acc\.?\s*${NO}`, String.raw`compte(?:\s+bancaire|\s+courant)?(?:\s*(?:num[ée]ro|${NO}))?`,
  String.raw`(?:n[úu]mero|num|n[°º])\.?\s+d[ea]\s+(?:la\s+)?(?:cuenta|conta|compte)(?:\s+(?:banc[áa]ri[ao]|bancaire|corrente|corriente))?`, String.raw`cuenta(?:\s+(?:bancaria|corriente))?(?:\s*${NO})?`,
  String.raw`conta(?:\s+(?:banc[áa]ria|corrente|poupança))?(?:\s*${NO})?`, String.raw`(?:numero\s+(?:di|del)\s+)?conto(?:\s+(?:corrente|bancario))?(?:\s*${NO})?`,
  String.raw`(?:numer\s+)?(?:konta|rachunku)(?:\s+bankowego)?`, String.raw`(?:bank)?rekening(?:[\s-]*(?:nummer|${NO}))?`, String.raw`口座番号`, String.raw`账号|帳號|계좌\s*번호`,
]
const ROUTING = [String.raw`(?:aba[\s_-]*)?routing(?:[\s_-]*(?:transit|code))?(?:[\s_-]*${NO})?`, String.raw`\baba(?:[\s_-]*(?:rtn|${NO}))?`, String.raw`\brtn`]

/** What may stand between a name and its number: signs, a bracket with another name, and a small word or two. */
const LINK = [
  String.raw`(?:\s*\([^()\d\n]{1,24}\))?(?:\.{2,}\s*)?[\s"'«„*_\x60:=#>|,(\[-]{0,8}`,
  String.raw`(?:(?:is|was|are|to|from|ist|lautet|est|es|é|e|de|von|auf|reads|set to)[\s:"'*\x60]{1,4})?`,
  String.raw`(?:${NO}[\s:"'*]{0,4})?$`,
].join('')
const NAMES_ACCOUNT = new RegExp(String.raw`(?<![\p{L}\d/-])(?:bank[\s_-]*)?(?:${ACCOUNT.join('|')})${LINK}`, 'iu')
const NAMES_ROUTING = new RegExp(String.raw`(?<![\p{L}\d/-])(?:${ROUTING.join('|')})${LINK}`, 'iu')
const IN_HEAD = new RegExp(String.raw`(?<!\p{L})(?:${[...ACCOUNT, ...ROUTING].join('|')})(?!\p{L})`, 'iu')
export const NAMES_BANK = new RegExp([...ACCOUNT, ...ROUTING].join('|'), 'iu')
const NAMED_BEHIND = new RegExp(String.raw`^["'*\u0060)]{0,2}\s*(?:,\s*)?(?:is|was|=|\(|as|ist|est|es|é)\s*(?:the|our|my|his|her|their|your|die|le|la|el|o)?\s*(?:bank\s*)?(?:${ACCOUNT.slice(0, 4).join('|')}|(?:aba\s*)?routing\s*${NO})(?!\p{L})`, 'iu')
/** A second number of the same kind: `from account X to Y`. */
const GOES_ON = /^\s*(?:,|and|or|to|und|et|y|e|&|\/)\s*$/i
/** Counts and times, which an account may have a great many of. */
const COUNTED = /^\s*(?:followers|entries|bytes|records|rows|views|updates|seats|users|impressions|requests|lines|seguidores|times|points|items|days|%)/i

const LEAST = 8
const MOST = 17
const TOGETHER = [4, 3, 2, 1]
const ALONE = [1]
const NONE: readonly number[] = []
const GROUPED = /^(?:4-4|4-4-[1-4]|4-4-4-[1-4]|3-3-3|3-3-4|2-[36]-[36]|3-6|6-2|2-4-4)$/

/**
 * Numbers that the text gives as those of a bank account, or of a bank.
 *
 * @param named whether anything in the text names one; asked once there is a number to ask it for
 * @param earlier places of those that were found with more of the text before them
 */
export function bankAccountsIn(text: string, groups: readonly Group[], columns: Heads, named: () => boolean, earlier: ReadonlySet<number>): readonly Span[] {
  const found: Span[] = []
  for (const [at, { digits, joint }] of groups.entries()) {
    const counts = joint === ' ' || joint === '-' ? TOGETHER : digits.length >= LEAST ? ALONE : NONE // others would not fit
    const chain = firstFitting(groups, at, counts)
    if (!chain || (found.at(-1)?.end ?? 0) > chain.start || !standsAlone(text, chain)) continue
    if (!named()) return found
    if (earlier.has(chain.start) || isNamed(text, chain, found.at(-1), columns)) found.push(chain)
  }
  return found
}

function firstFitting(groups: readonly Group[], at: number, counts: readonly number[]): Chain | undefined {
  for (const count of counts) {
    const digits = countDigits(groups, at, count)
    const chain = digits >= LEAST && digits <= MOST ? chainAt(groups, at, count) : undefined
    if (chain && fits(chain.shape, chain.joint)) return chain
  }
  return undefined
}

export const fits = (shape: string, joint: string): boolean => joint === '' || ((joint === ' ' || joint === '-') && GROUPED.test(shape))

function isNamed(text: string, span: Chain, last: Span | undefined, columns: Heads): boolean {
  const before = text.slice(Math.max(0, span.start - 72), span.start)
  const after = text.slice(span.end, span.end + AHEAD)
  if (COUNTED.test(after)) return false
  if (NAMES_ACCOUNT.test(before)) return true
  if (NAMES_ROUTING.test(before)) return isRouting(span.digits)
  if (NAMED_BEHIND.test(after)) return true
  if (last && last.end > span.start - 8 && GOES_ON.test(text.slice(last.end, span.start))) return true
  const head = columns.headOf(span)
  return head !== undefined && IN_HEAD.test(head)
}

/** The routing number of an American bank: the prefixes of the Federal Reserve and the check digit of the ABA. */
function isRouting(digits: string): boolean {
  if (!/^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits)) return false
  return [...digits].reduce((sum, digit, index) => sum + Number(digit) * ([3, 7, 1][index % 3] ?? 0), 0) % 10 === 0
}
