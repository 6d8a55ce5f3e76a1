import type { RedactedValue } from '@amodal/sdk'
import { BitReader, type Piece } from './bits.ts'
import { CleanMemory, CleanTexts } from './clean-texts.ts'
import { Effort } from './effort.ts'
import type { Span } from './finding.ts'
import { codesOf, normalise, type NormalisedText } from './normalise.ts'
import type { KnownValueMatch, ValueMatch } from './match.ts'
import { Fragments, mixedRuns } from './fragments.ts'
import { confirmed, CONTEXT } from './context.ts'
import { Prefixes } from './prefixes.ts'
import { numberedIn, type Readable, unescaped, unquoted } from './readable.ts'
import { isWideGap, standsWhole } from './whole-value.ts'
import { type Needle, needlesOf } from './tracked.ts'

export interface Leak extends ValueMatch {
  readonly value: RedactedValue
}

/** Encodings inside of encodings that are still read: three, and the markup around them. */
const MOST_LAYERS = 4
/** Passes over a text that look for encodings in it. */
const PASSES = 3
/** Shorter texts have no room for a value in an encoding. */
const LEAST_ENCODED = 6
/**
 * What is written in an encoding and goes on may hold another one, if it is of so many characters;
 * of base32, nearly every text has fewer.
 */
const LEAST_OPEN = 3
const LEAST_OPEN_BASE32 = 5
const HALF = /[\ud800-\udbff]$/
const OTHER_THAN_ASCII = /[^\x00-\x7f]/
/**
 * What stands between two characters of a value takes as much work to judge as so many characters
 * to read.
 */
const GAP = 16
/** Signs behind a value that may make it a part of something longer. */
const NEXT_SIGN = 2
/** Longer runs without a space are let go as they come. */
const MOST_HELD = 1_024

/**
 * Finds redacted values in texts. Values are indexed by their first characters, so that one pass
 * over a text finds all of them. Both sides are normalised (case, spaces, punctuation, invisible
 * and look-alike characters); escapes, base64 and hexadecimal are decoded, and the reverse order is
 * tried.
 *
 * @example
 * const known = new KnownValues()
 * known.add([
 *   {
 *     value: '078-05-1121',
 *     entity: 'Contact',
 *     field: 'ssn',
 *     policy: 'never_retrieve',
 *     sensitivity: 'pii_identifier',
 *   },
 * ])
 * known.find('It is 078 05 1121.') // one leak, from 6 to 17
 */
export class KnownValues {
  readonly #seen = new Set<string>()
  readonly #needles = new Prefixes<Needle>()
  readonly #reader = new BitReader()
  readonly #fragments = new Fragments<Needle>()
  readonly #clean: CleanMemory
  /** By byte of UTF-8: whether a value may begin with it. */
  readonly #firsts = new Uint8Array(256).fill(1, 128)
  #shortest = Infinity
  #longest = 0

  /** @param longClean cache that is shared by all scanners of the same texts */
  constructor(longClean = new CleanTexts()) {
    this.#clean = new CleanMemory(longClean)
  }

  get empty(): boolean {
    return this.#longest === 0
  }

  has(value: RedactedValue): boolean {
    return this.#seen.has(nameOf(value))
  }

  add(values: readonly RedactedValue[]): void {
    for (const value of values) {
      if (this.has(value)) continue
      this.#seen.add(nameOf(value))
      this.#clean.clear()
      const needles = needlesOf(value)
      for (const needle of needles) this.#keep(needle)
      if (needles[0]) this.#fragments.add(value.value, needles[0])
    }
  }

  /**
   * Known values in a text, without overlaps; the longest wins. Stops once the effort is exceeded.
   */
  find(text: string, effort = Effort.forText(text)): readonly Leak[] {
    const found = this.#foundIn(text, effort)
    if (found.length === 0) return []
    return withoutOverlaps(confirmed(text, found)).map(({ start, end, needle, disguised }) => ({
      start,
      end,
      value: needle.value,
      disguised,
    }))
  }

