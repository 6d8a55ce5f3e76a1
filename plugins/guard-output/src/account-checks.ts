/** The arithmetic of check digits in numbers of accounts. Each takes digits only. */

const weighed = (digits: string, weights: readonly number[]): number => {
  let sum = 0
  for (let index = 0; index < digits.length; index++)
    sum += Number(digits[index]) * (weights[index % weights.length] ?? 0)
  return sum
}
/** The same, with the first weight under the last digit. */
const weighedFromEnd = (digits: string, weights: readonly number[]): number =>
  weighed([...digits].reverse().join(''), weights)

/** The remainder of a number of any length; letters count as in ISO 7064. */
export function modulo97(text: string): number {
  let rest = 0
  for (const char of text) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

/** ABA, with the prefixes of the Federal Reserve. */
export const isRouting = (digits: string): boolean =>
  /^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits) &&
  weighed(digits, [3, 7, 1]) % 10 === 0

/** Código cuenta cliente: two digits, of bank and branch and of the account. */
export function isSpanish(digits: string): boolean {
  const check = (part: string): number => {
    const value = 11 - (weighed(part, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11)
    return value > 9 ? 11 - value : value
  }
  return (
    digits.length === 20 &&
    check(`00${digits.slice(0, 8)}`) === Number(digits[8]) &&
    check(digits.slice(10)) === Number(digits[9])
  )
}

/** Clé RIB; letters of the account stand for digits as on an old keypunch. */
export const isFrench = (text: string): boolean =>
  text.length === 23 &&
  modulo97(
    text.replaceAll(/[A-Z]/g, (letter) => {
      const at = letter.charCodeAt(0) - 65
      return String(at < 18 ? (at % 9) + 1 : at - 16)
    }),
  ) === 0

/** The two last digits are the rest of those before, and 97 stands for none. */
export const isBelgian = (digits: string): boolean =>
  digits.length === 12 && (modulo97(digits.slice(0, 10)) || 97) === Number(digits.slice(10))

/** ISO 7064 MOD 97-10: Portugal, Slovenia, Serbia, Bosnia, Montenegro, North Macedonia. */
export const isModulo97 = (digits: string): boolean => modulo97(digits) === 1

/** An IBAN without its country: the check digits stand in front. */
export const isPolish = (digits: string): boolean =>
  digits.length === 26 && modulo97(`${digits.slice(2)}2521${digits.slice(0, 2)}`) === 1

/** Elfproef. */
export const isDutch = (digits: string): boolean =>
  (digits.length === 9 || digits.length === 10) &&
  weighedFromEnd(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) % 11 === 0

export const isNorwegian = (digits: string): boolean =>
  digits.length === 11 && weighed(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0

/** Prefix, number and code of the bank; each of the first two by itself. */
export const isCzech = (digits: string): boolean =>
  weighedFromEnd(digits, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 === 0

/** Eight digits of the bank and branch, and eight or sixteen of the account. */
export const isHungarian = (digits: string): boolean =>
  weighed(digits.slice(0, 8), [9, 7, 3, 1]) % 10 === 0 &&
  weighed(digits.slice(8), [9, 7, 3, 1]) % 10 === 0

/** ISO 7064 MOD 11-10, of the bank and of the account. */
export function isCroatian(digits: string): boolean {
  const holds = (part: string): boolean => {
    let rest = 10
    for (const digit of part.slice(0, -1)) rest = (((rest + Number(digit)) % 10 || 10) * 2) % 11
    return (rest + Number(part.at(-1))) % 10 === 1
  }
  return digits.length === 17 && holds(digits.slice(0, 7)) && holds(digits.slice(7))
}

/** The number of a postal account in Switzerland: a check digit that is carried on. */
export function isSwissPostal(digits: string): boolean {
  const table = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5]
  // Two digits, up to six, and the check digit; zeros before the six are left out.
  const number = digits.slice(0, 2) + digits.slice(2, -1).padStart(6, '0')
  let carry = 0
  for (const digit of number) carry = table[(carry + Number(digit)) % 10] ?? 0
  return (10 - carry) % 10 === Number(digits.at(-1))
}

/** CLABE: each product counts with its last digit. */
export function isMexican(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < 17; index++)
    sum += (Number(digits[index]) * ([3, 7, 1][index % 3] ?? 0)) % 10
  return digits.length === 18 && (10 - (sum % 10)) % 10 === Number(digits[17])
}

/** CBU and CVU: a digit behind bank and branch, and one behind the account. */
export const isArgentine = (digits: string): boolean =>
  digits.length === 22 &&
  weighed(digits.slice(0, 8), [7, 1, 3, 9, 7, 1, 3, 1]) % 10 === 0 &&
  weighed(digits.slice(8), [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3, 1]) % 10 === 0

/** CIN, the letter in front: digits at odd places count by a table of their own. */
export function isItalian(text: string): boolean {
  const odd = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
  ]
  let sum = 0
  for (let index = 1; index < text.length; index++) {
    const value = Number.parseInt(text.charAt(index), 36)
    const own = value > 9 ? value - 10 : value
    sum += index % 2 === 1 ? (odd[own] ?? 0) : own
  }
  return text.length === 23 && text.charCodeAt(0) - 65 === sum % 26
}
