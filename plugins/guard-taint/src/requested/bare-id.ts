import type { Clause } from './clause.ts'
import { isCounted, isNamedId } from './ids.ts'
import { groupsOf } from './verbs.ts'
import { tokensOf } from './word.ts'

/** Verbs behind which a number says how much. */
const HOW_MUCH: ReadonlySet<string> = new Set(['pay', 'refund', 'buy', 'book'])
const SHORTEST = 3

/**
 * Whether an id stands right behind the verb, or at the beginning, without the name of what it is
 * of: close 7001 and 7002.
 */
export function isBehindVerb(id: string, { verb, text }: Clause): boolean {
  if (!/^\d{3,12}$/.test(id) || id.length < SHORTEST) return false
  if (groupsOf(verb).some((group) => HOW_MUCH.has(group))) return false
  const words = text.split(' ')
  const at = words.findIndex((word) => word.replace('#', '') === id)
  if (at < 0) return false
  const before = words
    .slice(0, at)
    .filter((word) => !/^(?:#?\d+|,|and|&|und|et|y|e|en|i|#|no|nr)$/.test(word))
  const last = before.at(-1)
  if (last === verb) return !isCounted(words[at + 1] ?? '')
  return last === undefined && isNamedId(id, [], [tokensOf(text)], true)
}
