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

const TIGHT: ReadonlySet<string> = new Set(['-', '.', '/'])
const LOOSE: ReadonlySet<string> = new Set([' ', '  ', ' - ', ' / ', ' -', '- '])
const signOf = (joint: string): string => (joint.trim() === '' ? ' ' : joint.trim())

/** What a shape says of the numbers that are written so. */
interface ShapeFacts {
  readonly formats: readonly Format[]
  /** Which of the groups is the year, in the shape of a date. */
  readonly year: 'first' | 'last' | undefined
  /** Perhaps an address of the internet; Dutch accounts have nearly the same form. */
  readonly mayBeAddress: boolean
  /** A fraction. */
  readonly isDecimal: boolean
}

/** There are few shapes, and each is asked for again and again. */
const known = new Map<string, ShapeFacts>()
const MOST_KNOWN = 4_096
function factsOf(shape: string): ShapeFacts {
  const own = known.get(shape)
  if (own) return own
  const facts: ShapeFacts = {
    formats: FORMATS.filter((format) => format.shape.test(shape)),
    year: yearIn(shape),
    mayBeAddress: /^[1-3](?:\.[1-3]){3}$/.test(shape) && shape !== '2.2.2.3',
    isDecimal: /^[1-3]\.\d+$/.test(shape),
  }
  if (known.size < MOST_KNOWN) known.set(shape, facts)
  return facts
}

function yearIn(shape: string): ShapeFacts['year'] {
  if (/^4[-./]\d[-./]\d$/.test(shape)) return 'first'
  return /^\d[-./]\d[-./][24]$/.test(shape) ? 'last' : undefined
}

/** Groups from `first` on, up to where no group is joined without a space. */
interface Stretch {
  readonly end: number
  readonly shape: string
  /** How many. */
  readonly digits: number
}

function candidateOf(
  groups: readonly Group[],
  first: number,
  { end, shape }: Stretch,
  formats: readonly Format[],
): Candidate | undefined {
  const start = groups[first]?.start
  const last = groups[end - 1]?.end
  if (start === undefined || last === undefined) return undefined
  const own = groups.slice(first, end).map((group) => group.digits)
  const count = end - first
  return { start, end: last, digits: own.join(''), groups: own, shape, formats, first, count }
}

const isJoined = (group: Group | undefined, joints: ReadonlySet<string>): boolean =>
  group?.joint !== undefined && joints.has(group.joint)

/** Where the groups end that are joined without a space. */
function unitEnd(groups: readonly Group[], first: number): number {
  let end = first
  while (end - first <= MOST_GROUPS && isJoined(groups[end], TIGHT)) end++
  return end + 1
}

function isDate(groups: readonly string[], year: 'first' | 'last'): boolean {
  const [a = 0, b = 0, c = 0] = groups.map(Number)
  const inMonth = (day: number, month: number): boolean =>
    day > 0 && day <= 31 && month > 0 && month <= 12
  const day = year === 'first' ? c : a
  return inMonth(day, b) || inMonth(b, day)
}
/** `20240511`. */
export const isCompactDate = (digits: string): boolean =>
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(digits)

const hasLength = ({ digits }: Stretch): boolean =>
  digits >= LEAST_ACCOUNT && digits <= MOST_ACCOUNT

const isDateOrAddress = (groups: readonly string[], { year, mayBeAddress }: ShapeFacts): boolean =>
  (year !== undefined && isDate(groups, year)) ||
  (mayBeAddress && groups.every((group) => Number(group) < 256))

/** Where what begins with a group may end. */
function stretchesAt(groups: readonly Group[], first: number): readonly Stretch[] {
  const all: Stretch[] = []
  let [digits, shape] = [0, '']
  for (let at = first; at - first < MOST_GROUPS;) {
    const end = unitEnd(groups, at)
    for (let index = at; index < end; index++) {
      const length = groups[index]?.digits.length ?? 0
      if (index > first) shape += signOf(groups[index - 1]?.joint ?? ' ')
      shape += String(length)
      digits += length
    }
    if (digits > MOST_ACCOUNT || end - first > MOST_GROUPS) break
    all.push({ end, shape, digits })
    if (!isJoined(groups[end - 1], LOOSE)) break
    at = end
  }
  return all
}

/**
 * What may be an account and begins with a group: the longest that some country writes so, what
 * spaces join if no other number can be beside it, and what stands together by itself.
 */
export function* candidatesAt(groups: readonly Group[], first: number): Generator<Candidate> {
  if (isJoined(groups[first - 1], TIGHT)) return
  const stretches = stretchesAt(groups, first)
  const [unit] = stretches
  const last = stretches.at(-1)
  if (!unit || !last) return
  if (last.digits < LEAST_ACCOUNT) return // as most numbers are
  const candidate = (stretch: Stretch, facts: ShapeFacts): Candidate | undefined => {
    if (!hasLength(stretch) || facts.isDecimal) return undefined
    const found = candidateOf(groups, first, stretch, facts.formats)
    return found && !isDateOrAddress(found.groups, facts) ? found : undefined
  }
  const isWhole = !isJoined(groups[first - 1], LOOSE) && !isJoined(groups[last.end - 1], LOOSE)
  if (last.end > unit.end && isWhole) {
    const all = candidate(last, factsOf(last.shape))
    if (all && isOfShortGroups(all)) yield all
  }
  const joint = groups[unit.end - 1]?.joint
  for (let index = stretches.length - 1; index >= 0; index--) {
    const stretch = stretches[index] ?? unit
    const facts = factsOf(stretch.shape)
    if (index > 0 && facts.formats.length === 0) continue
    // more of the same number stands behind it
    if (index > 0 && stretch.end < last.end && groups[stretch.end - 1]?.joint === joint) continue
    const found = candidate(stretch, facts)
    if (found) yield found
  }
}

const isOfShortGroups = ({ groups }: Candidate): boolean =>
  groups.every((group) => group.length <= MOST_IN_GROUP)

/** Below so many digits, nothing that stands behind a number says that it is one. */
export const LEAST_NAMED_AFTER = 7

/** Where the longest ends that begins with a group and that the words behind it may decide on. */
export function endNamedAfter(groups: readonly Group[], first: number): number | undefined {
  let last: number | undefined
  for (const { digits, end } of candidatesAt(groups, first))
    if (digits.length >= LEAST_NAMED_AFTER) last = Math.max(last ?? 0, end)
  return last
}
