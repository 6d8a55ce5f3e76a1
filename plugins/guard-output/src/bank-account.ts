import { AHEAD } from './around.ts'
import {
  BEHIND_BANK,
  IN_HEAD,
  NAMED_BEHIND,
  NAMES_ACCOUNT,
  NAMES_JAPANESE,
  NAMES_ROUTING,
} from './bank-names.ts'
import type { Heads } from './columns.ts'
import type { Span } from './finding.ts'
import { type Chain, chainAt, countDigits, type Group, standsAlone } from './numbers.ts'

/** A second number of the same kind: `from account X to Y`. */
const GOES_ON = /^\s*(?:,|and|or|to|und|et|y|e|&|\/)\s*$/i
/** Counts and times, which an account may have a great many of. */
const COUNTED =
  /^\s*(?:(?:active|new|open|unique|registered) )?(?:followers|entries|bytes|records|rows|views|updates|seats|users|impressions|requests|lines|seguidores|times|points|items|days|%)/i

/** Of a Japanese account; no other has so few and is told from other numbers. */
export const LEAST_ACCOUNT = 7
const LEAST = 8
/** Longer ones hold the codes of a bank, too, as in Mexico, Russia and Poland. */
export const MOST_ACCOUNT = 26
const TOGETHER = [4, 3, 2, 1]
const ALONE = [1]
const NONE: readonly number[] = []
const GROUPED =
  /^(?:4-4|4-4-[1-4]|4-4-4-[1-4]|3-3-3|3-3-4|2-[36]-[36]|3-6|6-2|2-4-4|2-4-4-4|3-5-(?:[7-9]|1[0-2])|5-3-(?:[7-9]|1[0-2])|(?:[7-9]|1[0-2])-1)$/

/**
 * Numbers that the text gives as those of a bank account, or of a bank.
 *
 * @param named whether anything in the text names one; asked once there is a number to ask it for
 * @param earlier places of those that were found with more of the text before them
 */
export function bankAccountsIn(
  text: string,
  groups: readonly Group[],
  columns: Heads,
  named: () => boolean,
  earlier: ReadonlySet<number>,
): readonly Span[] {
  const found: Span[] = []
  for (const [at, { digits, joint }] of groups.entries()) {
    const counts =
      // others would not fit
      joint === ' ' || joint === '-' ? TOGETHER : digits.length >= LEAST_ACCOUNT ? ALONE : NONE
    const chain = firstFitting(groups, at, counts)
    if (!chain || (found.at(-1)?.end ?? 0) > chain.start || !standsAlone(text, chain)) continue
    if (!named()) return found
    if (earlier.has(chain.start) || isNamed(text, chain, found.at(-1), columns)) found.push(chain)
  }
  return found
}

function firstFitting(
  groups: readonly Group[],
  at: number,
  counts: readonly number[],
): Chain | undefined {
  for (const count of counts) {
    const digits = countDigits(groups, at, count)
    const chain =
      digits >= LEAST_ACCOUNT && digits <= MOST_ACCOUNT ? chainAt(groups, at, count) : undefined
    if (chain && fits(chain.shape, chain.joint)) return chain
  }
  return undefined
}

export const fits = (shape: string, joint: string): boolean =>
  joint === '' || ((joint === ' ' || joint === '-') && GROUPED.test(shape))

function isNamed(text: string, span: Chain, last: Span | undefined, columns: Heads): boolean {
  const before = text.slice(Math.max(0, span.start - 72), span.start)
  const after = text.slice(span.end, span.end + AHEAD)
  if (COUNTED.test(after)) return false
  if (span.digits.length < LEAST) return NAMES_JAPANESE.test(before)
  if (NAMES_ACCOUNT.test(before)) return true
  if (NAMES_ROUTING.test(before)) return isRouting(span.digits)
  if (BEHIND_BANK.test(before) || NAMED_BEHIND.test(after)) return true
  if (last && last.end > span.start - 8 && GOES_ON.test(text.slice(last.end, span.start)))
    return true
  const head = columns.headOf(span)
  return head !== undefined && IN_HEAD.test(head)
}

/**
 * The routing number of an American bank: the prefixes of the Federal Reserve and the check digit
 * of the ABA.
 */
function isRouting(digits: string): boolean {
  if (!/^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits)) return false
  return (
    [...digits].reduce(
      (sum, digit, index) => sum + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
      0,
    ) %
      10 ===
    0
  )
}
