import { partsOf } from '../field-name.ts'
import type { Clause } from './clause.ts'
import { APART, FIELD_LISTS, OF_VERBS } from './field-lists.ts'
import { deedsOf } from './verbs.ts'
import { isSameWord } from './word.ts'

const listsOf = (word: string): readonly number[] =>
  FIELD_LISTS.flatMap((list, at) => (list.some((one) => isSameWord(one, word)) ? [at] : []))

/**
 * Whether a field of a call is another one than a person spoke of: the fax, where the phone was to
 * be corrected; who follows, where somebody was to be assigned. Fields that nobody knows may be
 * what was meant.
 */
export function isOtherField(
  field: string,
  about: readonly Pick<Clause, 'verb' | 'words'>[],
): boolean {
  const own = field
    .replace(/\[\d+\]/g, '')
    .split('.')
    .slice(1)
    .flatMap((name) => partsOf(name).flatMap(listsOf))
  const spokenOf = about.flatMap(({ words }) => words)
  if (isApart(partsOf(field.split('.').at(-1) ?? ''), spokenOf)) return true
  if (own.length === 0) return false
  const meant = about.flatMap(({ verb }) => OF_VERBS[deedsOf(verb)[0] ?? ''] ?? [])
  const isSpoken = spokenOf.flatMap(listsOf).some((list) => own.includes(list))
  if (meant.length > 0)
    return !isSpoken && !meant.some((name) => listsOf(name).some((list) => own.includes(list)))
  return about.every(({ words }) => {
    const spoken = words.flatMap(listsOf)
    return spoken.length > 0 && !spoken.some((list) => own.includes(list))
  })
}

const [ALWAYS = [], BESIDE = []] = APART.map((list) => list.split(' '))

/** The recovery address is none of the others; the daily limit is not the monthly one. */
function isApart(parts: readonly string[], words: readonly string[]): boolean {
  const isSaid = (one: string): boolean =>
    words.some((word) => word.startsWith(one.replace(/(?:ily|ly)$/, '')))
  const own = parts.filter((part) => BESIDE.includes(part))
  return (
    parts.some((part) => ALWAYS.includes(part) && !isSaid(part)) ||
    (own.length > 0 && !own.some(isSaid) && BESIDE.some((one) => words.includes(one)))
  )
}
