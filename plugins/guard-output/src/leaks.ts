import type { Withheld } from '@amodal/sdk'
import { decodedIn, mixedRuns, unescaped } from './decode.ts'
import { Effort } from './effort.ts'
import type { Span } from './finding.ts'
import { fold, type Folded } from './fold.ts'
import { Fragments } from './fragments.ts'
import { confirmed, CONTEXT } from './context.ts'
import { Prefixes } from './prefixes.ts'
import { isWideGap, standsWhole } from './whole.ts'
import { type Needle, needlesOf } from './tracked.ts'

/** A withheld value in a text; `disguised` where it can be no accident that it stands there so. */
interface Leaky extends Span { readonly disguised: boolean }
export interface Leak extends Leaky { readonly value: Withheld }

/** Encodings inside of encodings that are still read. */
const MOST_LAYERS = 3
const OTHER_THAN_ASCII = /[^\x00-\x7f]/
/** What stands between two characters of a value takes as much work to judge as so many characters to read. */
const GAP = 16
/** Signs behind a value that may make it a part of something longer. */
const NEXT_SIGN = 2
/** Longer runs without a space are let go as they come. */
const MOST_HELD = 1_024

/**
 * Finds withheld values in texts, whatever their number: values are looked up by their first characters, so that a
 * text is read once for all of them. Compared is what is left without case, spaces, punctuation, invisible and
 * look-alike characters; escapes, base64 and hexadecimal are read, and the reverse order is tried.
 *
 * @example
 * const known = new KnownValues()
 * known.add([{ value: '078-05-1121', entity: 'Contact', field: 'ssn', policy: 'never_retrieve', sensitivity: 'pii_identifier' }])
 * known.find('It is 078 05 1121.') // one leak, from 6 to 17
 */
export class KnownValues {
  readonly #seen = new Set<string>()
  readonly #needles = new Prefixes<Needle>()
  readonly #fragments = new Fragments<Needle>()
  #shortest = Infinity
  #longest = 0

