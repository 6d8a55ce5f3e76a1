import { normal } from '../normal.ts'
import type { Known } from '../taint.ts'
import { hasWord, type Clause } from './clause.ts'
import { DAY, isMeant, TIME, type Moments } from './day.ts'
import type { Given } from './deed.ts'
import { groupsOf, isSameNoun } from './verbs.ts'
import { isSameWord, partsOfName } from './word.ts'

/** Words that say nothing of what a value is. */
const SMALL: ReadonlySet<string> = new Set(
  'a an and are as at be by for from in is it of on or the to with der die das und mit für von le la les et de du des el los y con'.split(
    ' ',
  ),
)

/** Whether a value that chooses nothing by itself was asked for all the same. */
export function isAskedValue(
  given: Given,
  about: readonly Clause[],
  known: Known,
  moments: Moments | undefined,
): boolean {
  const { value, says, name } = given
  const {
    session: { requests, outside, person },
  } = known
  if (value === null || value === '')
    return about.some(
      ({ verb }) => groupsOf(verb).includes('remove') || groupsOf(verb).includes('disable'),
    )
  if (typeof value === 'boolean') return isAskedFlag(value, name, about)
  if (says) return true
  const text = String(value)
  if (typeof value === 'number' || /^-?\d+(?:[.,]\d+)?$/.test(text)) {
    return (
      about.some((clause) => numbersIn(clause).includes(Number(text))) ||
      (person.findNumber(Number(text)) !== undefined && fieldIsSaid(name, about))
    )
  }
  if (moments && (DAY.test(text) || TIME.test(text))) return isMeant(text, moments)
  if (known.constants.defaults.has(normal(text))) return true
  const words = (normal(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.has(word))
  const isIn = (word: string): boolean =>
    about.some(
      (clause) =>
        clause.words.some((one) => isSameNoun(one, word)) ||
        groupsOf(word).some(
          (group) =>
            group !== 'create' && group !== 'change' && groupsOf(clause.verb).includes(group),
        ),
    )
  const said = words.filter(isIn)
  if (said.length === words.length) return true
  if (
    (words.length > 1 || fieldIsSaid(name, about)) &&
    requests.texts().some((one) => normal(one).includes(normal(text)))
  )
    return true
  // A text that the model put together of what was asked; nothing of a stranger is in it.
  return (
    words.length > 2 &&
    said.length * 2 >= words.length &&
    words.every(
      (word) => said.includes(word) || (!/\d/.test(word) && outside.find(word) === undefined),
    )
  )
}

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  ein: 1,
  eine: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  un: 1,
  une: 1,
  deux: 2,
  trois: 3,
  uno: 1,
  dos: 2,
  tres: 3,
}

/**
 * Numbers that a clause names, in digits or as a word; what parts their digits is read in both
 * ways.
 */
export function numbersIn({ words, text }: Clause): readonly number[] {
  const plain = [...text.matchAll(/\d+(?:[.,]\d+)*/g)].flatMap(([found]) => [
    Number(found.replaceAll(',', '')),
    Number(found.replaceAll('.', '').replace(',', '.')),
  ])
  return [...plain, ...words.flatMap((word) => NUMBER_WORDS[word] ?? [])]
}

const fieldIsSaid = (name: string, about: readonly Clause[]): boolean =>
  partsOfName(name).some(
    (part) => part.length > 2 && about.some(({ words }) => hasWord(words, part)),
  )

const OFF: ReadonlySet<string> = new Set(
  "not no without off never don't dont stop un dis nicht kein ohne aus pas sans".split(' '),
)
/** Names of fields that say that something is on. */
const ON: ReadonlySet<string> = new Set('enabled active activated on'.split(' '))

/** A yes or no: its name was said, and for a no that it is not to be. */
function isAskedFlag(value: boolean, name: string, about: readonly Clause[]): boolean {
  const parts = partsOfName(name)
  return about.some(({ verb, words }) => {
    if (parts.some((part) => ON.has(part)))
      return /^(?:turn|switch)$/.test(verb)
        ? words.includes(value ? 'on' : 'off')
        : groupsOf(verb).includes(value ? 'enable' : 'disable')
    const said = parts.some(
      (part) => part.length > 2 && (hasWord(words, part) || isSameWord(verb, part)),
    )
    const negated =
      words.some((word) => OFF.has(word)) ||
      parts.some((part) => words.includes(`un${part}`)) ||
      groupsOf(verb).includes('remove') ||
      groupsOf(verb).includes('disable')
    return value
      ? said && !negated
      : (said && negated) || parts.some((part) => words.includes(`un${part}`))
  })
}
