/** A letter or digit, and the marks that scripts such as Hindi and Thai write around letters. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g
/** Scripts that write no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts are part of their words. */
const ACCENTS = /[\u0300-\u036f]/g
/** Letters that have no decomposition into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
const WITHOUT_DECOMPOSITION = /[ßæœøłđðþı]/g
/** Characters of a word that count; longer ones are digests and data, which nobody types. */
const LONGEST_WORD = 64

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * The words of a text as they are indexed and searched: in lower case, without accents, and
 * separated by a dictionary where the script writes no spaces.
 *
 * @example wordsOf('Crème brûlée, 東京都') // ['creme', 'brulee', '東京', '都']
 */
export function wordsOf(text: string): string[] {
  // Most text of most documents: nothing of it has to be folded or segmented.
  if (ASCII.test(text))
    return (text.toLowerCase().match(ASCII_WORD) ?? []).map((word) => word.slice(0, LONGEST_WORD))
  return (folded(text).match(WORD) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? segmented(word) : [word.slice(0, LONGEST_WORD)],
  )
}

function folded(text: string): string {
  const lower = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(ACCENTS, '')
  return lower.replace(WITHOUT_DECOMPOSITION, (letter) => LETTERS[letter] ?? letter)
}

function segmented(run: string): string[] {
  return [...segmenter.segment(run)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment.slice(0, LONGEST_WORD)] : [],
  )
}
