/** A place in a text, from `start` up to `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A text in another form, with the place in the text it was made of for each character. */
export interface Reading {
  readonly text: string
  /** Where a character begins in the original. */
  readonly at: (index: number) => number
  /** The place in the original behind a character. */
  readonly behind: (index: number) => number
}

/** A place of the reading as a place of the original. */
export const original = (reading: Reading, { start, end }: Span): Span => ({
  start: reading.at(start),
  end: reading.behind(end - 1),
})

/** Whether a letter or digit joins another one to a word; scripts without spaces have no words. */
export const isWordCharacter = (char: string): boolean =>
  WORD.test(char) && !WITHOUT_SPACES.test(char)

const WORD = /[\p{L}\p{N}]/u
const WITHOUT_SPACES = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1100-\u11ff]/

/** Whether a word or number may begin at a place: none goes on there. */
export function opensWord(text: string, place: number): boolean {
  if (place === 0) return true
  const before = text.charCodeAt(place - 1)
  if (before < 128) return !isAsciiWord(before)
  return !isWordCharacter(text.charAt(place - 1)) || !isWordCharacter(text.charAt(place))
}

const isAsciiWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
