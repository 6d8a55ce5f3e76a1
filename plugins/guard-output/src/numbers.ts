import { isCard } from './card.ts'
import { ibansIn } from './iban.ts'
import { labelledKind, LONGEST_LABEL } from './labels.ts'
import type { NumberKind, NumberMatch } from './number-kind.ts'
import { isWordCharacter } from './span.ts'

/** Digits without another sign between them. */
interface Group {
  readonly digits: string
  readonly start: number
  readonly end: number
  /** The one sign between this group and the next, if it is one that numbers have. */
  readonly joint: string | undefined
}

const DIGITS = /\d+/g
const JOINT = /^[ .\-/_·]$/
/** Nine digits that the Social Security Administration could have issued. */
const ISSUED = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/
const SHORTEST_ACCOUNT = 5
const LONGEST_ACCOUNT = 26
const MOST_CARD_GROUPS = 5
/** Groups of an account with signs between them. */
const MOST_GROUPS = 13
const EMAIL = /[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}(?![\w@])/gi
const PHONE = /(?<![\w+])\+\d(?:[ ().\-/]{0,2}\d){6,14}(?!\d)/g

/**
 * Numbers of persons and banks in a normalised text, without overlaps.
 *
 * @param from what ends before this place is context only
 */
export function numbersIn(
  text: string,
  from: number,
  kinds: readonly NumberKind[],
): readonly NumberMatch[] {
  const found: NumberMatch[] = []
  if (kinds.includes('iban')) found.push(...ibansIn(text, from))
  if (kinds.includes('phone')) found.push(...matchesOf('phone', PHONE, text, from))
  if (kinds.includes('email') && text.includes('@', from))
    found.push(...matchesOf('email', EMAIL, text, from))
  found.push(...groupedNumbers(text, from, kinds))
  return withoutOverlaps(found)
}

function* matchesOf(
  kind: NumberKind,
  pattern: RegExp,
  text: string,
  from: number,
): Generator<NumberMatch> {
  pattern.lastIndex = from
  for (let found = pattern.exec(text); found; found = pattern.exec(text))
    yield { kind, start: found.index, end: found.index + found[0].length }
}

/** Cards, social security numbers and labelled numbers: what is made of groups of digits. */
function* groupedNumbers(
  text: string,
  from: number,
  kinds: readonly NumberKind[],
): Generator<NumberMatch> {
  const groups = groupsOf(text, from)
  for (let at = 0; at < groups.length;) {
    const found = numberAt(text, groups, at, kinds)
    if (found) yield found.match
    at += found?.groups ?? 1
  }
}

interface Grouped {
  readonly match: NumberMatch
  readonly groups: number
}

function numberAt(
  text: string,
  groups: readonly Group[],
  at: number,
  kinds: readonly NumberKind[],
): Grouped | undefined {
  const kind = labelOf(text, groups, at)
  if (kind !== undefined && kinds.includes(kind)) {
    const labelled = labelledAt(text, groups, at, kind)
    if (labelled) return labelled
  }
  const card = kinds.includes('card') ? cardAt(text, groups, at) : undefined
  return card ?? (kinds.includes('ssn') ? ssnAt(text, groups, at) : undefined)
}

function labelOf(text: string, groups: readonly Group[], at: number): NumberKind | undefined {
  const { start } = groups[at] ?? { start: 0 }
  // Behind another group of the same number stands no label.
  return groups[at - 1]?.joint === undefined
    ? labelledKind(text.slice(Math.max(0, start - LONGEST_LABEL), start))
    : undefined
}

/** The number behind a label: all groups with the same sign between them, or the first of them. */
function labelledAt(
  text: string,
  groups: readonly Group[],
  at: number,
  kind: NumberKind,
): Grouped | undefined {
  const { joint } = groups[at] ?? { joint: undefined }
  let count = 1
  if (joint !== undefined)
    while (count <= MOST_GROUPS && groups[at + count - 1]?.joint === joint) count++
  for (const own of [groups.slice(at, at + count), groups.slice(at, at + 1)]) {
    const digits = own.map((group) => group.digits).join('')
    const isLength =
      kind === 'ssn'
        ? ISSUED.test(digits)
        : digits.length >= SHORTEST_ACCOUNT && digits.length <= LONGEST_ACCOUNT
    if (isLength && own.length <= MOST_GROUPS && standsAlone(text, own)) return grouped(kind, own)
  }
  return undefined
}

function cardAt(text: string, groups: readonly Group[], at: number): Grouped | undefined {
  const first = groups[at]
  if (!first || first.digits.length > 19) return undefined
  const most = first.joint === undefined ? 1 : MOST_CARD_GROUPS
  for (let count = most; count > 0; count--) {
    const own = chainOf(groups, at, count)
    if (!own) continue
    const digits = own.map((group) => group.digits).join('')
    const shape = count === 1 ? digits : own.map((group) => group.digits.length).join('-')
    if (isCard(digits, shape) && standsAlone(text, own)) return grouped('card', own)
  }
  return undefined
}

function ssnAt(text: string, groups: readonly Group[], at: number): Grouped | undefined {
  if (groups[at]?.digits.length !== 3 || groups[at].joint !== '-') return undefined
  const own = chainOf(groups, at, 3)
  const isShape = own?.[1]?.digits.length === 2 && own[2]?.digits.length === 4
  return own &&
    isShape &&
    ISSUED.test(own.map((group) => group.digits).join('')) &&
    standsAlone(text, own)
    ? grouped('ssn', own)
    : undefined
}

/** So many groups with the same sign between them. */
function chainOf(
  groups: readonly Group[],
  at: number,
  count: number,
): readonly Group[] | undefined {
  const joint = groups[at]?.joint
  for (let index = at; index < at + count - 1; index++) {
    const own = groups[index]?.joint
    if (own === undefined || own !== joint) return undefined
  }
  return at + count <= groups.length ? groups.slice(at, at + count) : undefined
}

const grouped = (kind: NumberKind, own: readonly Group[]): Grouped => ({
  match: { kind, start: own[0]?.start ?? 0, end: own.at(-1)?.end ?? 0 },
  groups: own.length,
})

/** Whether no word, longer number or code goes on before or behind. */
function standsAlone(text: string, own: readonly Group[]): boolean {
  const { start } = own[0] ?? { start: 0 }
  const { end } = own.at(-1) ?? { end: 0 }
  if (isWordCharacter(text.charAt(start - 1)) || isWordCharacter(text.charAt(end))) return false
  const [before, after] = [text.slice(Math.max(0, start - 2), start), text.slice(end, end + 2)]
  return !/[A-Za-z\d][-.]$/.test(before) && !/^(?:-[A-Za-z\d]|\.\d)/.test(after)
}

function groupsOf(text: string, from: number): readonly Group[] {
  const groups: Group[] = []
  DIGITS.lastIndex = from
  for (let found = DIGITS.exec(text); found; found = DIGITS.exec(text)) {
    const { 0: digits, index } = found
    const end = index + digits.length
    const sign = text.charAt(end)
    const goesOn = JOINT.test(sign) && /\d/.test(text.charAt(end + 1))
    groups.push({ digits, start: index, end, joint: goesOn ? sign : undefined })
  }
  return groups
}

/** Of overlapping matches the first one of the list stays. */
function withoutOverlaps(found: readonly NumberMatch[]): readonly NumberMatch[] {
  const separate: NumberMatch[] = []
  for (const one of [...found].sort((a, b) => a.start - b.start))
    if (one.start >= (separate.at(-1)?.end ?? 0)) separate.push(one)
  return separate
}
