import { decodeHTML } from 'entities'
import { isUtf8 } from 'node:buffer'
import type { Reading } from './span.ts'

/** What a text holds in an encoding. */
export interface Decoded extends Reading {
  /** Whether it is bytes in base64 or hexadecimal, which no reader takes for text. */
  readonly isEncoded: boolean
}

const MAY_BE_ESCAPED = /%[\da-f]{2}|&[#a-z]|\\[nrtux"]/i
const ESCAPE =
  /(?:%[\da-f]{2})+|&(?:#\d{1,7};?|#x[\da-f]{1,6};?|[a-z][a-z\d]{1,31};)|\\(?:u[\da-f]{4}|x[\da-f]{2}|[nrt"])/gi
const BASE64 = /[A-Za-z\d+/_-]{8,}(?:\r?\n[A-Za-z\d+/_-]{4,})*/g
const HEX = /[\da-f]{12,}/gi
/** What is no word has two of these. */
const SIGN_KINDS = [/[a-z]/, /[A-Z]/, /\d/]
/** Bytes of text in a row that are looked at. */
const SHORTEST = 6
const TEXT_BYTES = new RegExp(`[\\t\\n\\r -~]{${SHORTEST},}`, 'g')

/**
 * What a normalised text holds in an encoding: percent signs, entities and escapes of a program as
 * one text; base64 and hexadecimal, from each sign that a byte may begin with.
 *
 * @param from what ends before this place is context only
 */
export function* decodings(text: string, from: number): Generator<Decoded> {
  const plain = unescaped(text)
  if (plain) yield plain
  for (const run of runsOf(BASE64, text, from)) {
    if (SIGN_KINDS.filter((kind) => kind.test(run.text)).length < 2) continue
    const signs = run.text.replaceAll('-', '+').replaceAll('_', '/')
    for (let skip = 0; skip < 4; skip++)
      yield* textsIn(Buffer.from(signs.slice(skip), 'base64'), run, skip, SIGNS_PER_BYTE.base64)
  }
  for (const run of runsOf(HEX, text, from))
    for (let skip = 0; skip < 2; skip++)
      yield* textsIn(Buffer.from(run.text.slice(skip), 'hex'), run, skip, SIGNS_PER_BYTE.hex)
}

const SIGNS_PER_BYTE = { base64: 4 / 3, hex: 2 } as const

/** Escapes and entities read; `undefined` where a text has none. */
export function unescaped(text: string): Decoded | undefined {
  if (!MAY_BE_ESCAPED.test(text)) return undefined
  const starts: number[] = []
  const ends: number[] = []
  let plain = ''
  let upto = 0
  const add = (part: string, start: number, end?: number): void => {
    for (let index = 0; index < part.length; index++) {
      starts.push(end === undefined ? start + index : start)
      ends.push(end ?? start + index + 1)
    }
    plain += part
  }
  for (const { 0: escape, index } of text.matchAll(ESCAPE)) {
    add(text.slice(upto, index), upto)
    add(meaningOf(escape), index, index + escape.length)
    upto = index + escape.length
  }
  if (upto === 0) return undefined
  add(text.slice(upto), upto)
  return { ...readingOf(plain, starts, ends, text.length), isEncoded: false }
}

const readingOf = (
  text: string,
  starts: readonly number[],
  ends: readonly number[],
  length: number,
): Reading => ({
  text,
  at: (index) => starts[index] ?? length,
  behind: (index) => ends[index] ?? length,
})

function meaningOf(escape: string): string {
  switch (escape.charAt(0)) {
    case '%': {
      const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex')
      return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    }
    case '&':
      return decodeHTML(escape)
    default:
      return escape.length === 2 ? ' ' : String.fromCharCode(Number.parseInt(escape.slice(2), 16))
  }
}

/** A run of the signs of an encoding, without what breaks its lines. */
interface Run {
  readonly text: string
  readonly placeOf: (sign: number) => number
}

function* runsOf(pattern: RegExp, text: string, from: number): Generator<Run> {
  pattern.lastIndex = from
  const runs: (readonly [run: string, index: number])[] = []
  for (let found = pattern.exec(text); found; found = pattern.exec(text))
    runs.push([found[0], found.index])
  for (const [run, index] of runs) {
    if (!run.includes('\n')) {
      yield { text: run, placeOf: (sign) => index + sign }
      continue
    }
    const places = [...run].flatMap((sign, at) => (/\s/.test(sign) ? [] : [index + at]))
    yield {
      text: run.replaceAll(/\s/g, ''),
      placeOf: (sign) => places[sign] ?? index + run.length,
    }
  }
}

/** The texts that bytes hold, whatever stands around them. */
function* textsIn(bytes: Buffer, run: Run, skip: number, signs: number): Generator<Decoded> {
  if (bytes.length < SHORTEST) return
  const place = (byte: number): number =>
    run.placeOf(Math.min(run.text.length, skip + Math.floor(byte * signs)))
  const behind = (byte: number): number =>
    run.placeOf(Math.min(run.text.length, skip + Math.ceil(byte * signs)) - 1) + 1
  const reading = (text: string, byteOf: (index: number) => number): Decoded => ({
    text,
    at: (index) => place(byteOf(index)),
    behind: (index) => behind(byteOf(index + 1)),
    isEncoded: true,
  })
  const raw = bytes.toString('latin1')
  if (/[\x80-\xff]/.test(raw) && isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    let offsets: Uint32Array | undefined
    yield reading(text, (index) => (offsets ??= byteOffsets(text))[index] ?? bytes.length)
  } else
    for (const { 0: part, index: first } of raw.matchAll(TEXT_BYTES))
      yield reading(part, (index) => first + index)
}

/** The byte of UTF-8 that each unit of a text begins at. */
function byteOffsets(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1)
  let [unit, byte] = [0, 0]
  for (const char of text) {
    offsets.fill(byte, unit, unit + char.length)
    unit += char.length
    byte += Buffer.byteLength(char)
  }
  offsets[unit] = byte
  return offsets
}
