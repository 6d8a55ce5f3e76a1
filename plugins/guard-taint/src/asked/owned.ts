import { normal } from '../normal.ts'
import { spaced } from './values.ts'
import { isSameNoun, isVerb } from './verbs.ts'
import { partsOfName, tokensOf } from './word.ts'
import type { Clause } from './clause.ts'
import type { Deed } from './deed.ts'

const OF: ReadonlySet<string> = new Set(
  'of for von für du des de del della di van voor pour para per dla'.split(' '),
)
const SMALL: ReadonlySet<string> = new Set(
  'the a an my our your his her their der die das des dem den la le les el los las il lo het user contact please pls bitte proszę por favor out off away instead because copy it that eur euro euros usd dollars gbp pounds chf pln zł'.split(
    ' ',
  ),
)
/** Words between a preposition and the id that it is about. */
const REACH = 4
/** Words that a thing is named by. */
const MOST_WORDS = 3
/** Behind one of these stands what a thing is taken out of. */
const OUT_OF =
  /(?:^| )(?:from|out of|off|aus|von|de|da|van|uit) (?:the |der |dem |la |le |el |il |het )?\p{L}+ #?(\d+)(?= |$)/u

/**
 * Whether a clause is about something that belongs to what the call is done to, and that the call
 * says nothing of: the notes of contact 42, where contact 42 is to be deleted.
 */
export function isOfAnother(
  { text }: Pick<Clause, 'text'>,
  { verbs, nouns, values, name }: Deed,
  path: readonly string[],
): boolean {
  const taken = OUT_OF.exec(text)?.[1]
  const isDelete = name.startsWith('DELETE ')
  if (isDelete && taken !== undefined && !path.slice(0, -1).includes(taken)) return true
  const words = text.split(' ')
  const about = [
    ...verbs,
    ...nouns,
    ...path,
    ...values.flatMap((one) => [one.name, ...partsOfName(one.name)]),
  ]
  // What is changed to a value that was said goes by many names.
  const isValued =
    /^(?:PATCH|PUT) /.test(name) &&
    values.length > 0 &&
    values.every(
      ({ value }) =>
        (typeof value === 'string' || typeof value === 'number') &&
        ` ${text} `.includes(` ${spaced(normal(String(value)))} `),
    )
  if (isValued) return false
  return words.some((word, at) => {
    if (!/^#?\d+$/.test(word) || !path.includes(word.replace('#', ''))) return false
    const of = words.findLastIndex((one, index) => index < at && index >= at - REACH && OF.has(one))
    if (
      of < 1 ||
      words[of - 1] === 'rid' ||
      words.slice(of, at).some((one) => /^[,.;:]$/.test(one))
    )
      return false
    const owned = ownedBefore(words, of)
    return (
      owned.length > 0 &&
      !owned.some((one) =>
        about.some(
          (known) =>
            isSameNoun(known, one) || partsOfName(known).some((part) => isSameNoun(part, one)),
        ),
      )
    )
  })
}

function ownedBefore(words: readonly string[], of: number): readonly string[] {
  const owned: string[] = []
  for (let at = of - 1; at >= 0 && owned.length < MOST_WORDS; at--) {
    const word = words[at] ?? ''
    if (/^(?:\d+|[,&]|and|und|et|y|e|en|i)$/.test(word)) continue
    if (!/^\p{L}[\p{L}-]*$/u.test(word) || SMALL.has(word)) break
    if (isVerb(word) && owned.length > 0) return owned
    owned.push(word, ...partsOfWord(word))
  }
  return owned.length === 1 && isVerb(owned[0] ?? '') ? [] : owned
}

const partsOfWord = (word: string): readonly string[] => {
  const parts = tokensOf(word).flatMap(({ text }) => text.split('-'))
  return parts.length > 1 ? parts : []
}
