import { createRequire } from 'node:module'

/** The normalised letters and digits of a text, with the position of each in the original. */
export interface NormalisedText {
  readonly chars: string
  /** Of each UTF-16 unit of `chars`: its first place in the text, and the place behind it. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/**
 * Letters whose small form looks like another Latin letter than the tables say: those of the
 * standard tell apart only what a capital I, an l and a 1 are alike to.
 */
const OWN_LOOKS: ReadonlyMap<string, string> = new Map([
  ...pairs('\u0432\u043d\u043a\u043c\u0442', 'bhkmt'), // Cyrillic, small: as their capitals
  ...pairs('\u0406\u04c0\u0399\u2160\u13c6\u2c92\u04cf', 'iiiiiil'),
  ...pairs('\u03b7\u03ba\u03c4\u03c5\u03c7\u03bc', 'nktuxu'), // Greek, small
  ...pairs('\u0142\u00f8\u0111\u0127\u0167', 'lodht'),
  ...pairs(
    '\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\ua7af\u01eb\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22',
    'abcdefghijklmnopqqrstuvwyz',
  ), // small capitals
])

function pairs(others: string, latin: string): readonly (readonly [string, string])[] {
  return [...others].map((other, index) => [other, latin.charAt(index)] as const)
}

let tables: Readonly<Record<string, string>> | undefined
/**
 * Which characters look alike, as Unicode publishes it (UTS 39, confusables). Read when a text
 * first has a character that may be one.
 */
const looks = (): Readonly<Record<string, string>> =>
  (tables ??= createRequire(import.meta.url)('unhomoglyph/data.json') as Record<string, string>)

const COUNTS = /[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/v
const DIGIT = /\p{Nd}/u
/**
 * Letters in circles and squares, and those of flags, each from A to Z; digits in circles that have
 * no plainer form.
 */
const LETTERS_FROM = [0x1f130, 0x1f150, 0x1f170, 0x1f1e6]
const DIGITS_FROM: readonly (readonly [from: number, value: number])[] = [
  [0x2776, 1],
  [0x2780, 1],
  [0x278a, 1],
  [0x24f5, 1],
]
const ZEROS = new Set([0x24ff, 0x1f10b, 0x1f10c])

/**
 * Normalises a text for comparison: removes case, spaces, punctuation, marks and invisible
 * characters, and maps full-width, decorated and look-alike characters to plain ones.
 *
 * @example
 * fold('C\u0430fé ①').chars // 'cafe1'
 */
export const normalise = (text: string): NormalisedText => new LazyNormalisedText(text)

/** Computes positions only on demand, after a match. */
class LazyNormalisedText implements NormalisedText {
  readonly chars: string
  readonly #text: string
  #places: NormalisedText | undefined

  constructor(text: string) {
    this.#text = text
    this.chars = plainChars(text)
  }

  get starts(): readonly number[] {
    return this.#placed().starts
  }
  get ends(): readonly number[] {
    return this.#placed().ends
  }

  #placed(): NormalisedText {
    this.#places ??= normalisedChars(this.#text)
    return this.#places
  }
}

/**
 * The normalised characters without their positions; nearly all are ASCII, and written as bytes.
 */
function plainChars(text: string): string {
  const bytes = Buffer.allocUnsafe(text.length)
  let chars = ''
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) {
      const plain = PLAIN_CODE[code] ?? 0
      if (plain !== 0) bytes[length++] = plain
      continue
    }
    const wide = code >= 0xd800 && code <= 0xdbff && at + 1 < text.length
    chars +=
      bytes.toString('latin1', 0, length) +
      (PLAIN_LATIN[code - 0x80] ?? otherOf(text.slice(at, wide ? at + 2 : at + 1)))
    length = 0
    if (wide) at++
  }
  return chars + bytes.toString('latin1', 0, length)
}

