/** A text as scanners read it, and where each of its characters stands in the original. */
export interface Plain {
  readonly text: string
  /** The place in the original; `at(text.length)` is its end. */
  readonly at: (index: number) => number
}

const OTHER_THAN_ASCII = /[^\x00-\x7f]/
const ALL_OTHERS = /[^\x00-\x7f]/g
/** Takes no room where it is shown: zero-width characters, soft hyphens, marks of direction, variation selectors. */
const UNSEEN = /[\p{Cf}\ufe00-\ufe0f]/u
const DASH = /[\p{Pd}\u2212\u2043]/u
const SPACE = /[\p{Zs}\t]/u

/**
 * Every kind of dash and space made one, full-width characters made ASCII, what is not seen left out.
 * Texts of ASCII, the usual case, are read as they stand.
 */
export function plainOf(original: string): Plain {
  if (!OTHER_THAN_ASCII.test(original)) return { text: withoutEscapes(original), at: (index) => index }
  if (!UNSEEN.test(original)) return { text: withoutEscapes(original.replaceAll(ALL_OTHERS, asciiOf)), at: (index) => index }
  const places: number[] = []
  let text = ''
  for (let index = 0; index < original.length; index++) {
    const char = original.charAt(index)
    const isAscii = original.charCodeAt(index) < 0x80
    if (!isAscii && UNSEEN.test(char)) continue
    text += isAscii ? char : asciiOf(char)
    places.push(index)
  }
  return { text: withoutEscapes(text), at: (index) => places[index] ?? original.length }
}

/** The escapes of JSON in a text that was made of a value: a letter before a number that is none. */
const withoutEscapes = (text: string): string => (text.includes('\\') ? text.replaceAll(/\\[nrt"]/g, (escape) => (escape === '\\n' ? '\n ' : '  ')) : text)

/** One UTF-16 unit for one, so that places stay places. */
function asciiOf(char: string): string {
  const code = char.charCodeAt(0)
  if (code < 0x80) return char
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  if (DASH.test(char)) return '-'
  return SPACE.test(char) ? ' ' : char
}