  /**
   * Scans the part of a stream that is held back.
   *
   * @returns up to where it can be judged: behind may stand a value that has only begun, or a name
   *   whose entity is still to be named; and whether it holds the characters of a known value, of
   *   which the text around may still say that it is none
   */
  look(
    text: string,
    effort = Effort.forText(text),
  ): { readonly settled: number; readonly touched: boolean } {
    if (this.empty) return { settled: text.length, touched: false }
    const token = lastToken(text)
    if (token === 0) return { settled: 0, touched: false }
    if (HALF.test(text)) return this.#withoutHalf(text, effort)
    const { found, begun } = this.#inside(new View({ text }), 0, effort, true)
    const undecided = found.filter(
      ({ end, needle, sure }) => end > text.length - (needle.name && !sure ? CONTEXT : NEXT_SIGN),
    )
    // Encodings may go on for as long as a reply does.
    const held = Math.max(begun, text.length - Math.max(MOST_HELD, this.#longest * GAP))
    return {
      settled: undecided.reduce(
        (least, { start }) => Math.min(least, start),
        Math.min(held, token),
      ),
      touched: found.length > 0,
    }
  }

  /** Of a character that takes two units, the second is still to come. */
  #withoutHalf(
    text: string,
    effort: Effort,
  ): { readonly settled: number; readonly touched: boolean } {
    const whole = text.slice(0, -1)
    return whole === '' ? { settled: 0, touched: false } : this.look(whole, effort)
  }

  /**
   * Whether a text holds the characters of a known value; what stands around it may still say that
   * it is none.
   */
  touches(text: string, effort = Effort.forText(text)): boolean {
    return this.#foundIn(text, effort).length > 0
  }

  #foundIn(text: string, effort: Effort): readonly KnownValueMatch[] {
    if (this.#tooShort(text) || this.#clean.has(text)) return []
    const { found } = this.#inside(new View({ text }), 0, effort)
    if (found.length === 0 && !effort.exceeded) this.#clean.add(text)
    return found
  }

  /** Where a value begins of which the rest is still to come. */
  #begun(text: string, normalised: NormalisedText): number | undefined {
    const { chars } = normalised
    let from = Math.max(0, chars.length - this.#longest)
    while (from < chars.length && !this.#needles.isBegun(chars, from)) from++
    if (from >= chars.length) return undefined
    // Nothing goes on behind so much that is neither letter nor digit.
    for (let at = chars.length - 1; at >= from; at--) {
      if (isWideGap(text, normalised, at)) {
        from = at + 1
        while (from < chars.length && !this.#needles.isBegun(chars, from)) from++
        break
      }
    }
    return from < chars.length ? normalised.starts[from] : undefined
  }

  /** One sign may stand for several letters, as `ﬃ` does, but none of ASCII. */
  #tooShort(text: string): boolean {
    return this.empty || (text.length < this.#shortest && !OTHER_THAN_ASCII.test(text))
  }

  #keep(needle: Needle): void {
    this.#needles.add(needle.key, needle)
    for (const code of codesOf(needle.key.charAt(0))) this.#firsts[code] = 1
    this.#shortest = Math.min(this.#shortest, needle.key.length)
    this.#longest = Math.max(this.#longest, needle.key.length)
  }

  /**
   * @param atEnd whether the text may go on, so that it is to be known what has begun at its end
   */
  #inside(view: View, layer: number, effort: Effort, atEnd = false): Looked {
    const { text } = view
    effort.add(text.length)
    const found: KnownValueMatch[] = []
    if (effort.exceeded) return { found, begun: text.length }
    const normalised = normalise(text)
    found.push(...this.#readable(view, effort, normalised))
    let begun = atEnd ? (this.#begun(text, normalised) ?? text.length) : text.length
    if (layer === MOST_LAYERS || (!atEnd && text.length < LEAST_ENCODED)) return { found, begun }
    for (const { start, end, of } of this.#fragments.find(mixedRuns(text)))
      found.push({ start, end, needle: of, disguised: true, sure: !of.name })
    const add = (other: Readable & Partial<Piece>, disguised: boolean, open: boolean): void => {
      const inner = this.#inside(new View(other, disguised), layer + 1, effort, open)
      if (inner.found.length === 0 && inner.begun >= other.text.length) return
      const sure = disguised ? new Set(confirmed(other.text, inner.found)) : undefined
      for (const one of inner.found) {
        if (other.bits !== undefined && !isMeant(text, other, one)) continue
        found.push({ ...one, ...spanOf(other, one), sure: sure ? sure.has(one) : one.sure })
      }
      if (inner.begun < other.text.length) begun = Math.min(begun, startOf(other, inner.begun))
    }
    for (const other of [unescaped(view), unquoted(view)])
      if (other) add(other, view.disguised, atEnd)
    effort.add(text.length * PASSES)
    for (const other of numberedIn(text))
      add(other, true, atEnd && (other.ends.at(-1) ?? 0) > text.length - GAP)
    const pieces = this.#reader.pieces(
      text,
      this.#shortest,
      atEnd
        ? {
            add: (piece) => {
              begun = Math.min(begun, this.#begunIn(piece))
            },
            always: leastOpenOf,
            marked: this.#firsts,
          }
        : undefined,
    )
    for (const piece of pieces) {
      add(piece, true, atEnd && piece.open)
      if (atEnd && isLong(piece)) begun = Math.min(begun, startOf(piece, 0))
    }
    return { found, begun }
  }

  /** Where a value begins in what is written in an encoding, and is too short to be looked at. */
  #begunIn(piece: Piece): number {
    if (isLong(piece)) return startOf(piece, 0)
    const begun = this.#begun(piece.text, normalise(piece.text))
    return begun === undefined ? Infinity : startOf(piece, begun)
  }

  #readable(view: View, effort: Effort, normalised: NormalisedText): KnownValueMatch[] {
    const { text, disguised } = view
    const { chars } = normalised
    const found: KnownValueMatch[] = []
    for (let at = 0; at + this.#shortest <= chars.length; at++) {
      if (!this.#needles.mayBegin(chars, at)) continue
      for (const needle of this.#needles.at(chars, at)) {
        effort.add(needle.key.length * GAP)
        if (effort.exceeded) return found
        if (!standsWhole(text, normalised, at, needle, view.seams)) continue
        const [start = 0, end = text.length] = [
          normalised.starts[at],
          normalised.ends[at + needle.key.length - 1],
        ]
        found.push({
          start,
          end,
          needle,
          disguised: disguised || needle.reversed,
          sure: !needle.name,
        })
      }
    }
    return found
  }
}

/** Of fewer characters, a value comes about by chance where words are read as an encoding. */
const LEAST_CHANCE = 6
const LEAST_TEXT = 12
const CODED = /\d|[a-z][A-Z]/

/**
 * Whether a short value was written in an encoding: in more text, or as a run of signs that is no
 * word.
 */
function isMeant(text: string, piece: Readable & Partial<Piece>, found: KnownValueMatch): boolean {
  if (found.needle.key.length >= LEAST_CHANCE || piece.text.length >= LEAST_TEXT) return true
  const { start, end } = spanOf(piece, found)
  const run = text.slice(start, end)
  return (
    piece.bits !== 5 &&
    CODED.test(run) &&
    /^[\w+/-]+$/.test(run) &&
    !SIGN.test(text.charAt(start - 1)) &&
    !SIGN.test(text.charAt(end))
  )
}

/** Whether what has begun in an encoding may hold another one. */
const isLong = ({ open, bits, text }: Piece): boolean => open && text.length >= leastOpenOf(bits)

const leastOpenOf = (bits: number): number => (bits === 5 ? LEAST_OPEN_BASE32 : LEAST_OPEN)

/** A text, and where in it something else may have ended without a sign: looked up when asked. */
class View {
  readonly text: string
  /** Whether it was written in an encoding. */
  readonly disguised: boolean
  readonly #of: Pick<Readable, 'text' | 'seams'>

  constructor(of: Pick<Readable, 'text' | 'seams'>, disguised = false) {
    this.text = of.text
    this.disguised = disguised
    this.#of = of
  }

  get seams(): ReadonlySet<number> | undefined {
    return this.#of.seams
  }
}

/** What was found in a text, and from where on something has begun that goes on behind its end. */
interface Looked {
  readonly found: readonly KnownValueMatch[]
  readonly begun: number
}

/** Of what was written from its end on, the first character stands last. */
const startOf = ({ starts, text }: Readable, from: number): number =>
  Math.min(starts[from] ?? 0, starts[text.length - 1] ?? 0)

function spanOf({ starts, ends }: Readable, { start, end }: Span): Span {
  const [first, last] = [starts[start] ?? 0, starts[end - 1] ?? 0]
  return { start: Math.min(first, last), end: Math.max(ends[start] ?? 0, ends[end - 1] ?? 0) }
}

const nameOf = ({ value, entity, field, policy, roles }: RedactedValue): string =>
  JSON.stringify([value, entity, field, policy, roles])

function withoutOverlaps(found: readonly KnownValueMatch[]): readonly KnownValueMatch[] {
  const kept: KnownValueMatch[] = []
  for (const one of [...found].sort(
    (a, b) => a.start - b.start || b.end - a.end || Number(a.disguised) - Number(b.disguised),
  )) {
    const last = kept.at(-1)
    if (!last || one.start >= last.end) kept.push(one)
  }
  return kept
}

/** Encoded values have neither spaces nor other signs than those of ASCII in them. */
export const BETWEEN_TOKENS = /[\s\u0080-\uffff]/

/** So many characters of an encoding, each by itself, say nothing yet of what they hold. */
const MOST_SINGLE = 16
const LONGEST_SINGLE = 2

/**
 * Where the last run without a space begins, or the last ones that are hardly one: an encoded value
 * may not have ended.
 */
function lastToken(text: string): number {
  const least = Math.max(0, text.length - MOST_HELD)
  let token = text.length
  while (token > least && !BETWEEN_TOKENS.test(text.charAt(token - 1))) token--
  const single = Math.max(0, text.length - MOST_SINGLE)
  for (let at = token; at > single;) {
    while (at > single && !SIGN.test(text.charAt(at - 1))) at--
    const end = at
    while (at > single && SIGN.test(text.charAt(at - 1))) at--
    if (end === at || end - at > LONGEST_SINGLE) break
    token = at
  }
  return token
}

/** Letters and digits of all encodings. */
const SIGN = /[A-Za-z\d]/
