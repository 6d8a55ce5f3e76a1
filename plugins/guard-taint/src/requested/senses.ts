import { lazily } from '@amodal/sdk/loop'
import { FIELDS, SENSES, WIDE } from './sense-lists.ts'
import { fits } from './verbs.ts'
import { partsOfName } from './word.ts'

const split = (list: string): readonly string[] => list.split(/\s+/).filter((word) => word !== '')
const phrases = (list: string): readonly (readonly string[])[] =>
  split(list).map((phrase) => phrase.split('_'))

const senses = lazily(() =>
  SENSES.map(({ values, said, of, not = '' }) => ({
    fields: of === undefined ? undefined : new Set(split(FIELDS[of])),
    values: new Set(split(values)),
    said: phrases(said),
    not: phrases(not),
  })),
)
/** Before a word that is not to be, or is no more. */
const DENIED: ReadonlySet<string> = new Set(
  "not no never isn't isnt wasn't aren't don't dont doesn't doesnt without instead rather from nicht kein keine pas non não niet geen nie".split(
    ' ',
  ),
)
const REACH = 3

/** A value as it is compared: `Closed-Won` → `closed_won`. */
const plain = (value: string): string => value.toLowerCase().replace(/[\s-]+/g, '_')

/**
 * Whether words of a person stand for a value that calls know: parked for `pending`.
 *
 * @param name of its field; empty, where a call is named so
 */
export function isMeantBy(value: string, name: string, text: string): boolean {
  const wanted = plain(value)
  const words = withoutDenied(text).split(' ')
  return senses().some(
    ({ values, said, not, fields }) =>
      values.has(wanted) &&
      (!fields || name === '' || [name, ...partsOfName(name)].some((part) => fields.has(part))) &&
      said.some((phrase) => stands(phrase, words)) &&
      !not.some((phrase) => stands(phrase, words, true)),
  )
}

/** Whether a person said what excludes a value: nobody outside, for `anyone`. */
export function isExcluded(value: string, text: string): boolean {
  const wanted = plain(value)
  const words = text.split(' ')
  return senses().some(
    ({ values, not, said }) =>
      values.has(wanted) &&
      not.some((phrase) => stands(phrase, words, true)) &&
      !said.some((phrase) => stands(phrase, withoutDenied(text).split(' '), false, INTO)),
  )
}
/** What is not to be done says nothing of what is to be. */
const withoutDenied = (text: string): string =>
  text.replace(/(?:^| )(?:don't|dont|do not|never) (?!forget )[^,;.:]*/g, ' ')

/** Behind one of these stands what is wanted, whatever is said beside it. */
const INTO: ReadonlySet<string> = new Set('to into auf in nach à a para op naar na'.split(' '))

/** Whether it gives more than the least that could be meant. */
export const isWide = (value: string): boolean => WIDE.has(plain(value))

/** Who is done with something says nothing of how far it is. */
const WHO: ReadonlySet<string> = new Set("we're i'm im i've ive we've weve youre you're".split(' '))
const isOfPeople = (words: readonly string[], at: number): boolean =>
  WHO.has(words[at - 1] ?? '') ||
  (/^(?:were|are|am)$/.test(words[at - 1] ?? '') &&
    /^(?:we|i|you|ok|okay|so|now|,|and)?$/.test(words[at - 2] ?? ''))

function stands(
  phrase: readonly string[],
  words: readonly string[],
  isAny = false,
  behind?: ReadonlySet<string>,
): boolean {
  return words.some(
    (_word, at) =>
      phrase.every((one, index) => fits(words[at + index] ?? '', one)) &&
      (!behind || behind.has(words[at - 1] ?? '')) &&
      (isAny || (!isOfPeople(words, at) && !isDenied(words, at))),
  )
}

const isDenied = (words: readonly string[], at: number): boolean =>
  words.slice(Math.max(0, at - REACH), at).some((word) => DENIED.has(word))
