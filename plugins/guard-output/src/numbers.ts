import type { Span } from './finding.ts'

/**
 * Digits that stand together, and what joins them to the next ones: one sign, or nothing that
 * counts as joining.
 */
export interface Group extends Span {
  readonly digits: string
  readonly joint: string | undefined
}

const DIGITS = /\d+/g
const COMMON_JOINTS: ReadonlySet<string> = new Set([' ', '-'])
const JOINT = /^(?: ?[-./_+·] ?| {1,2}|\t)$/

/** Every group of digits of a text, in order. */
export function groupsOf(text: string): readonly Group[] {
  const found = [...text.matchAll(DIGITS)]
  return found.map(({ 0: digits, index }, n) => {
    const end = index + digits.length
    const next = found[n + 1]?.index
    const gap = next === undefined || next - end > 3 ? undefined : text.slice(end, next)
    return {
      digits,
      start: index,
      end,
      joint: gap !== undefined && (COMMON_JOINTS.has(gap) || JOINT.test(gap)) ? gap : undefined,
    }
  })
}

/** How many digits so many groups have: known before anything is put together. */
export function countDigits(groups: readonly Group[], at: number, count: number): number {
  let sum = 0
  for (let index = at; index < at + count; index++) sum += groups[index]?.digits.length ?? 0
  return sum
}

/** Groups that one and the same sign joins. */
export interface Chain extends Span {
  readonly digits: string
  readonly joint: string
  readonly shape: string
}

/**
 * `count` groups from `at` on, if the same sign joins them and neither neighbour belongs to them
 * too.
 */
export function chainAt(groups: readonly Group[], at: number, count: number): Chain | undefined {
  const chain = partAt(groups, at, count)
  return chain &&
    count > 1 &&
    (groups[at - 1]?.joint === chain.joint || groups[at + count - 1]?.joint === chain.joint)
    ? undefined
    : chain
}

/** The same, whatever stands beside them. */
export function partAt(groups: readonly Group[], at: number, count: number): Chain | undefined {
  const first = groups[at]
  const last = groups[at + count - 1]
  if (!first || !last) return undefined
  if (count === 1)
    return {
      start: first.start,
      end: first.end,
      digits: first.digits,
      joint: '',
      shape: String(first.digits.length),
    }
  const { joint } = first
  if (joint === undefined) return undefined
  for (let index = at + 1; index < at + count - 1; index++)
    if (groups[index]?.joint !== joint) return undefined
  const own = groups.slice(at, at + count)
  return {
    start: first.start,
    end: last.end,
    digits: own.map(({ digits }) => digits).join(''),
    joint,
    shape: own.map(({ digits }) => digits.length).join('-'),
  }
}

const WORD = /[\p{L}\p{N}]/u
const isWord = (char: string): boolean => WORD.test(char)

/**
 * Whether a number stands by itself: not inside of a word, of a longer number, or of a code with
 * dashes.
 */
export function standsAlone(text: string, { start, end }: Span): boolean {
  const before = text.charAt(start - 1)
  const after = text.charAt(end)
  if (isLatin(before) || isLatin(after)) return false
  if (/[-.]/.test(before) && isWord(text.charAt(start - 2))) return false
  return (
    !(after === '-' && isWord(text.charAt(end + 1))) &&
    !(after === '.' && /\d/.test(text.charAt(end + 1)))
  )
}

/** Scripts that write words without spaces (`番号は4111…です`) have letters beside every number. */
const isLatin = (char: string): boolean =>
  isWord(char) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(
    char,
  )
