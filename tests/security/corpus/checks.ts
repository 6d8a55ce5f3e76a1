/**
 * What makes a number a number of its kind. The labels of the corpus are defined by these few lines
 * and by nothing else; see README.md for the words around them.
 */

interface Issuer {
  readonly prefix: RegExp
  readonly lengths: readonly number[]
}

const issuers: readonly Issuer[] = [
  { prefix: /^4/, lengths: [13, 16, 19] }, // Visa
  { prefix: /^5[1-5]/, lengths: [16] }, // Mastercard
  { prefix: /^(222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] }, // Mastercard, second range
  { prefix: /^3[47]/, lengths: [15] }, // American Express
  { prefix: /^(6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] }, // Discover
  { prefix: /^35(2[89]|[3-8])/, lengths: [16, 17, 18, 19] }, // JCB
  { prefix: /^3(0[0-5]|[689])/, lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  // Maestro; UnionPay (62) lies within
  { prefix: /^(50|5[6-9]|6)/, lengths: [13, 14, 15, 16, 17, 18, 19] },
]

/** Luhn's check sum (ISO/IEC 7812-1) over digits only. */
export function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? Number(digit) * 2 : Number(digit)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

/** Whether an issuer gives out numbers that begin so and are so long. */
export const isIssued = (digits: string): boolean =>
  issuers.some(({ prefix, lengths }) => prefix.test(digits) && lengths.includes(digits.length))

export const isCard = (digits: string): boolean =>
  /^\d{13,19}$/.test(digits) && isIssued(digits) && isLuhn(digits)

/** Nine digits the Social Security Administration could have given out. */
export const isSsn = (digits: string): boolean =>
  /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits)

/**
 * The routing number of an American bank: the Federal Reserve's prefixes and the ABA check digit.
 */
export function isRouting(digits: string): boolean {
  if (!/^(0[1-9]|1[0-2]|2[1-9]|3[0-2])\d{7}$/.test(digits)) return false
  const weights = [3, 7, 1]
  return (
    [...digits].reduce((sum, digit, index) => sum + Number(digit) * (weights[index % 3] ?? 0), 0) %
      10 ===
    0
  )
}

/** The length of an IBAN by country (ISO 13616), for the countries the corpus speaks of. */
export const ibanLength: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AT: 20,
  BE: 16,
  BR: 29,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MT: 31,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  TR: 26,
}

/** The remainder of ISO 7064 MOD 97-10, with letters read as 10 to 35. */
export function mod97(text: string): number {
  let remainder = 0
  for (const digit of text
    .toUpperCase()
    .replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) {
    remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder
}

/** Whether a compact IBAN has a known country, its length and a right check sum. */
export function isIban(text: string): boolean {
  const iban = text.toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) || ibanLength[iban.slice(0, 2)] !== iban.length)
    return false
  return mod97(iban.slice(4) + iban.slice(0, 4)) === 1
}
