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
/** Fewer are no text that could be told from chance. */
const LEAST_BYTES = 4
/** Longer runs are files, not values. */
const MOST_CHARS = 65_536

/**
 * What stands in a text in hexadecimal or base64, where it decodes to text.
 *
 * @param least bytes of which it has to be: shorter ones are not decoded at all
 */
export function decodedIn(text: string, runs: readonly Run[] = mixedRuns(text), least = LEAST_BYTES): readonly Decoded[] {
  const found: Decoded[] = []
  if (!MAY_BE_ENCODED.test(text)) return found
  for (const [from, upto] of hexStretches(text, least * 2)) {
    for (const { 0: run, index } of text.slice(from, upto).matchAll(HEX)) {
      const start = from + index
      if (/[g-wyz]/i.test(text.charAt(start - 1)) || /[g-z]/i.test(text.charAt(start + run.length))) continue
      if (run.length < least * 2) continue
      const said = readBytes(Buffer.from(run.replaceAll(/[^\da-f]/gi, ''), 'hex'))
      if (said !== undefined) found.push({ start, end: start + run.length, text: said })
    }
  }
  for (const { text: run, index } of runs) {
    if (run.length > MOST_CHARS || run.length * 6 < least * 8) continue
    // Something else may stand before it without a space: the four ways to begin. What begins in the same way later is the end of what was read.
    const ways = new Set<number>()
    for (const skip of run.includes('/') ? [0, ...slashes(run)] : [0]) {
      if ((run.length - skip) * 6 < least * 8) break
      if (ways.has(skip % 4) || holdsControls(run, skip)) continue
      const said = readBytes(Buffer.from(run.slice(skip), 'base64'))
      if (said === undefined) continue
      ways.add(skip % 4)
      found.push({ start: index + skip, end: index + run.length, text: said })
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

/**
 * Parts of a text with no other signs than these, and a run of digits or of bytes among them: most texts have none, and a pattern asks dearly.
 *
 * @param least digits that a part has to have in all
 */
function hexStretches(text: string, least: number): readonly (readonly [from: number, upto: number])[] {
  const stretches: (readonly [number, number])[] = []
  let from = 0
  let all = 0
  let digits = 0
  let pairs = 0
  let holds = false
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? HEX_KIND[code] ?? 0 : 0 // NaN behind the end
    if (kind === HEX_DIGIT) {
      all++
      if (++digits >= LEAST_HEX) holds = true
      continue
    }
    if (kind === 0) {
      if (holds && all >= least) stretches.push([from, at])
      from = at + 1
      all = digits = pairs = 0
      holds = false
      continue
    }
    // A byte may be the end of a longer run, with which no other byte goes on.
    pairs = digits >= 2 ? (digits === 2 ? pairs : 0) + 1 : 0
    if (pairs >= LEAST_PAIRS) holds = true
    digits = 0
  }
  return stretches
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

/** What a sign of base64 stands for, by its code, in either alphabet; 255 is no such sign. */
const SIX_BITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code).replace('-', '+').replace('_', '/'))
  return at < 0 ? 255 : at
})
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32) || byte === 127

/** Whether base64 has bytes that no text has, as that of most words: known without decoding it. */
function holdsControls(run: string, from: number): boolean {
  let bits = 0
  let held = 0
  for (let at = from; at < run.length; at++) {
    const six = SIX_BITS[run.charCodeAt(at)] ?? 255
    if (six === 255) return false
    bits = ((bits << 6) | six) & 0x3fff
    held += 6
    if (held < 8) continue
    held -= 8
    if (isControl((bits >> held) & 255)) return true
  }
  return false
}

/** Bytes as text, if that is what they are: most runs of letters decode to bytes that no text has. */
function readBytes(bytes: Buffer): string | undefined {
  if (bytes.length < LEAST_BYTES) return undefined
  for (const byte of bytes) if (isControl(byte)) return undefined
  return utf8(bytes) ?? bytes.toString('latin1')
}

function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? undefined : text
}
