import type { RedactedValue } from '@amodal/sdk'
import type { KnownValueMatch } from './match.ts'

/** Characters on either side of a name in which its entity may be named. */
export const CONTEXT = 100

/**
 * Filters matches: a name counts only if the text around it mentions its entity, its field or
 * another value of the entity.
 */
export function confirmed(
  text: string,
  found: readonly KnownValueMatch[],
): readonly KnownValueMatch[] {
  if (found.every(({ sure }) => sure)) return found
  const inOrder = [...found].sort((one, other) => one.start - other.start)
  return inOrder.filter(
    (one, index) => one.sure || isNamed(text, one, () => isBeside(one, index, inOrder)),
  )
}

function isNamed(
  text: string,
  { start, end, needle: { value, single } }: KnownValueMatch,
  beside: () => boolean,
): boolean {
  // A name that is also a word (`May`, `Will`) is written as a name.
  if (single && /^\p{Lu}/u.test(value.value) && !/^\p{Lu}/u.test(text.slice(start, end)))
    return false
  const around = `${text.slice(Math.max(0, start - CONTEXT), start)} ${text.slice(end, end + CONTEXT)}`
  return contextOf(value).test(around) || beside()
}

/** Positions that are scanned on either side. */
const MOST_BESIDE = 50

function isBeside(
  { start, end, needle: { value } }: KnownValueMatch,
  index: number,
  inOrder: readonly KnownValueMatch[],
): boolean {
  return inOrder
    .slice(Math.max(0, index - MOST_BESIDE), index + MOST_BESIDE)
    .some(
      (other) =>
        other.needle.value.entity === value.entity &&
        other.needle.value.value !== value.value &&
        other.end > start - CONTEXT &&
        other.start < end + CONTEXT,
    )
}

const NOTHING = /(?!)/
const made = new WeakMap<RedactedValue, RegExp>()

function contextOf(value: RedactedValue): RegExp {
  const known = made.get(value)
  if (known) return known
  const entity = wordsOf(value.entity).join('[\\s_-]*')
  const field = wordsOf(value.field.split('.').at(-1) ?? '').join('[\\s_-]*')
  const plural = entity.endsWith('y') ? `${entity}|${entity.slice(0, -1)}ies` : `${entity}(?:e?s)?`
  const words = [entity === '' ? '' : plural, field].filter(Boolean)
  const pattern =
    words.length === 0
      ? NOTHING
      : new RegExp(`(?<![\\p{L}\\d])(?:${words.join('|')})(?![\\p{L}\\d])`, 'iu')
  made.set(value, pattern)
  return pattern
}

/** `first_name`, `firstName`, `First Name` → `first`, `name`. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
