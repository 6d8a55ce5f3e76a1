import type { Withheld } from '@amodal/sdk'
import type { Span } from './finding.ts'
import type { Found } from './leaks.ts'
import type { Needle } from './tracked.ts'

/** Characters on either side of a name in which its entity may be named. */
export const CONTEXT = 100

/** Whether the text around a name speaks of its entity: by its word, by the field, or by another value of it. */
export function saysWhose(text: string, span: Span, { value, single }: Needle, others: readonly Found[]): boolean {
  // A name that is also a word (`May`, `Will`) is written as a name.
  if (single && /^\p{Lu}/u.test(value.value) && !/^\p{Lu}/u.test(text.slice(span.start, span.end))) return false
  const from = span.start - CONTEXT
  const upto = span.end + CONTEXT
  if (others.some(({ start, end, needle }) => needle.value.entity === value.entity && needle.value.value !== value.value && end > from && start < upto)) return true
  const around = `${text.slice(Math.max(0, from), span.start)} ${text.slice(span.end, upto)}`
  return contextOf(value).test(around)
}

const NOTHING = /(?!)/
const made = new WeakMap<Withheld, RegExp>()

function contextOf(value: Withheld): RegExp {
  const known = made.get(value)
  if (known) return known
  const entity = wordsOf(value.entity).join('[\\s_-]*')
  const field = wordsOf(value.field.split('.').at(-1) ?? '').join('[\\s_-]*')
  const plural = entity.endsWith('y') ? `${entity}|${entity.slice(0, -1)}ies` : `${entity}(?:e?s)?`
  const words = [entity === '' ? '' : plural, field].filter(Boolean)
  const pattern = words.length === 0 ? NOTHING : new RegExp(`(?<![\\p{L}\\d])(?:${words.join('|')})(?![\\p{L}\\d])`, 'iu')
  made.set(value, pattern)
  return pattern
}

/** `first_name`, `firstName`, `First Name` → `first`, `name`. */
export const wordsOf = (name: string): readonly string[] => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^\p{L}\p{N}]+/u).filter(Boolean)
