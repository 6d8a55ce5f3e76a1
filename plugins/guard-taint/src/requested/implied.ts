import type { Chosen } from '../chosen.ts'
import type { Known } from '../taint.ts'
import { madeOf, numbersOfText } from './amounts.ts'
import { isMeantBy } from './senses.ts'
import { isEnumerated, isLess } from './values.ts'
import { tokensOf } from './word.ts'

/**
 * Whether a value that nobody said as it stands may follow from what a person said lately: the role
 * `viewer` of somebody who is to look, half of an amount. Whether it was asked for is looked at
 * with the call.
 */
export function isImplied({ field, value }: Chosen, known: Known): boolean {
  if (field === 'path' || (typeof value === 'string' && !isEnumerated(value))) return false
  const { requests } = known.session
  const texts = requests.lately().map((text) =>
    tokensOf(text)
      .map((token) => token.text)
      .join(' '),
  )
  if (typeof value === 'string') return texts.some((text) => isMeantBy(value, nameOf(field), text))
  const numbers = texts.flatMap(numbersOfText)
  const made = requests.madeNumbers()
  return (
    numbers.includes(value) ||
    (value < 0 && numbers.includes(-value) && texts.some(isLess)) ||
    texts.some((text) => madeOf(text, [...numbers, ...made]).includes(value))
  )
}

/** `body.items[0].role` → `role`. */
export const nameOf = (field: string): string =>
  field
    .replace(/\[\d+\]/g, '')
    .split('.')
    .at(-1) ?? ''
