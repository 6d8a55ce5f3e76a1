/**
 * Takes no room where it is shown: joiners, direction marks, soft hyphens, variation selectors,
 * tags.
 */
const UNSEEN =
  /[\p{Cf}\p{Cc}\u115F\u1160\u17B4\u17B5\u3164\uFE00-\uFE0F\uFFA0\u{E0000}-\u{E0FFF}]/gu

/**
 * Letters of other alphabets that look like Latin ones. A dotless ı is none of them: it is a letter
 * of its own.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...pairs('авсеніјкморѕтхуһӏԁԛԝ', 'abcehijkmopstxyhldqw'), // Cyrillic, in small letters
  ...pairs('αειηκνορτυχ', 'aeinkvoptux'), // Greek
  ...pairs('օսոհցզ', 'ounhgq'), // Armenian
  ...pairs('ɑɡɩʟ', 'agil'),
])

function pairs(others: string, latin: string): readonly (readonly [string, string])[] {
  return [...others].map((other, at) => [other, latin.charAt(at)] as const)
}

const OTHER_THAN_ASCII = /[^\x20-\x7e]/

/**
 * The name of a field, entity or parameter as names are compared: without regard to case and
 * Unicode form, in every language alike. Two names are one where their keys are equal; a dotless ı
 * is no i.
 *
 * @example nameKey('ＡＭＯＵＮＴ') === nameKey('amount') // true
 */
export function nameKey(name: string): string {
  if (!OTHER_THAN_ASCII.test(name)) return name.toLowerCase()
  return name.normalize('NFKC').replace(UNSEEN, '').toLowerCase().normalize('NFKC')
}

/**
 * The visual form of a name: its key without diacritics, with letters of other alphabets replaced
 * by the Latin ones that look like them. Two names with the same visual form are not equal, and a
 * reader cannot tell which one is meant.
 *
 * @example plainLetters('аmóunt') // 'amount', whose first letter was Cyrillic
 */
export function plainLetters(name: string): string {
  if (!OTHER_THAN_ASCII.test(name)) return name.toLowerCase()
  let plain = ''
  for (const char of nameKey(name).normalize('NFKD'))
    if (!/\p{M}/u.test(char)) plain += LOOK_ALIKES.get(char) ?? char
  return plain
}

/**
 * Whether a name mixes Latin letters with such as look like them, so that what is read is not what
 * is written.
 */
export const isAmbiguousName = (name: string): boolean =>
  OTHER_THAN_ASCII.test(name) &&
  (nameKey(name).match(/\p{L}+/gu) ?? []).some(
    (run) => /[a-z]/.test(run) && [...run].some((char) => LOOK_ALIKES.has(char)),
  )
