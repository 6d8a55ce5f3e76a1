import type { Clause } from './clause.ts'
import { partsOfName } from './word.ts'

/** Fields that say from where, and to where. */
const FROM = /^(?:from|source|sender|debit|origin|old)$/
const TO = /^(?:to|into|target|recipient|destination|dest|credit|receiver|new)$/
/** How people say it, in front of a value, with the name of what it is in between. */
const BEHIND_FROM = '(?:from|out of|off|von|aus|vom|de|du|desde|da|dal|dalla|do|van|uit|z|ze)'
const BEHIND_TO =
  '(?:to|into|onto|auf|nach|zu|zum|an|à|vers|sur|a|al|para|hacia|verso|su|pra|pro|naar|aan|na|do)'

/**
 * Whether a person put a value on the other side: out of what something is to go into, or the other
 * way round.
 */
export function isOnOtherSide(
  field: string,
  value: string | number,
  about: readonly Pick<Clause, 'text'>[],
  others: readonly (string | number)[],
): boolean {
  const parts = partsOfName(field.split('.').at(-1) ?? '')
  const isFrom = parts.some((part) => FROM.test(part))
  const isTo = parts.some((part) => TO.test(part))
  if (isFrom === isTo) return false
  const [own, other] = isFrom ? [BEHIND_FROM, BEHIND_TO] : [BEHIND_TO, BEHIND_FROM]
  const wanted = String(value).toLowerCase()
  const isBehind = (prepositions: string, one: string): boolean =>
    about.some(({ text }) => standsBehind(text, prepositions, one))
  if (isBehind(own, wanted)) return false
  return (
    isBehind(other, wanted) ||
    others.some((one) => String(one) !== wanted && isBehind(own, String(one).toLowerCase()))
  )
}

/** Between a preposition and the value. */
const BETWEEN = 3

function standsBehind(text: string, prepositions: string, wanted: string): boolean {
  const words = text.split(' ')
  const before = new RegExp(`(?:^| )${prepositions}$`, 'u')
  return words.some((word, at) => {
    if (word.replace('#', '') !== wanted) return false
    for (let back = 1; back <= BETWEEN && back <= at; back++) {
      const behind = words.slice(Math.max(0, at - back - 1), at - back + 1).join(' ')
      if (before.test(behind)) return true
      if (!/^(?:\p{L}+|#)$/u.test(words[at - back] ?? '')) return false
    }
    return false
  })
}
