import type { RedactedValue } from '@amodal/sdk'
import { type Folded, fold } from './fold.ts'
import { isWordCharacter, type Span } from './span.ts'
import type { TrackedValue } from './tracked-value.ts'
import type { ValueIndex } from './value-index.ts'
import { type Candidate, ValueMatcher } from './value-matcher.ts'
import type { Work } from './work.ts'

export interface ValueMatch extends Span {
  readonly value: RedactedValue
}

interface Match extends Span {
  readonly tracked: TrackedValue
}

/** Values with signs inside that they do not have by themselves: from so many characters on. */
const LONG: Readonly<Record<TrackedValue['kind'], number>> = { number: 8, mixed: 6, words: 9 }
/** What parts a word without a space: emphasis, cells, lines, code. */
const SPLITS_WORDS = /[\n*_~`|"'+<>-]/
/** Behind a number, these go on with it; `27,920.00` is 27920, and `4821,77` two cells. */
const NUMBER_GOES_ON = /^(?:[:/'’-]\d|,\d{3}(?!\d)|\.(?!0+(?!\d))\d)/
const NUMBER_BEFORE = /\d[.'’:/-]$/
/** Characters on either side of a value in which what it belongs to may be named. */
export const CONTEXT = 100

/**
 * Tracked values in a normalised text, from left to right; they may overlap.
 *
 * @param least characters of values that are looked for
 */
export function valuesIn(
  text: string,
  index: ValueIndex,
  work: Work,
  least = 0,
): readonly ValueMatch[] {
  if (index.isEmpty) return []
  const folded = fold(text)
  const matches: Match[] = []
  for (const candidate of new ValueMatcher(index, work).read(text, folded)) {
    if (candidate.tracked.key.length < least) continue
    work.scan(candidate.tracked.key.length)
    if (isWhole(text, folded, candidate)) matches.push(matchOf(folded, candidate))
  }
  return matches
    .filter((match, at) => isConfirmed(text, match, matches, at))
    .map(({ start, end, tracked }) => ({ start, end, value: tracked.value }))
}

const matchOf = ({ places }: Folded, { tracked, first, last }: Candidate): Match => ({
  tracked,
  start: places[first] ?? 0,
  end: (places[last] ?? 0) + 1,
})

/** Whether a value stands by itself, and its characters belong together. */
function isWhole(text: string, folded: Folded, candidate: Candidate): boolean {
  const { start, end, tracked } = matchOf(folded, candidate)
  const [before, after] = [text.slice(Math.max(0, start - 2), start), text.slice(end, end + 10)]
  if (isWordCharacter(after.charAt(0)) && isWordCharacter(text.charAt(end - 1))) return false
  if (tracked.needsContext && (/^-\p{L}/u.test(after) || /\p{L}-$/u.test(before))) return false
  if (tracked.kind === 'number' && (NUMBER_GOES_ON.test(after) || NUMBER_BEFORE.test(before)))
    return false
  return holdsTogether(text, folded, candidate)
}

/** What stands between the characters of a value where it has nothing itself. */
function holdsTogether(
  text: string,
  { places }: Folded,
  { tracked: { key, joints, kind }, first }: Candidate,
): boolean {
  const gaps: string[] = []
  for (let index = 1; index < key.length; index++) {
    const [from, to] = [(places[first + index - 1] ?? 0) + 1, places[first + index] ?? 0]
    if (to > from && !joints.has(index)) gaps.push(text.slice(from, to))
  }
  if (gaps.length === 0) return true
  const isSpelled = gaps.length >= key.length - 1 - joints.size
  if (key.length < LONG[kind]) return isSpelled && new Set(gaps).size === 1
  return isSpelled || kind !== 'words' || gaps.every((gap) => SPLITS_WORDS.test(gap))
}

/** Matches on either side that are looked at. */
const MOST_NEIGHBOURS = 20

/**
 * Whether the text names what a value belongs to: its entity, its field, or another value of the
 * entity.
 */
function isConfirmed(text: string, match: Match, all: readonly Match[], at: number): boolean {
  const { start, end, tracked } = match
  if (!tracked.needsContext) return true
  const { value } = tracked
  // A name that is also a word (`May`, `Will`) is written as a name.
  if (
    tracked.isSingleWord &&
    /^\p{Lu}/u.test(value.value) &&
    !/^\p{Lu}/u.test(text.slice(start, end))
  )
    return false
  const around = `${text.slice(Math.max(0, start - CONTEXT), start)}\n${text.slice(end, end + CONTEXT)}`
  return (
    contextOf(value).test(around) ||
    all
      .slice(Math.max(0, at - MOST_NEIGHBOURS), at + MOST_NEIGHBOURS)
      .some(
        ({ tracked: { value: other }, ...place }) =>
          other.entity === value.entity &&
          other.value !== value.value &&
          place.end > start - CONTEXT &&
          place.start < end + CONTEXT,
      )
  )
}

/** The name of the entity or of the field, in one word or several. */
function contextOf({ entity, field }: RedactedValue): RegExp {
  const [one, other] = [entity, field.split('.').at(-1) ?? ''].map((name) =>
    wordsOf(name).join('[\\s_-]*'),
  )
  const plural = one?.endsWith('y') ? `${one}|${one.slice(0, -1)}ies` : `${one ?? ''}(?:e?s)?`
  const names = [one === '' ? '' : plural, other].filter(Boolean)
  return names.length === 0
    ? /(?!)/
    : new RegExp(`(?<![\\p{L}\\d])(?:${names.join('|')})(?![\\p{L}\\d])`, 'iu')
}

/** `first_name`, `firstName`, `First Name` → `first`, `name`. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
