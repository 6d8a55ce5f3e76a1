import type { RedactedValue } from '@amodal/sdk'
import { decodings } from './decode.ts'
import { normalise } from './normalise.ts'
import type { NumberKind, NumberMatch } from './number-kind.ts'
import { numbersIn } from './numbers.ts'
import { original, type Span } from './span.ts'
import type { ValueIndex } from './value-index.ts'
import { valuesIn } from './value-match.ts'
import type { Work } from './work.ts'

export interface ValueFinding extends Span {
  readonly value: RedactedValue
  /** Whether it is written in base64 or hexadecimal. */
  readonly isEncoded: boolean
}

/** What a text holds; places of the text. */
export interface Findings {
  readonly values: readonly ValueFinding[]
  readonly numbers: readonly NumberMatch[]
}

/** Encodings inside of each other that are read. */
const DEPTH = 2
/** Shorter values come about by chance where any run of signs is read as bytes. */
const SHORTEST_ENCODED = 6
const HOLDS_DIGITS = /\p{Nd}/u

/** What is looked for, and what it may cost. */
export interface Search {
  readonly index: ValueIndex
  readonly kinds: readonly NumberKind[]
  readonly work: Work
}

/**
 * Finds tracked values and numbers of persons and banks in a text: normalised, and what it holds in
 * encodings. The work is proportional to the length of the text.
 *
 * @param from what ends before this place is context only
 * @example
 * scan('My SSN is 078-05-1121.', { index, kinds: ['ssn'], work }).numbers // one, from 10 to 21
 */
export function scan(text: string, search: Search, from = 0): Findings {
  const values: ValueFinding[] = []
  const numbers: NumberMatch[] = []
  read(text, from, 0, false)
  return { values: values.filter(({ end }) => end > from), numbers }

  function read(
    part: string,
    start: number,
    depth: number,
    isEncoded: boolean,
    placeOf: (span: Span) => Span = (span) => span,
  ): void {
    const { index, kinds, work } = search
    work.scan(part.length)
    if (work.exceeded) return
    const plain = normalise(part)
    const first = firstFrom(plain.at, start)
    const place = (span: Span): Span => placeOf(original(plain, span))
    const least = isEncoded ? SHORTEST_ENCODED : 0
    for (const { value, ...span } of valuesIn(plain.text, index, work, least)) {
      work.find()
      values.push({ ...place(span), value, isEncoded })
    }
    if (kinds.length > 0 && (HOLDS_DIGITS.test(plain.text) || plain.text.includes('@')))
      for (const { kind, ...span } of numbersIn(plain.text, first, kinds)) {
        work.find()
        numbers.push({ kind, ...place(span) })
      }
    if (depth === DEPTH) return
    for (const decoded of decodings(plain.text, first))
      read(
        decoded.text,
        decoded.isEncoded ? 0 : firstFrom(decoded.at, first),
        depth + 1,
        isEncoded || decoded.isEncoded,
        (span) => place(original(decoded, span)),
      )
  }
}

/** The first character that stands at a place of the original or behind it. */
function firstFrom(at: (index: number) => number, place: number): number {
  let index = 0
  if (place === 0) return 0
  while (at(index) < place) index++
  return index
}
