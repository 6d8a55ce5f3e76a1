import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from 'ibantools'
import type { Span } from './finding.ts'

export const IBAN_BEGIN = /(?<![A-Za-z0-9])[A-Za-z]{2}[ -]?\d{2}(?=[ -]?[A-Za-z0-9])/g
const LENGTHS: ReadonlyMap<string, number | null | undefined> = new Map(
  Object.entries(countrySpecs).map(([country, { chars }]) => [country, chars]),
)

/**
 * Bank account numbers of ISO 13616: a country, its length and form, and right check digits;
 * compact or grouped.
 */
export function ibansIn(text: string): readonly Span[] {
  return [...text.matchAll(IBAN_BEGIN)].flatMap(({ 0: begin, index }) => {
    const length = LENGTHS.get(begin.slice(0, 2).toUpperCase())
    const end = length == null ? undefined : endOf(text, index, length)
    if (
      end === undefined ||
      /[A-Za-z0-9]/.test(text.charAt(end)) ||
      (text.charAt(index - 1) === '-' && /\w/.test(text.charAt(index - 2)))
    )
      return []
    const { errorCodes } = validateIBAN(
      text.slice(index, end).replaceAll(/[ -]/g, '').toUpperCase(),
    )
    // Whatever the country's own check digits say: the standard has two, and they are right.
    const isNone = errorCodes.some(
      (code) => code !== ValidationErrorsIBAN.WrongAccountBankBranchChecksum,
    )
    return isNone ? [] : [{ start: index, end }]
  })
}

/** Where so many letters and digits end, if no more than one sign stands between two of them. */
function endOf(text: string, start: number, length: number): number | undefined {
  let at = start
  for (let count = 0; count < length; at++) {
    const char = text.charAt(at)
    if (/[A-Za-z0-9]/.test(char)) count++
    else if (!/[ -]/.test(char) || !/[A-Za-z0-9]/.test(text.charAt(at - 1))) return undefined
  }
  return at
}
