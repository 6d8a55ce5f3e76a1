import { type Format, FORMATS } from './account-formats.ts'
import type { Span } from './finding.ts'
import type { Group } from './numbers.ts'

/** Digits that may be the number of an account, and how they are written. */
export interface Candidate extends Span {
  readonly digits: string
  readonly groups: readonly string[]
  /** Sizes of the groups, and the signs between. */
  readonly shape: string
  readonly formats: readonly Format[]
  /** Counted in groups of the text. */
  readonly first: number
  readonly count: number
}

export const LEAST_ACCOUNT = 5
/** Longer ones hold the codes of a bank, too, as in Hungary and Poland. */
export const MOST_ACCOUNT = 26
const MOST_GROUPS = 9
/** Numbers of other kinds stand beside those that are no longer than so. */
const MOST_IN_GROUP = 6
const NONE: readonly Format[] = []

const TIGHT: ReadonlySet<string> = new Set(['-', '.', '/'])
const LOOSE: ReadonlySet<string> = new Set([' ', '  ', ' - ', ' / ', ' -', '- '])
const signOf = (joint: string): string => (joint.trim() === '' ? ' ' : joint.trim())

/** What each shape may be: there are few, and each is asked for again and again. */
const known = new Map<string, readonly Format[]>()
const MOST_KNOWN = 4_096
function formatsOf(shape: string): readonly Format[] {
  const own = known.get(shape)
  if (own) return own
  const found = FORMATS.filter((format) => format.shape.test(shape))
  const formats = found.length === 0 ? NONE : found
  if (known.size < MOST_KNOWN) known.set(shape, formats)
  return formats
}

function candidateAt(
  groups: readonly Group[],
  first: number,
  count: number,
): Candidate | undefined {
  const start = groups[first]?.start
  const end = groups[first + count - 1]?.end
  if (start === undefined || end === undefined) return undefined
  let [shape, digits] = ['', '']
  const own: string[] = []
  for (let index = first; index < first + count; index++) {
    const group = groups[index]
    if (!group) return undefined
    digits += group.digits
    own.push(group.digits)
    shape += String(group.digits.length)
    if (index < first + count - 1) shape += signOf(group.joint ?? ' ')
  }
  return { start, end, digits, groups: own, shape, formats: formatsOf(shape), first, count }
}

const isJoined = (group: Group | undefined, joints: ReadonlySet<string>): boolean =>
  group?.joint !== undefined && joints.has(group.joint)

/** Where the groups end that are joined without a space. */
function unitEnd(groups: readonly Group[], first: number): number {
  let end = first
  while (end - first <= MOST_GROUPS && isJoined(groups[end], TIGHT)) end++
  return end + 1
}

const isDate = ({ shape, digits, groups }: Candidate): boolean => {
  const [a = 0, b = 0, c = 0] = groups.map(Number)
  const inMonth = (day: number, month: number): boolean =>
    day > 0 && day <= 31 && month > 0 && month <= 12
  if (/^4[-./]\d[-./]\d$/.test(shape)) return inMonth(c, b) || inMonth(b, c)
  if (/^\d[-./]\d[-./][24]$/.test(shape)) return inMonth(a, b) || inMonth(b, a)
  return shape === '8' && isCompactDate(digits)
}
/** `20240511`. */
export const isCompactDate = (digits: string): boolean =>
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(digits)

/** A fraction. */
const DECIMAL = /^[1-3]\.\d+$/
/** An address of the internet; Dutch accounts have nearly the same form. */
const isAddress = ({ shape, groups }: Candidate): boolean =>
  /^[1-3](?:\.[1-3]){3}$/.test(shape) &&
  shape !== '2.2.2.3' &&
  groups.every((group) => Number(group) < 256)

const mayBe = (candidate: Candidate | undefined): candidate is Candidate =>
  candidate !== undefined &&
  candidate.digits.length >= LEAST_ACCOUNT &&
  candidate.digits.length <= MOST_ACCOUNT &&
  !(candidate.groups.length > 1 && isDate(candidate)) &&
  !isAddress(candidate) &&
  !DECIMAL.test(candidate.shape)

/**
 * What may be an account and begins with a group: the longest that some country writes so, what
 * spaces join if no other number can be beside it, and what stands together by itself.
 */
export function* candidatesAt(groups: readonly Group[], first: number): Generator<Candidate> {
  if (isJoined(groups[first - 1], TIGHT)) return
  const ends: number[] = []
  let digits = 0
  for (let at = first; at - first < MOST_GROUPS;) {
    const end = unitEnd(groups, at)
    for (let index = at; index < end; index++) digits += groups[index]?.digits.length ?? 0
    if (digits > MOST_ACCOUNT || end - first > MOST_GROUPS) break
    ends.push(end)
    if (!isJoined(groups[end - 1], LOOSE)) break
    at = end
  }
  const [unit] = ends
  const last = ends.at(-1)
  if (unit === undefined || last === undefined) return
  if (digits < LEAST_ACCOUNT) return // as most numbers are
  const all = candidateAt(groups, first, last - first)
  const isWhole = !isJoined(groups[first - 1], LOOSE) && !isJoined(groups[last - 1], LOOSE)
  if (last > unit && isWhole && mayBe(all) && isOfShortGroups(all)) yield all
  for (let index = ends.length - 1; index >= 0; index--) {
    const end = ends[index] ?? unit
    const candidate = candidateAt(groups, first, end - first)
    // more of the same number stands behind it
    const isPart = index > 0 && end < last && groups[end - 1]?.joint === groups[unit - 1]?.joint
    if (mayBe(candidate) && !isPart && (index === 0 || candidate.formats.length > 0))
      yield candidate
  }
}

const isOfShortGroups = ({ groups }: Candidate): boolean =>
  groups.every((group) => group.length <= MOST_IN_GROUP)

/** Below so many digits, nothing that stands behind a number says that it is one. */
export const LEAST_TOLD_BEHIND = 7

/** Where the longest ends that begins with a group and that the words behind it may decide on. */
export function endToldBehind(groups: readonly Group[], first: number): number | undefined {
  let last: number | undefined
  for (const { digits, end } of candidatesAt(groups, first))
    if (digits.length >= LEAST_TOLD_BEHIND) last = Math.max(last ?? 0, end)
  return last
}
