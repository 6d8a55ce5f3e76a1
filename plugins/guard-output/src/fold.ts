/** The letters and digits of a text in small letters, by code, each with its place. */
export interface Folded {
  readonly codes: Uint16Array
  readonly places: Uint32Array
  readonly length: number
}

/** By code of ASCII: the code of the small letter or digit; 0 for anything else. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 65 && code <= 90) return code + 32
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) ? code : 0
})
const COUNTS = /^[\p{L}\p{N}]$/u

/**
 * What is left of a normalised text to be compared: without case, spaces and punctuation.
 *
 * @example fold('CUS-4').codes // those of 'cus4'
 */
export function fold(text: string): Folded {
  const codes = new Uint16Array(text.length)
  const places = new Uint32Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const own = text.charCodeAt(at)
    const code = own < 128 ? (ASCII[own] ?? 0) : otherOf(text, at)
    if (code === 0) continue
    codes[length] = code
    places[length++] = at
  }
  return { codes, places, length }
}

function otherOf(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  // Letters of two units count by each of them.
  if (unit >= 0xd800 && unit <= 0xdfff) return unit
  return (others[unit - 128] ??= foldedCode(text.charAt(at)))
}

/** By code, of letters that are not ASCII. */
const others: number[] = []

const foldedCode = (char: string): number =>
  COUNTS.test(char) ? char.toLowerCase().charCodeAt(0) : 0

/** The same as a text. */
export function foldedText(text: string): string {
  const { codes, length } = fold(text)
  return String.fromCharCode(...codes.subarray(0, length))
}