function normalisedChars(text: string): NormalisedText {
  const starts: number[] = []
  const ends: number[] = []
  let chars = ''
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code < 0x80) {
      const plain = PLAIN_ASCII[code] ?? ''
      if (plain !== '') {
        chars += plain
        starts.push(at)
        ends.push(at + 1)
      }
      at++
      continue
    }
    const width = code >= 0xd800 && code <= 0xdbff && at + 1 < text.length ? 2 : 1
    const plain = PLAIN_LATIN[code - 0x80] ?? otherOf(text.slice(at, at + width))
    chars += plain
    for (let unit = 0; unit < plain.length; unit++) {
      starts.push(at)
      ends.push(at + width)
    }
    at += width
  }
  return { chars, starts, ends }
}

/** By code: most texts have no other characters. */
const PLAIN_ASCII: readonly string[] = Array.from({ length: 0x80 }, (_, code) => asciiOf(code))
const PLAIN_CODE = Uint8Array.from(PLAIN_ASCII, (plain) => plain.charCodeAt(0) || 0)
/** Codes in ASCII of the characters whose plainest form is this one. */
export const codesOf = (plain: string): readonly number[] =>
  PLAIN_ASCII.flatMap((own, code) => (own === plain && plain !== '' ? [code] : []))

/** The accented letters of European languages. */
const PLAIN_LATIN: readonly string[] = Array.from({ length: 0x100 }, (_, at) =>
  europeanOf(String.fromCharCode(0x80 + at)),
)

function europeanOf(char: string): string {
  const own = OWN_LOOKS.get(char) ?? (char === '\u0131' ? 'i' : undefined)
  return (
    own ?? [...char.normalize('NFKD').toLowerCase()].filter((part) => COUNTS.test(part)).join('')
  )
}

function asciiOf(code: number): string {
  if ((code >= 48 && code <= 57) || (code >= 97 && code <= 122)) return String.fromCharCode(code)
  return code >= 65 && code <= 90 ? String.fromCharCode(code + 32) : ''
}

function otherOf(char: string): string {
  const own = looksLike(char)
  if (own !== undefined) return own
  let plain = ''
  for (const part of char.normalize('NFKD'))
    if (COUNTS.test(part))
      plain += part < '\x80' ? part.toLowerCase() : (looksLike(part) ?? part.toLowerCase())
  return plain
}

const remembered = new Map<string, string | undefined>()

/** What a character looks like, in small letters of ASCII; every text has few different ones. */
function looksLike(char: string): string | undefined {
  if (remembered.has(char)) return remembered.get(char)
  const plain =
    OWN_LOOKS.get(char) ??
    (DIGIT.test(char) ? digitOf(char) : undefined) ??
    enclosed(char.codePointAt(0) ?? 0) ??
    fromTables(char)
  if (remembered.size < MOST_REMEMBERED) remembered.set(char, plain)
  return plain
}

const MOST_REMEMBERED = 20_000

/** A digit of any script: they stand in Unicode in tens, and begin with zero. */
export function digitOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  let first = code
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

function enclosed(code: number): string | undefined {
  if (ZEROS.has(code)) return '0'
  for (const from of LETTERS_FROM)
    if (code >= from && code < from + 26) return String.fromCharCode(97 + code - from)
  for (const [from, value] of DIGITS_FROM)
    if (code >= from && code < from + 9) return String(code - from + value)
  return undefined
}

const WORD = /^[\p{L}\p{N}]$/u
const CAPITAL = /\p{Lu}/u

function fromTables(char: string): string | undefined {
  if (!WORD.test(char) || IDEOGRAPH.test(char)) return undefined
  const like = looks()[char]
  if (like === undefined) return undefined
  // The tables know a capital I, a one and a small l as one.
  if (like === 'l') return CAPITAL.test(char) ? 'i' : 'l'
  const plain = like
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z\d]/g, '')
    .toLowerCase()
  return plain === '' ? undefined : plain
}

/** Those are most of what is no Latin letter in texts, and look like none. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
