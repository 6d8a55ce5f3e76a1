export { normalText as normal } from '@amodal/sdk'

export const WORD = /[\p{L}\p{N}_]/u

/** With a sign, and `k` for thousands; a unit may follow. */
const NUMBER = /(?<![\p{L}\p{N}_.,'’])([-−]?)(\d+(?:[.,'’]\d+)*)(k(?![\p{L}\p{N}]))?(?![\p{N}_])/gu

/**
 * The numbers of a normal text, as `String` writes them. One that can be read in two ways (`1.200`)
 * counts as both.
 */
export function numbersOf(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, sign = '', digits = '', thousand = ''] of text.matchAll(NUMBER)) {
    for (const value of readingsOf(digits)) {
      const number = thousand === '' ? value : value * 1_000
      if (!Number.isFinite(number)) continue
      found.add(String(number))
      if (sign !== '') found.add(String(-number))
    }
  }
  return found
}

/** What digits with separators may mean. */
export function readingsOf(digits: string): readonly number[] {
  const plain = digits.replace(/['’]/g, '')
  const marks = [...plain].filter((char) => char === '.' || char === ',')
  const last = marks.at(-1)
  if (last === undefined) return [Number(plain)]
  const other = last === '.' ? ',' : '.'
  const whole = Number(plain.replace(/[.,]/g, ''))
  const decimal = Number(plain.replaceAll(other, '').replace(last, '.'))
  if (marks.includes(other)) return [decimal]
  if (marks.length > 1) return [whole]
  return /[.,]\d{3}$/.test(plain) ? [whole, decimal] : [decimal]
}

/** The number that a text is as a whole, such as `1,200.00`. */
export function numberIn(text: string): string | undefined {
  const [only, ...others] = /^[-−]?[\d.,'’]+$/.test(text) ? numbersOf(text) : []
  return others.length === 0 ? only : undefined
}

const DIGITS = /\+?\d(?:[\s().\/-]{0,2}\d){5,}/g
const IBAN =
  /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?(?![\p{L}\p{N}])/gu

/** Numbers of phones, cards and accounts, which people write in groups: without what parts them. */
export function groupedOf(text: string): ReadonlySet<string> {
  return new Set([...(text.match(DIGITS) ?? []), ...(text.match(IBAN) ?? [])].map(compact))
}

export const compact = (text: string): string => text.replace(/[^a-z0-9]/g, '')
