import { normal } from '../normal.ts'
import type { Known } from '../taint.ts'
import { madeOf, numbersOfText, withoutOld } from './amounts.ts'
import { hasWord, type Clause } from './clause.ts'
import { DAY, isMeant, TIME, type Moments } from './day.ts'
import type { Given } from './deed.ts'
import { isRequestedFlag } from './flag.ts'
import { withoutIds } from './ids.ts'
import { isExcluded, isMeantBy, isWide } from './senses.ts'
import { isState, saysState } from './state.ts'
import { groupsOf, isSameNoun } from './verbs.ts'
import { partsOfName, tokensOf } from './word.ts'

/** Words that say nothing of what a value is. */
const SMALL: ReadonlySet<string> = new Set(
  'a an and are as at be by for from in is it of on or the to with der die das und mit für von le la les et de du des el los y con'.split(
    ' ',
  ),
)

/** Read by programs rather than by people. */
const LABEL = /^(?:tags?|labels?|keywords?)$/i
/** Of one thing nobody says how many. */
const COUNTED = /^(?:quantity|qty|count|people|guests|seats)$/i

/** Whether a value that chooses nothing by itself was asked for all the same. */
export function isRequestedValue(
  given: Given,
  about: readonly Clause[],
  known: Known,
  moments: Moments | undefined,
  isSet = false,
): boolean {
  const { value, says, name } = given
  const {
    session: { requests },
  } = known
  if (value === null || value === '')
    return about.some(
      ({ verb }) => groupsOf(verb).includes('remove') || groupsOf(verb).includes('disable'),
    )
  if (typeof value === 'boolean')
    return isRequestedFlag(value, name, about, isSet, requests.lately().map(spaced))
  if (says && !LABEL.test(name)) return true
  const text = String(value)
  // An article is no number: add a note.
  if (value === 1 && COUNTED.test(name)) return true
  if (typeof value === 'number' || /^-?\d+(?:[.,]\d+)?$/.test(text))
    return isAskedNumber(Number(text), name, about, requests.lately())
  if (moments && (DAY.test(text) || TIME.test(text))) return isMeant(text, name, moments)
  if (known.constants.defaults.has(normal(text))) return true
  return (
    (isEnumerated(text) ? isAskedChoice(text, name, about, requests.lately()) : undefined) ??
    isAskedText(text, name, about, known)
  )
}

const isAskedNumber = (
  value: number,
  name: string,
  about: readonly Clause[],
  lately: readonly string[],
): boolean =>
  !isOtherUnit(name, about) &&
  (about.some((clause) => amountsIn(clause.text, name).includes(value)) ||
    (fieldIsSaid(name, about) &&
      lately.some((one) => amountsIn(spaced(one), name).includes(value))) ||
    isMade(value, about, lately))

/** Whether a value to choose from was chosen; `undefined`, where its words have to tell. */
function isAskedChoice(
  text: string,
  name: string,
  about: readonly Clause[],
  lately: readonly string[],
): boolean | undefined {
  if (about.some((clause) => isExcluded(text, clause.text))) return false
  if (!isState(name)) return isMeantHere(text, name, about, lately) || undefined
  const saying = about.filter((clause) => saysState(text, name, clause))
  if (saying.length === 0) return false
  const isIt = saying.some(({ hasPronoun }) => hasPronoun)
  return isMeantHere(text, name, saying, isIt ? lately : []) || undefined
}

function isAskedText(
  text: string,
  name: string,
  about: readonly Clause[],
  { session: { requests, outside } }: Known,
): boolean {
  const words = (normal(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.has(word))
  const said = words.filter((word) => about.some((clause) => isIn(word, clause)))
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

const isIn = (word: string, clause: Clause): boolean =>
  clause.words.some((one) => isSameNoun(one, word)) ||
  groupsOf(word).some(
    (group) => group !== 'create' && group !== 'change' && groupsOf(clause.verb).includes(group),
  )

/** Numbers that a clause names, in digits or as a word. */
export const numbersIn = ({ text }: Clause): readonly number[] => numbersOfText(withoutOld(text))

const UNITS =
  /^(?:gb|mb|tb|days?|hours?|minutes?|mins?|seconds?|secs?|weeks?|months?|years?|km|kg|cpus?|cores?)$/
/** Whether a field counts in what the person does not speak of: of six replicas none is a GB. */
export const isOtherUnit = (name: string, about: readonly Clause[]): boolean => {
  const units = partsOfName(name).filter((part) => UNITS.test(part))
  return (
    units.length > 0 &&
    !fieldIsSaid(name, about) &&
    !about.some(({ words }) =>
      words.some((word) => units.some((unit) => word.startsWith(unit.slice(0, 3)))),
    )
  )
}

/** Numbers of a clause that may say how much. */
export function amountsIn(text: string, name: string): readonly number[] {
  const found = numbersOfText(withoutIds(withoutOld(text).replace(CLOCK, ' '), name))
  return isLess(text) ? [...found, ...found.map((one) => -one)] : found
}

/** Where some are taken away, so many less are left. */
export const isLess = (text: string): boolean => LESS.test(text)
const LESS =
  /(?:^| )(?:minus|less|fewer|remove|removed|subtract|deduct|missing|lost|broken|take \p{L}+ (?:out|off)|weniger|ab|moins|menos|meno|minder)(?: |$)/u

/** Days and hours say how much of nothing. */
const CLOCK = /\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?)\b/g

const fieldIsSaid = (name: string, about: readonly Clause[]): boolean =>
  partsOfName(name).some(
    (part) => part.length > 2 && about.some(({ words }) => hasWord(words, part)),
  )

/** Whether a field is named by its name or by another word for it. */
export const fieldIsNamed = (name: string, texts: readonly (readonly string[])[]): boolean =>
  partsOfName(name).some(
    (part) =>
      part.length > 2 && texts.some((words) => words.some((word) => isSameNoun(part, word))),
  )

/** A word that a call offers to choose from, and not a text. */
export const isEnumerated = (value: string): boolean => /^[A-Za-z][A-Za-z_-]{1,24}$/.test(value)

/**
 * Whether the person's words stand for a value. What gives more than the least has to be meant
 * where it is asked for.
 */
export const isMeantHere = (
  value: string,
  name: string,
  about: readonly Clause[],
  lately: readonly string[],
): boolean =>
  about.some(({ text }) => isMeantBy(value, name, text)) ||
  (!isWide(value) && lately.some((text) => isMeantBy(value, name, spaced(text))))

/** A text as its words and marks, with spaces between. */
export const spaced = (text: string): string =>
  tokensOf(text)
    .map((token) => token.text)
    .join(' ')

/** Half of it, double that: of what was said in this turn or the one before. */
export function isMade(
  value: number,
  about: readonly { readonly text: string }[],
  lately: readonly string[],
): boolean {
  if (!about.some(({ text }) => madeOf(text, [1]).length > 0)) return false
  const said = lately.flatMap((text) => numbersOfText(normal(text)))
  return about.some(({ text }) => madeOf(text, said).includes(value))
}
