/** Encoded parts that are looked at, of one text, and their length. */
const MOST_PARTS = 64
const MOST_CHARS = 20_000
const LEVELS = 2

const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g
const HEX = /(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){8,}(?![0-9A-Za-z])/g
const PERCENT = /(?:[^\s%]{0,64}%[0-9A-Fa-f]{2})+[^\s%]{0,64}/g
const ESCAPED = /(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,6}\})/g
const ENTITY =
  /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|commat|colon|sol|period|num|lowbar));/g
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  commat: '@',
  colon: ':',
  sol: '/',
  period: '.',
  num: '#',
  lowbar: '_',
}

/**
 * What a text says in other spellings: base64, hex, percent-encoding, escapes and entities, one
 * inside of another. A model reads these, so a value that it took from one has its origin there.
 */
export function decodedIn(text: string): readonly string[] {
  const found: string[] = []
  let level = [text]
  for (let depth = 0; depth < LEVELS && level.length > 0; depth++) {
    const next = level.flatMap(partsOf).slice(0, MOST_PARTS - found.length)
    found.push(...next)
    level = next
  }
  return found
}

function partsOf(text: string): readonly string[] {
  const short = text.length > MOST_CHARS * 10 ? text.slice(0, MOST_CHARS * 10) : text
  const unescaped = unescape(short)
  return [
    ...(unescaped === short ? [] : [unescaped]),
    ...matches(short, BASE64).flatMap((part) => readable(Buffer.from(part, 'base64'))),
    ...matches(short, HEX).flatMap((part) => readable(Buffer.from(part, 'hex'))),
    ...(short.includes('%') ? matches(short, PERCENT).flatMap(percent) : []),
  ]
}

const matches = (text: string, pattern: RegExp): readonly string[] =>
  (text.match(pattern) ?? []).slice(0, MOST_PARTS).map((part) => part.slice(0, MOST_CHARS))

function unescape(text: string): string {
  return text
    .replace(ESCAPED, (escape) =>
      character(Number.parseInt(escape.replace(/[^0-9A-Fa-f]/g, ''), 16), escape),
    )
    .replace(
      ENTITY,
      (entity, decimal: string | undefined, hex: string | undefined, name: string | undefined) =>
        name === undefined
          ? character(
              decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal),
              entity,
            )
          : (NAMED[name] ?? entity),
    )
}

const character = (code: number, otherwise: string): string =>
  code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : otherwise

function percent(part: string): readonly string[] {
  try {
    return [decodeURIComponent(part)]
  } catch {
    return []
  }
}

/** Bytes that are a text; most that look encoded are not. */
function readable(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8')
  return text.length >= 6 && !/[^\P{Cc}\t\n\r]|\uFFFD/u.test(text) ? [text] : []
}
