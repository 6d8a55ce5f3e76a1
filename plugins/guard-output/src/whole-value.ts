import type { NormalisedText } from './normalise.ts'
import type { Needle } from './tracked.ts'

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]+/gu
/** Between two digits, these go on with a number; `1,234` does, `1, 234` does not. */
const NUMBER_GOES_ON = /^[.,'’:/-]$/u
const SPLIT_OVER_LINES = /^[\s|>.@_-]*\n[\s>|*#+•·–—.@_-]*$/u
const CELLS = /^[\s.@_-]*\|[\s.@_-]*$/
const EMPHASIS = /^(?=.*[*_~`])[*_~`.@-]{1,12}$/
const JOINED_IN_CODE =
  /^[^\p{L}\p{N}]{0,3}["'`]\s*(?:[+.&,]|\.\.|\|\||<<)?\s*["'`][^\p{L}\p{N}]{0,3}$/u
const ONE_SIGN = /^\s*[-.\u2010-\u2015_/:·•’']?\s*$/u
/** From here on even digits with signs between them do not meet by chance. */
const LONG_NUMBER = 8
const LONG = 6
const LONGEST_ZEROS = 64

/** Different signs between characters that are spelled. */
const MOST_SIGNS = 4

/** Between two characters of a value stands no more. */
const WIDEST_GAP = 12

const NONE: ReadonlySet<number> = new Set()

/** Whether so much stands behind a character that what follows does not belong to it. */
export const isWideGap = (text: string, normalised: NormalisedText, after: number): boolean =>
  (normalised.starts[after + 1] ?? text.length) - (normalised.ends[after] ?? 0) > WIDEST_GAP &&
  gapAt(text, normalised, after).length > WIDEST_GAP

/**
 * Whether a place in a text is the whole value and nothing longer, and its characters belong
 * together.
 *
 * @param seams places before which something else may have ended, though no sign stands there
 */
export function standsWhole(
  text: string,
  normalised: NormalisedText,
  at: number,
  needle: Needle,
  seams = NONE,
): boolean {
  const last = at + needle.key.length - 1
  const isOpen = (after: number): boolean =>
    goesOn(text, normalised, after, needle) &&
    !seams.has(normalised.starts[after + 1] ?? text.length)
  return !isOpen(at - 1) && !isOpen(last) && holdsTogether(text, normalised, at, needle)
}

const gapAt = (text: string, { starts, ends }: NormalisedText, after: number): string =>
  text.slice(ends[after] ?? 0, starts[after + 1] ?? text.length).replaceAll(UNSEEN, '')
const isDigit = (char: string): boolean => char >= '0' && char <= '9'

/** Whether the characters on both sides of a border are of one word or one number. */
function goesOn(
  text: string,
  normalised: NormalisedText,
  after: number,
  { kind, name }: Needle,
): boolean {
  const [before, behind] = [normalised.chars.charAt(after), normalised.chars.charAt(after + 1)]
  if (before === '' || behind === '') return false
  const gap = gapAt(text, normalised, after)
  if (gap === '') return true
  if (name && gap === '-') return true
  if (kind !== 'number' || !isDigit(before) || !isDigit(behind)) return false
  if (!NUMBER_GOES_ON.test(gap)) return false
  // `27,920.00` is 27920, and `name,4821,77` is a row.
  const from = normalised.starts[after + 1] ?? 0
  const next = text.slice(from, from + LONGEST_ZEROS)
  if (gap === '.' && /^0+(?!\d)/.test(next)) return false
  return gap !== ',' || /^\d{3}(?!\d)/.test(next)
}

function holdsTogether(
  text: string,
  normalised: NormalisedText,
  at: number,
  { key, joints, kind, reversed }: Needle,
): boolean {
  const gaps: string[] = []
  for (let index = 1; index < key.length; index++) {
    const gap = gapAt(text, normalised, at + index - 1)
    if (gap === '') continue
    if (gap.length > WIDEST_GAP) return false
    if (!joints.has(index) || gap.length > 4) gaps.push(gap)
  }
  if (gaps.length === 0) return true
  if (
    gaps.every(
      (gap) =>
        SPLIT_OVER_LINES.test(gap) ||
        CELLS.test(gap) ||
        EMPHASIS.test(gap) ||
        JOINED_IN_CODE.test(gap),
    )
  )
    return !reversed
  // Spelled: the same signs everywhere, or some of few where the value has one of its own.
  if (
    gaps.length >= key.length - 1 - joints.size &&
    new Set(gaps).size <= (key.length < LONG_NUMBER ? 1 : MOST_SIGNS)
  )
    return true
  return (
    key.length >= (kind === 'number' ? LONG_NUMBER : LONG) &&
    kind !== 'words' &&
    gaps.every((gap) => ONE_SIGN.test(gap))
  )
}
