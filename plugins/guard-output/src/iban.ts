import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from 'ibantools'
import type { NumberMatch } from './number-kind.ts'

const BEGIN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g
/** The same while its end has not come. */
const BEGUN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{1,2}/g
const LENGTHS: ReadonlyMap<string, number | null | undefined> = new Map(
  Object.entries(countrySpecs).map(([country, { chars }]) => [country, chars]),
)

/**
 * Bank account numbers of ISO 13616: a country, its length and form, and right check digits;
 * compact or grouped.
 */
export function* ibansIn(text: string, from: number): Generator<NumberMatch> {
  BEGIN.lastIndex = from
  for (let begin = BEGIN.exec(text); begin; begin = BEGIN.exec(text)) {
    const { index } = begin
    const length = lengthAt(text, index)
    const end = length === undefined ? undefined : endOf(text, index, length)
    if (end === undefined || /[A-Za-z0-9]/.test(text.charAt(end))) continue
    const compact = text.slice(index, end).replaceAll(/[ -]/g, '').toUpperCase()
    // The standard has two check digits; those of the country's own are not asked for.
    const isIban = validateIBAN(compact).errorCodes.every(
      (code) => code === ValidationErrorsIBAN.WrongAccountBankBranchChecksum,
    )
    if (!isIban) continue
    BEGIN.lastIndex = end
    yield { kind: 'iban', start: index, end }
  }
}

const lengthAt = (text: string, index: number): number | undefined =>
  LENGTHS.get(text.slice(index, index + 2).toUpperCase()) ?? undefined

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

/** Where an IBAN begins at the end of a text that may go on; `undefined` where none does. */
export function ibanAtEnd(text: string): number | undefined {
  BEGUN.lastIndex = 0
  for (let begin = BEGUN.exec(text); begin; begin = BEGUN.exec(text)) {
    const length = lengthAt(text, begin.index)
    if (length === undefined) continue
    const rest = text.slice(begin.index)
    if (/^[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*[ -]?$/.test(rest)) {
      if (rest.replaceAll(/[ -]/g, '').length <= length) return begin.index
    }
  }
  return undefined
}
