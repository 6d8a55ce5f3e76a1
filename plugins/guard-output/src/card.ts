import type { Span } from './finding.ts'
import { type Chain, countDigits, type Group, partAt } from './numbers.ts'

/** Who begins how, and how long their numbers are (ISO/IEC 7812, as the schemes publish it). */
const ISSUERS: readonly { readonly begins: RegExp; readonly lengths: readonly number[] }[] = [
  { begins: /^4/, lengths: [13, 16, 19] }, // Visa
  { begins: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] }, // Mastercard
  { begins: /^3[47]/, lengths: [15] }, // American Express
  { begins: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] }, // Discover
  { begins: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] }, // JCB
  { begins: /^3(?:0[0-5]|[689])/, lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { begins: /^(?:50|5[6-9]|6)/, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro, UnionPay
]

/**
 * How people and forms group the digits of a card: by fours to the end, as American Express and
 * Diners do, or the issuer apart.
 */
const SHAPE =
  /^(?:4(?:-4){2,3}(?:-[1-4])?|4-6-[3-9]|4-3-3-3|4-4-5|1-4-4-4|4-5-[4-6]|6-(?:[7-9]|1[0-3])|6-4-[3-9]|8-[5-8])$/
/** Digits that a group begins with. */
const FIRST: ReadonlySet<number> = new Set([1, 4, 6, 8])
const ALONE = [1]
const TOGETHER = [5, 4, 3, 2]
const NONE: readonly number[] = []

/** How many groups a card number that begins with a group of `digits` digits may have. */
function groupCounts(digits: number, isJoined: boolean): readonly number[] {
  if (digits > 19) return NONE
  if (digits >= 13) return ALONE
  return isJoined && FIRST.has(digits) ? TOGETHER : NONE
}

export const isCardShape = (shape: string): boolean => SHAPE.test(shape)

const OTHER_NUMBERS = /\b(?:imei|iccid|meid|esn)\b[^\n\d]{0,24}$/i

/**
 * Payment cards: an issuer's prefix and length and a right check digit, bare or in a card's groups.
 */
export function cardsIn(text: string, groups: readonly Group[]): readonly Span[] {
  let upto = 0
  return groups.flatMap(({ digits, start, joint }, at) => {
    if (start < upto) return []
    for (const count of groupCounts(digits.length, joint !== undefined)) {
      const length = countDigits(groups, at, count)
      const chain = length < 13 || length > 19 ? undefined : partAt(groups, at, count)
      if (
        !chain ||
        !isCard(chain.digits) ||
        (count > 1 && !isCardShape(chain.shape)) ||
        isPart(text, groups, at, count, chain)
      )
        continue
      if (OTHER_NUMBERS.test(text.slice(Math.max(0, chain.start - 40), chain.start))) continue
      upto = chain.end
      return [chain]
    }
    return []
  })
}

/** Whether the digits belong to something longer: a number, a fraction, hexadecimal or a code. */
function isPart(
  text: string,
  groups: readonly Group[],
  at: number,
  count: number,
  { start, end, joint }: Chain,
): boolean {
  const [before, after] = [text.slice(Math.max(0, start - 12), start), text.slice(end, end + 12)]
  if (
    /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d]$/u.test(before) ||
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d]/u.test(after)
  )
    return true
  if (
    /\d[-.]$/.test(before) ||
    /^[-.]\d/.test(after) ||
    /(?<![g-z])[\da-f]*\d[\da-f]*-$/i.test(before) ||
    /^-(?=[\da-f]*\d)[\da-f]+(?![g-z])/i.test(after)
  )
    return true
  if (count === 1) return false
  // Beside it with the same sign: more of the same number, unless it is a date, a code or a count
  // behind a space.
  return [groups[at - 1], groups[at + count]].some((other, side) => {
    if ((side === 0 ? other?.joint : groups[at + count - 1]?.joint) !== joint || !other)
      return false
    return joint !== ' ' || other.digits.length === 4 || /\p{L}/u.test(text.charAt(other.start - 1))
  })
}

function isCard(digits: string): boolean {
  return (
    digits.length >= 13 &&
    digits.length <= 19 &&
    ISSUERS.some(({ begins, lengths }) => lengths.includes(digits.length) && begins.test(digits)) &&
    isLuhn(digits)
  )
}

/** The check digit of ISO/IEC 7812-1, annex B. */
function isLuhn(digits: string): boolean {
  let sum = 0
  for (let index = digits.length - 1, doubled = false; index >= 0; index--, doubled = !doubled) {
    const digit = Number(digits[index]) * (doubled ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}
