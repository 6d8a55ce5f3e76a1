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

/** How people and forms group the digits of a card, in digits of each group. */
const SHAPE = /^(?:\d{13,19}|4(?:-4){2,3}(?:-[1-4])?|4-6-[3-9]|4-3-3-3|4-4-5|4-5-[4-6]|6-1[0-3])$/

/** @param shape digits of each group, joined by dashes; or the digits of a number in one piece */
export function isCard(digits: string, shape: string): boolean {
  return (
    digits.length >= 13 &&
    digits.length <= 19 &&
    SHAPE.test(shape) &&
    ISSUERS.some(({ begins, lengths }) => lengths.includes(digits.length) && begins.test(digits)) &&
    isLuhn(digits)
  )
}

/** The check digit of ISO/IEC 7812-1, annex B. */
function isLuhn(digits: string): boolean {
  let sum = 0
  for (let index = digits.length - 1, doubled = false; index >= 0; index--, doubled = !doubled) {
    const digit = (digits.charCodeAt(index) - 48) * (doubled ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}
