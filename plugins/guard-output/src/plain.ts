import { digitOf } from './normalise.ts'

/** A text in the form that scanners read, with the position of each character in the original. */
export interface Plain {
  readonly text: string
  /** The place in the original; `at(text.length)` is its end. */
  readonly at: (index: number) => number
  /** The place in the original behind a character. */
  readonly behind: (index: number) => number
}

const same = (index: number): number => index
const next = (index: number): number => index + 1

const OTHER_THAN_ASCII = /[^\x00-\x7f]/
const ALL_OTHERS = /[^\x00-\x7f]/g
/**
 * Takes no room where it is shown, or only marks what it stands with: zero-width characters, soft
 * hyphens, variation selectors, key caps.
 */
const UNSEEN = /[\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]/u
const DASH = /[\p{Pd}\u2212\u2043]/u
const SPACE = /[\p{Zs}\t]/u
const DIGIT = /\p{Nd}/u
/** What takes two units, or none, so that places have to be counted. */
const MOVES = /[\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}\ud800-\udfff\u{10000}-\u{10ffff}]/u
/**
 * Between digits: tags inside of a line and emphasis, also such as have only begun. Other tags part
 * one number from the next.
 */
const MARKUP =
  /(?<=[\d>*_~`][ -]?|\b[A-Z]{2})(?:<(?:!--[^<>]{0,64}|\/?(?:abbr|big|bdi|bdo|b|code|del|em|font|ins|i|kbd|mark|samp|small|span|strong|sub|sup|s|tt|u|var|wbr)\b[^<>]{0,64})(?:>|$)|<[/!]?[a-z!-]{0,6}$|\*{2,3}|__|~~|`|[_~]$|\*(?=[ *-]|$)|(?<=[ >-]|\b[A-Z]{2})\*)+(?=\d|[A-Z](?![a-z])|$|[ -](?:[\d<*_~`]|[A-Z](?![a-z])|$))/g

/**
 * Every kind of dash, space and digit made one, full-width characters made ASCII, what is not seen
 * and markup between digits left out. Texts of ASCII, the usual case, are read as they stand.
 */
export function plainOf(original: string): Plain {
  if (!OTHER_THAN_ASCII.test(original))
    return withoutMarkup({ text: withoutEscapes(original), at: same, behind: next })
  if (!MOVES.test(original))
    return withoutMarkup({
      text: withoutEscapes(original.replaceAll(ALL_OTHERS, asciiOf)),
      at: same,
      behind: next,
    })
  const places: number[] = []
  const ends: number[] = []
  let text = ''
  for (let index = 0; index < original.length;) {
    const char = String.fromCodePoint(original.codePointAt(index) ?? 0)
    // the rest of it is still to come
    const half = index === original.length - 1 && /[\ud800-\udbff]/.test(char)
    if (!half && (char < '\x80' || !UNSEEN.test(char))) {
      const plain = asciiOf(char)
      text += plain
      for (let unit = 0; unit < plain.length; unit++) {
        places.push(index + unit)
        ends.push(index + (plain.length === char.length ? unit + 1 : char.length))
      }
    }
    index += char.length
  }
  return withoutMarkup({
    text: withoutEscapes(text),
    at: (index) => places[index] ?? original.length,
    behind: (index) => ends[index] ?? original.length,
  })
}

function withoutMarkup(read: Plain): Plain {
  const { text, at, behind } = read
  if (!/[\dA-Z][<*_~`]/.test(text)) return read
  const cuts: (readonly [from: number, length: number])[] = []
  let cut = 0
  const plain = text.replaceAll(MARKUP, (markup: string, from: number) => {
    cuts.push([from - cut, (cut += markup.length)])
    return ''
  })
  // Where there are many, they are found by halves.
  return cuts.length === 0
    ? read
    : {
        text: plain,
        at: (index) => at(index + cutBefore(cuts, index)),
        behind: (index) => behind(index + cutBefore(cuts, index)),
      }
}

/** Characters that were left out before a place. */
function cutBefore(
  cuts: readonly (readonly [from: number, length: number])[],
  index: number,
): number {
  let [low, high] = [0, cuts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle]?.[0] ?? Infinity) <= index) low = middle + 1
    else high = middle
  }
  return cuts[low - 1]?.[1] ?? 0
}

/**
 * The escapes of JSON in a text that was made of a value: a letter before a number that is none.
 */
const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(/\\[nrt"]/g, (escape) => (escape === '\\n' ? '\n ' : '  '))
    : text

/** One character for one, so that places stay places. */
function asciiOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x80) return char
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  if (DASH.test(char)) return '-'
  if (SPACE.test(char)) return ' '
  return DIGIT.test(char) ? digitOf(char) : char
}
