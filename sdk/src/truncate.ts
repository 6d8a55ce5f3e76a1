/** UTF-16 units that are read on each side of a cut: no visible character is longer. */
const NEIGHBOURHOOD = 64

/** Units that never continue a grapheme, and are never continued by one another. */
const PLAIN = /[\n\x20-\x7E]/

let segmenter: Intl.Segmenter | undefined

/** The nearest place at or before `at` where no character is cut. */
function boundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  // most texts: a cut between two letters of ASCII
  if (PLAIN.test(text.charAt(at - 1)) && PLAIN.test(text.charAt(at))) return at
  const { from, isBoundary } = neighbourhoodOf(text, at)
  const index = graphemes(text.slice(from, at + NEIGHBOURHOOD)).containing(at - from)?.index ?? 0
  if (index > 0 || isBoundary) return from + index
  // longer than any character: at least no pair of surrogates is cut
  return isInsidePair(text, at) ? at - 1 : at
}

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Where reading begins: where a grapheme is known to begin, as far as such a place is near. */
function neighbourhoodOf(text: string, at: number): { from: number; isBoundary: boolean } {
  const least = Math.max(0, at - NEIGHBOURHOOD)
  for (let from = at - 1; from > least; from--)
    if (PLAIN.test(text.charAt(from))) return { from, isBoundary: true }
  // Flags are pairs, which are counted from the first of a row of them.
  let from = isInsidePair(text, least) ? least - 1 : least
  while (from >= 2 && FLAG_HALF.test(text.slice(from - 2, from + 2))) from -= 2
  return { from, isBoundary: from === 0 }
}

/** Two halves of flags. */
const FLAG_HALF = /^[\u{1F1E6}-\u{1F1FF}]{2}$/u

const isInsidePair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1))

/**
 * The beginning of a text, of at most `limit` UTF-16 units, that ends with a whole character as
 * people see one: no pair of surrogates, accent, flag or joined emoji is cut.
 *
 * @example textStart('ab👩‍👩‍👧', 4) // 'ab'
 */
export const textStart = (text: string, limit: number): string =>
  text.length > limit ? text.slice(0, boundaryBefore(text, limit)) : text

/**
 * The end of a text, of at most `limit` UTF-16 units, that begins with a whole character.
 *
 * @example textEnd('👩‍👩‍👧ab', 4) // 'ab'
 */
export function textEnd(text: string, limit: number): string {
  if (text.length <= limit) return text
  const at = text.length - Math.max(0, limit)
  const before = boundaryBefore(text, at)
  if (before === at) return text.slice(at)
  // inside of a character: after it
  const [first] = graphemes(text.slice(before, before + 2 * NEIGHBOURHOOD))
  return text.slice(before + (first?.segment.length ?? 1))
}

/**
 * The beginning of a text, with a mark that says how much of it is missing; the text itself where
 * it is no longer than `limit` characters.
 */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = textStart(text, limit)
  return `${start}\n… [cut: ${text.length} characters, ${start.length} kept]`
}

/** The same in one line, for people. */
export const truncateLine = (text: string, limit: number): string =>
  text.length > limit ? `${textStart(text, limit)}… [cut: ${text.length} characters]` : text

/** The beginning of a text, with `…` where something is missing. */
export const ellipsis = (text: string, limit: number): string =>
  text.length > limit ? `${textStart(text, limit)}…` : text
