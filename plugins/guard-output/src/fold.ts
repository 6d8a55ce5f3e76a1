/** The letters and digits of a text, each in its plainest form, and where each of them stands. */
export interface Folded {
  readonly chars: string
  /** Of each UTF-16 unit of `chars`: its first place in the text, and the place behind it. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Letters of other alphabets that look like Latin ones, upper and lower case apart where they differ. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...pairs('\u0430\u0432\u0441\u0435\u043d\u0456\u0458\u043a\u043c\u043e\u0440\u0455\u0442\u0445\u0443', 'abcehijkmopstxy'), // Cyrillic, small
  ...pairs('\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423', 'abcehijkmopstxy'), // Cyrillic, capital
  ...pairs('\u04bb\u04cf\u0501\u051b\u051d', 'hldqw'),
  ...pairs('\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7', 'aikvoptux'), // Greek, small
  ...pairs('\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7', 'abezhikmnoptyx'), // Greek, capital
  ...pairs('\u0131\u0142\u00f8\u0251\u0261', 'iloag'),
])

function pairs(others: string, latin: string): readonly (readonly [string, string])[] {
  return [...others].map((other, index) => [other, latin.charAt(index)] as const)
}

const COUNTS = /[\p{L}\p{N}]/u

/**
 * Leaves case, spaces, punctuation, marks and invisible characters aside, and makes full-width, decorated and
 * look-alike characters plain.
 *
 * @example
 * fold('C\u0430fé ①').chars // 'cafe1'
 */
export const fold = (text: string): Folded => new FoldedText(text)

/** Where its characters stand is worked out when something was found in it. */
class FoldedText implements Folded {
  readonly chars: string
  readonly #text: string
  #places: Folded | undefined

  constructor(text: string) {
    this.#text = text
    this.chars = plainChars(text)
  }

  get starts(): readonly number[] { return this.#placed().starts }
  get ends(): readonly number[] { return this.#placed().ends }

  #placed(): Folded {
    this.#places ??= folded(this.#text)
    return this.#places
  }
}

/** The same characters as {@link folded} gives, without their places: nearly all are ASCII, and written as bytes. */
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
    chars += bytes.toString('latin1', 0, length) + (PLAIN_LATIN[code - 0x80] ?? otherOf(text.slice(at, wide ? at + 2 : at + 1)))
    length = 0
    if (wide) at++
  }
  return chars + bytes.toString('latin1', 0, length)
}

function folded(text: string): Folded {
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
/** The accented letters of European languages. */
const PLAIN_LATIN: readonly string[] = Array.from({ length: 0x100 }, (_, at) => otherOf(String.fromCharCode(0x80 + at)))

function asciiOf(code: number): string {
  if ((code >= 48 && code <= 57) || (code >= 97 && code <= 122)) return String.fromCharCode(code)
  return code >= 65 && code <= 90 ? String.fromCharCode(code + 32) : ''
}

function otherOf(char: string): string {
  const alike = LOOK_ALIKES.get(char)
  if (alike !== undefined) return alike
  let plain = ''
  for (const part of char.normalize('NFKD').toLowerCase()) if (COUNTS.test(part)) plain += LOOK_ALIKES.get(part) ?? part
  return plain
}
