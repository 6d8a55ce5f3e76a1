/** A text with what is written in escapes made readable; every character knows the place it came from. */
export interface Readable { readonly text: string; readonly starts: readonly number[]; readonly ends: readonly number[] }

/** A part of a text that was encoded, and what it says. */
export interface Decoded { readonly start: number; readonly end: number; readonly text: string }

const ESCAPES = /(?:%[\da-f]{2})+|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp|commat|period|hyphen|lowbar|num|sol|colon);|\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|=[\dA-F]{2}(?==[\dA-F]{2})/gi
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', commat: '@', period: '.', hyphen: '-', lowbar: '_', num: '#', sol: '/', colon: ':' }

/** Percent signs, HTML entities and the escapes of JSON and JavaScript read, or nothing where there are none. */
export function unescaped(text: string): Readable | undefined {
  if (!/[%&\\=]/.test(text)) return undefined
  const starts: number[] = []
  const ends: number[] = []
  let readable = ''
  let at = 0
  const keep = (part: string, start: number, end: number | undefined): void => {
    for (let index = 0; index < part.length; index++) {
      starts.push(end === undefined ? start + index : start)
      ends.push(end ?? start + index + 1)
    }
    readable += part
  }
  for (const { 0: escape, index } of text.matchAll(ESCAPES)) {
    keep(text.slice(at, index), at, undefined)
    keep(meaningOf(escape), index, index + escape.length)
    at = index + escape.length
  }
  if (at === 0) return undefined
  keep(text.slice(at), at, undefined)
  return { text: readable, starts, ends }
}

function meaningOf(escape: string): string {
  if (escape.startsWith('%')) return utf8(Buffer.from(escape.replaceAll('%', ''), 'hex')) ?? escape
  if (escape.startsWith('=')) return charOf(Number.parseInt(escape.slice(1), 16))
  if (escape.startsWith('\\')) return charOf(Number.parseInt(escape.replaceAll(/[\\ux{}]/gi, ''), 16))
  const name = escape.slice(1, -1).toLowerCase()
  if (name.startsWith('#x')) return charOf(Number.parseInt(name.slice(2), 16))
  return name.startsWith('#') ? charOf(Number(name.slice(1))) : NAMED[name] ?? escape
}

const charOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

const HEX = /[\da-f]{8,}|(?:[\da-f]{2}[ :,-]){3,}[\da-f]{2}/gi
/** Words are longer than this, but seldom with digits or capitals inside. */
const MAY_BE_ENCODED = /\d|[a-z][A-Z]|[a-fA-F]{8}/
/** Longer runs are files, not values. */
const MOST_CHARS = 65_536

/** What stands in a text in hexadecimal or base64, where it decodes to text. */
export function decodedIn(text: string, runs: readonly Run[] = mixedRuns(text)): readonly Decoded[] {
  const found: Decoded[] = []
  if (!MAY_BE_ENCODED.test(text)) return found
  if (mayHoldHex(text)) for (const { 0: run, index } of text.matchAll(HEX)) {
    if (/[g-wyz]/i.test(text.charAt(index - 1)) || /[g-z]/i.test(text.charAt(index + run.length))) continue
    const said = readBytes(Buffer.from(run.replaceAll(/[^\da-f]/gi, ''), 'hex'))
    if (said !== undefined) found.push({ start: index, end: index + run.length, text: said })
  }
  for (const { text: run, index } of runs) {
    if (run.length > MOST_CHARS) continue
    // Something else may stand before it without a space: the four ways to begin.
    for (const skip of /\//.test(run) ? [0, ...slashes(run)] : [0]) {
      const said = readBytes(Buffer.from(run.slice(skip), 'base64'))
      if (said !== undefined) found.push({ start: index + skip, end: index + run.length, text: said })
    }
  }
  return found
}

const LEAST_HEX = 8
const LEAST_PAIRS = 3
/** What a sign is in hexadecimal, by its code: a digit, or what may stand between two bytes. */
const HEX_DIGIT = 1, BETWEEN_BYTES = 2
const HEX_KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[\da-f]/i.test(sign) ? HEX_DIGIT : /[ :,-]/.test(sign) ? BETWEEN_BYTES : 0
})

/** Whether there is so much as a run of digits or of bytes: most texts have none, and a pattern asks dearly. */
function mayHoldHex(text: string): boolean {
  let digits = 0
  let pairs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? HEX_KIND[code] ?? 0 : 0
    if (kind === HEX_DIGIT) {
      if (++digits >= LEAST_HEX) return true
      continue
    }
    // A byte may be the end of a longer run, with which no other byte goes on.
    pairs = kind === BETWEEN_BYTES && digits >= 2 ? (digits === 2 ? pairs : 0) + 1 : 0
    if (pairs >= LEAST_PAIRS) return true
    digits = 0
  }
  return false
}

/** A run of the signs of base64, with the padding behind it. */
export interface Run { readonly text: string; readonly index: number }

const LEAST_RUN = 8
/** What a sign of base64 is, by its code: a small letter, a digit, a capital or one of the others. */
const SMALL = 1, DIGIT = 2, CAPITAL = 4, OTHER = 8
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[a-z]/.test(sign) ? SMALL : /\d/.test(sign) ? DIGIT : /[A-Z]/.test(sign) ? CAPITAL : /[_+/-]/.test(sign) ? OTHER : 0
})

/** Runs as bytes of text are in base64, and few words: of capitals, small letters and digits two of the three. */
export function mixedRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let start = 0
  let kinds = 0
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? KIND[code] ?? 0 : 0 // NaN behind the end
    if (kind !== 0) {
      kinds |= kind
      continue
    }
    const letters = kinds & ~OTHER
    if (at - start >= LEAST_RUN && (letters & (letters - 1)) !== 0) {
      const end = at + (text[at] !== '=' ? 0 : text[at + 1] !== '=' ? 1 : 2)
      runs.push({ text: text.slice(start, end), index: start })
    }
    start = at + 1
    kinds = 0
  }
  return runs
}

const slashes = (run: string): readonly number[] => [...run.matchAll(/\//g)].slice(0, 16).map(({ index }) => index + 1)

/** Bytes as text, if that is what they are: most runs of letters decode to bytes that no text has. */
function readBytes(bytes: Buffer): string | undefined {
  if (bytes.length < 4) return undefined
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32) || byte === 127) return undefined
  return utf8(bytes) ?? bytes.toString('latin1')
}

function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? undefined : text
}
