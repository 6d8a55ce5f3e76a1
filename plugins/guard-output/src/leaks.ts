import type { Withheld } from '@amodal/sdk'
import { decodedIn, unescaped } from './decode.ts'
import type { Span } from './finding.ts'
import { fold } from './fold.ts'
import { Fragments } from './fragments.ts'
import { CONTEXT, saysWhose } from './context.ts'
import { standsWhole } from './whole.ts'
import { type Needle, needlesOf } from './tracked.ts'

/** A withheld value in a text; `disguised` where it can be no accident that it stands there so. */
interface Leaky extends Span { readonly disguised: boolean }
export interface Leak extends Leaky { readonly value: Withheld }

const GRAM = 4
const MARKS = 4_096
/** Encodings inside of encodings that are still read. */
const MOST_LAYERS = 3
/** Signs behind a value that may make it a part of something longer. */
const NEXT_SIGN = 2
/** Longer runs without a space are let go as they come. */
const MOST_HELD = 4_096
const SPACED_HEX = /(?:[\da-f]{2}[ :,-]){2,}[\da-f]{0,2}$/i

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
  readonly #needles: Needle[] = []
  #grams = new Map<string, Needle[]>()
  /** Which beginnings there are at all, in few bits: most places of a text are passed by one look. */
  readonly #marks = new Uint8Array(MARKS)
  readonly #beginnings = new Set<string>()
  readonly #fragments = new Fragments<Needle>()
  #size = GRAM
  #longest = 0

  get empty(): boolean { return this.#needles.length === 0 }

  add(values: readonly Withheld[]): void {
    for (const value of values) {
      const name = JSON.stringify([value.value, value.entity, value.field, value.policy, value.roles])
      if (this.#seen.has(name)) continue
      this.#seen.add(name)
      const needles = needlesOf(value)
      for (const needle of needles) this.#keep(needle)
      if (needles[0]) this.#fragments.add(value.value, needles[0])
    }
  }

  /** Places of known values in a text, none of them over another; the longest wins. */
  find(text: string): readonly Leak[] {
    if (this.empty || text.length < this.#size) return []
    const found = this.#inside(text, 0)
    if (found.length === 0) return []
    const kept = found.filter((leak) => leak.sure || saysWhose(text, leak, leak.needle, found))
    return withoutOverlaps(kept).map(({ start, end, needle, disguised }) => ({ start, end, value: needle.value, disguised }))
  }

  /** Whether a text holds the characters of a known value; what stands around it may still say that it is none. */
  touches(text: string): boolean { return !this.empty && this.#inside(text, 0).length > 0 }

  /** Up to where a text can be judged: behind it may stand a value that has only begun, or a name whose entity is still to be named. */
  settled(text: string): number {
    if (this.empty) return text.length
    const read = unescaped(text)
    const folded = fold(read?.text ?? text)
    const { chars, starts } = folded
    let from = Math.max(0, chars.length - this.#longest)
    while (from < chars.length && !this.#begins(chars.slice(from))) from++
    const place = starts[from]
    const begun = place === undefined ? text.length : read ? read.starts[place] ?? 0 : place
    const undecided = this.#readable(text, false, read ? undefined : folded).find(({ end, needle, sure }) => end > text.length - (needle.name && !sure ? CONTEXT : NEXT_SIGN))
    return Math.min(begun, undecided?.start ?? text.length, lastToken(text))
  }

  #begins(tail: string): boolean {
    if (tail.length < this.#size) return this.#beginnings.has(tail)
    return (this.#grams.get(tail.slice(0, this.#size)) ?? []).some(({ key }) => key.startsWith(tail))
  }

  #keep(needle: Needle): void {
    this.#needles.push(needle)
    this.#longest = Math.max(this.#longest, needle.key.length)
    for (let length = 1; length < GRAM; length++) this.#beginnings.add(needle.key.slice(0, length))
    if (needle.key.length >= this.#size) return this.#index(needle)
    this.#size = needle.key.length
    this.#grams = new Map()
    this.#marks.fill(0)
    for (const one of this.#needles) this.#index(one)
  }

  #index(needle: Needle): void {
    const gram = needle.key.slice(0, this.#size)
    this.#marks[markOf(gram, 0, this.#size)] = 1
    const same = this.#grams.get(gram)
    if (same) same.push(needle)
    else this.#grams.set(gram, [needle])
  }

  #inside(text: string, layer: number): readonly Found[] {
    const found = [...this.#readable(text, layer > 0), ...this.#fragments.find(text).map(({ start, end, of }) => ({ start, end, needle: of, disguised: true, sure: !of.name }))]
    const read = unescaped(text)
    if (read) {
      for (const leak of this.#readable(read.text, layer > 0)) {
        found.push({ ...leak, start: read.starts[leak.start] ?? 0, end: read.ends[leak.end - 1] ?? text.length })
      }
    }
    if (layer < MOST_LAYERS) {
      for (const { start, end, text: said } of decodedIn(text)) {
        const within = this.#inside(said, layer + 1)
        found.push(...within.map((leak) => ({ ...leak, start, end, disguised: true, sure: leak.sure || saysWhose(said, leak, leak.needle, within) })))
      }
    }
    return found
  }

  #readable(text: string, disguised: boolean, folded = fold(text)): Found[] {
    const { chars, starts, ends } = folded
    const found: Found[] = []
    for (let at = 0; at + this.#size <= chars.length; at++) {
      if (this.#marks[markOf(chars, at, this.#size)] === 0) continue
      for (const needle of this.#grams.get(chars.slice(at, at + this.#size)) ?? []) {
        if (!chars.startsWith(needle.key, at) || !standsWhole(text, folded, at, needle)) continue
        found.push({ start: starts[at] ?? 0, end: ends[at + needle.key.length - 1] ?? text.length, needle, disguised: disguised || needle.reversed, sure: !needle.name })
      }
    }
    return found
  }
}

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

function markOf(chars: string, at: number, size: number): number {
  let mark = 0
  for (let index = at; index < at + size; index++) mark = (mark * 31 + chars.charCodeAt(index)) % MARKS
  return mark
}

/** Where the last run without a space begins, or of bytes in hexadecimal: an encoded value may not have ended. */
function lastToken(text: string): number {
  const least = Math.max(0, text.length - MOST_HELD)
  let at = text.length
  while (at > least && !/\s/.test(text.charAt(at - 1))) at--
  const bytes = SPACED_HEX.exec(text.slice(-MOST_HELD))
  return bytes ? Math.min(at, least + bytes.index) : at
}
