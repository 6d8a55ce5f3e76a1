import type { Clause } from './clause.ts'
import { isMeantBy } from './senses.ts'
import { FIELDS } from './sense-lists.ts'
import { groupsOf } from './verbs.ts'
import { isSameWord, partsOfName } from './word.ts'

const STATES: ReadonlySet<string> = new Set(FIELDS.state.split(' '))
/** Verbs that leave it to other words what becomes of a thing. */
const LOOSE: ReadonlySet<string> = new Set(['change', 'create', 'close', 'tag', 'run'])
/** Before what a thing is to become. */
const BECOMES =
  /(?<= |^)(?:as|to|into|in|on|=|auf|als|in|en|como|comme|a|come|na|jako|op) (\S+(?: \S+)?)/gu

/** Whether a field says how far a thing is: its status, its stage. */
export const isState = (name: string): boolean => partsOfName(name).some((part) => STATES.has(part))

/**
 * Whether a clause may say a state by any of its words. Where its verb says what becomes of a
 * thing, other words give reasons: "block it, I lost it" asks for nothing to be marked as lost.
 */
export function saysState(
  value: string,
  name: string,
  { verb, text }: Pick<Clause, 'verb' | 'text'>,
): boolean {
  const groups = groupsOf(verb)
  if (groups.length === 0 || groups.some((group) => LOOSE.has(group))) return true
  if (isMeantBy(value, name, verb)) return true
  if (partsOfName(value).some((part) => isSameWord(part, verb))) return true
  if (text.split(' ').some((word) => STATES.has(word))) return true
  return [...text.matchAll(BECOMES)].some(
    ([, behind = '']) => behind.split(' ').includes(value) || isMeantBy(value, name, behind),
  )
}
