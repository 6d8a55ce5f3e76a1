import { gunzipSync } from 'node:zlib'
import { trySync } from '@amodal/sdk'

const MOST_INFLATED = 1_000_000
const BASE64 = /[\w+/-]{16,}={0,2}/g
const HEX = /(?:[\da-f]{2}){12,}/gi
const UUID = /^[\da-f]{8}-[\da-f-]{27}$/i
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** The texts that a text or a part of it encodes, each once. */
export function decodings(text: string): readonly string[] {
  const found = new Set<string>()
  if (text.includes('\\')) found.add(unescaped(text))
  if (/%[\da-f]{2}/i.test(text))
    found.add(fromPercent(text.includes('+') ? text.replaceAll('+', ' ') : text))
  if (/&#?\w{2,8};/.test(text)) found.add(fromEntities(text))
  if (/=[\dA-F]{2}/.test(text)) found.add(fromQuotedPrintable(text))
  for (const [run] of text.matchAll(HEX)) add(found, printable(Buffer.from(run, 'hex')))
  for (const part of partsOf(text)) add(found, part)
  found.delete(text)
  return [...found]
}

/** The text that a whole text is the base64 or hexadecimal of. */
export function wholeDecoded(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^data:[\w.+/-]*(?:;[\w.+=-]+)*;base64,/, '')
    .replaceAll(/[\r\n]+/g, '')
  if (bare.length >= 16 && bare.length % 2 === 0 && /^[\da-f]+$/i.test(bare))
    return printable(Buffer.from(bare, 'hex'))
  return bare.length >= 8 && /^[\w+/-]+={0,2}$/.test(bare) ? fromBase64(bare) : undefined
}

function* partsOf(text: string): Generator<string | undefined> {
  const joined =
    /^[\w+/=\s-]+$/.test(text) && /[\r\n]/.test(text) ? text.replaceAll(/\s+/g, '') : text
  for (const [run] of joined.matchAll(BASE64)) {
    if (UUID.test(run)) continue
    yield fromBase64(run)
    // What stands glued before it (`id-…`, `path/…`) moves its bytes.
    const tail = /[/_-]([\w+]{16,}={0,2})$/.exec(run)?.[1]
    if (tail !== undefined) yield fromBase64(tail)
  }
}

function add(found: Set<string>, text: string | undefined): void {
  if (text !== undefined) found.add(text)
}

function fromBase64(run: string): string | undefined {
  return printable(Buffer.from(run, 'base64'))
}

/** As text, where it is one; what is compressed is inflated. */
function printable(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const inflated = trySync(
      () => gunzipSync(bytes, { maxOutputLength: MOST_INFLATED }),
      () => undefined,
    )
    return inflated.ok ? printable(inflated.value) : undefined
  }
  if (bytes.length < 6) return undefined
  // Two bytes for each character, as some systems write texts.
  const wide = bytes.length % 2 === 0 && bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0
  const text = bytes.toString(wide ? 'utf16le' : 'utf8')
  return /[\u0000-\u0008\u000E-\u001A\uFFFD]/.test(text) ? undefined : text
}

const unescaped = (text: string): string =>
  text
    .replaceAll(
      /\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})/gi,
      (whole, four: string | undefined, any: string | undefined, two: string | undefined) => {
        const code = Number.parseInt(four ?? any ?? two ?? '', 16)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      },
    )
    .replaceAll(
      /\\(["\\/nrt])/g,
      (_whole, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? char,
    )

const fromPercent = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (code) => {
    const read = trySync(
      () => decodeURIComponent(code),
      () => undefined,
    )
    return read.ok ? read.value : Buffer.from(code.replaceAll('%', ''), 'hex').toString('latin1')
  })

const fromEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,8}));/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )

const fromQuotedPrintable = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[\dA-F]{2})+/g, (code) =>
      Buffer.from(code.replaceAll('=', ''), 'hex').toString('utf8'),
    )