  get empty(): boolean { return this.#longest === 0 }

  has(value: Withheld): boolean { return this.#seen.has(nameOf(value)) }

  add(values: readonly Withheld[]): void {
    for (const value of values) {
      if (this.has(value)) continue
      this.#seen.add(nameOf(value))
      const needles = needlesOf(value)
      for (const needle of needles) this.#keep(needle)
      if (needles[0]) this.#fragments.add(value.value, needles[0])
    }
  }

  /** Places of known values in a text, none of them over another; the longest wins. Nothing more is looked for once the effort is exceeded. */
  find(text: string, effort = Effort.forText(text)): readonly Leak[] {
    if (this.#tooShort(text)) return []
    const found = this.#inside(text, 0, effort)
    return withoutOverlaps(confirmed(text, found)).map(({ start, end, needle, disguised }) => ({ start, end, value: needle.value, disguised }))
  }

  /**
   * Looks at what is held back of a text that goes on.
   *
   * @returns up to where it can be judged: behind may stand a value that has only begun, or a name whose entity is still
   * to be named; and whether it holds the characters of a known value, of which the text around may still say that it is none
   */
  look(text: string, effort = Effort.forText(text)): { readonly settled: number; readonly touched: boolean } {
    if (this.empty) return { settled: text.length, touched: false }
    const token = lastToken(text)
    if (token === 0) return { settled: 0, touched: false }
    const read = unescaped(text)
    const folded = fold(read?.text ?? text)
    const begun = this.#begun(read?.text ?? text, folded)
    const place = begun === undefined ? text.length : read ? read.starts[begun] ?? 0 : begun
    const found = this.#tooShort(text) ? [] : this.#inside(text, 0, effort, read ? undefined : folded)
    const undecided = found.filter(({ end, needle, sure }) => end > text.length - (needle.name && !sure ? CONTEXT : NEXT_SIGN))
    return { settled: undecided.reduce((least, { start }) => Math.min(least, start), Math.min(place, token)), touched: found.length > 0 }
  }

  /** Whether a text holds the characters of a known value; what stands around it may still say that it is none. */
  touches(text: string, effort = Effort.forText(text)): boolean { return !this.#tooShort(text) && this.#inside(text, 0, effort).length > 0 }

  /** Where a value begins of which the rest is still to come. */
  #begun(text: string, folded: Folded): number | undefined {
    const { chars } = folded
    let from = Math.max(0, chars.length - this.#longest)
    while (from < chars.length && !this.#needles.isBegun(chars, from)) from++
    if (from >= chars.length) return undefined
    // Nothing goes on behind so much that is neither letter nor digit.
    for (let at = chars.length - 1; at >= from; at--) {
      if (isWideGap(text, folded, at)) {
        from = at + 1
        while (from < chars.length && !this.#needles.isBegun(chars, from)) from++
        break
      }
    }
    return from < chars.length ? folded.starts[from] : undefined
  }

  /** One sign may stand for several letters, as `ﬃ` does, but none of ASCII. */
  #tooShort(text: string): boolean { return this.empty || (text.length < this.#shortest && !OTHER_THAN_ASCII.test(text)) }

  #keep(needle: Needle): void {
    this.#needles.add(needle.key, needle)
    this.#shortest = Math.min(this.#shortest, needle.key.length)
    this.#longest = Math.max(this.#longest, needle.key.length)
  }

  #inside(text: string, layer: number, effort: Effort, folded = fold(text)): readonly Found[] {
    effort.add(text.length)
    if (effort.exceeded) return []
    const runs = mixedRuns(text)
    const found = this.#readable(text, layer > 0, effort, folded)
    for (const { start, end, of } of this.#fragments.find(runs)) found.push({ start, end, needle: of, disguised: true, sure: !of.name })
    const read = unescaped(text)
    if (read) {
      for (const leak of this.#readable(read.text, layer > 0, effort, fold(read.text))) {
        found.push({ ...leak, start: read.starts[leak.start] ?? 0, end: read.ends[leak.end - 1] ?? text.length })
      }
    }
    if (layer < MOST_LAYERS) {
      for (const { start, end, text: said } of decodedIn(text, runs, this.#shortest)) {
        const within = this.#inside(said, layer + 1, effort)
        const sure = new Set(confirmed(said, within))
        found.push(...within.map((leak) => ({ ...leak, start, end, disguised: true, sure: sure.has(leak) })))
      }
    }
    return found
  }

  #readable(text: string, disguised: boolean, effort: Effort, folded: Folded): Found[] {
    const { chars } = folded
    const found: Found[] = []
    for (let at = 0; at + this.#shortest <= chars.length; at++) {
      if (!this.#needles.mayBegin(chars, at)) continue
      for (const needle of this.#needles.at(chars, at)) {
        effort.add(needle.key.length * GAP)
        if (effort.exceeded) return found
        if (!standsWhole(text, folded, at, needle)) continue
        const [start = 0, end = text.length] = [folded.starts[at], folded.ends[at + needle.key.length - 1]]
        found.push({ start, end, needle, disguised: disguised || needle.reversed, sure: !needle.name })
      }
    }
    return found
  }
}

const nameOf = ({ value, entity, field, policy, roles }: Withheld): string => JSON.stringify([value, entity, field, policy, roles])

/** `sure`: no more has to be known of it. */
export interface Found extends Leaky { readonly needle: Needle; readonly sure: boolean }

function withoutOverlaps(found: readonly Found[]): readonly Found[] {
  const kept: Found[] = []
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end || Number(a.disguised) - Number(b.disguised))) {
    const last = kept.at(-1)
    if (!last || one.start >= last.end) kept.push(one)
  }
  return kept
}

/** Encoded values have neither spaces nor other signs than those of ASCII in them. */
export const BETWEEN_TOKENS = /[\s\u0080-\uffff]/

/** Where the last run without a space begins, or of bytes in hexadecimal: an encoded value may not have ended. */
function lastToken(text: string): number {
  const least = Math.max(0, text.length - MOST_HELD)
  let token = text.length
  while (token > least && !BETWEEN_TOKENS.test(text.charAt(token - 1))) token--
  let bytes = text.length
  while (bytes > least && isHex(text.charAt(bytes - 1)) && text.length - bytes < 2) bytes--
  while (bytes - 3 >= least && /[ :,-]/.test(text.charAt(bytes - 1)) && isHex(text.charAt(bytes - 2)) && isHex(text.charAt(bytes - 3))) bytes -= 3
  return text.length - bytes > 6 ? Math.min(token, bytes) : token
}

const isHex = (char: string): boolean => /[\da-f]/i.test(char)
