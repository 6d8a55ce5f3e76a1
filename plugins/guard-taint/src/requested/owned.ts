import { normal } from '../normal.ts'
import { spaced } from './values.ts'
import { isSameNoun, isVerb } from './verbs.ts'
import { partsOfName, tokensOf } from './word.ts'
import type { Chosen } from '../chosen.ts'
import type { Clause } from './clause.ts'
import type { Deed } from './deed.ts'

const OF: ReadonlySet<string> = new Set(
  'of for von für du des de del della di van voor pour para per dla'.split(' '),
)
const SMALL: ReadonlySet<string> = new Set(
  'merci thanks thank back down up over again now here there quickly the a an my our your his her their der die das des dem den la le les el los las il lo het user contact please pls bitte proszę por favor out off away instead because copy it that eur euro euros usd dollars gbp pounds chf pln zł'.split(
    ' ',
  ),
)
/** Behind a thing, where it is taken away or ends: the note on contact 42. */
const AT: ReadonlySet<string> = new Set(
  'on in at about attached under inside bei beim auf in an im am zu zum sur dans en sobre su nel nella em no na bij op in w na przy'.split(
    ' ',
  ),
)
/** Words between a preposition and the id that it is about. */
const REACH = 4
/** Words that a thing is named by. */
const MOST_WORDS = 3
/** Behind one of these stands what a thing is taken out of. */
const OUT_OF =
  /(?:^| )(?:from|out of|off|aus|von|de|da|dal|dalla|del|do|van|uit|z|ze) (?:the |der |dem |la |le |el |il |het )?\p{L}+ (#?\d+(?: (?:,|and|&|und|et|y|e|en|i) #?\d+)*)(?= |$)/u

/** What things are taken out of: groups 3 and 9. */
export const takenFrom = (text: string): readonly string[] =>
  OUT_OF.exec(text)?.[1]?.match(/\d+/g) ?? []

/**
 * Whether a clause is about something that belongs to what the call is done to, and that the call
 * says nothing of: the notes of contact 42, where contact 42 is to be deleted.
 */
export function isOfAnother(
  { text }: Pick<Clause, 'text'>,
  { verbs, nouns, values, name, makes, groups }: Deed,
  path: readonly string[],
): boolean {
  const taken = takenFrom(text)
  const isDelete = name.startsWith('DELETE ') || groups.includes('remove')
  const ids = /^[A-Z]+ \//.test(name) ? path : values.map(({ value }) => String(value))
  if (
    isDelete &&
    taken.length > 0 &&
    path.length > 0 &&
    !taken.some((one) => path.slice(0, -1).includes(one))
  )
    return true
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
  const isKnown = (one: string): boolean =>
    about.some(
      (known) =>
        known === `un${one}` ||
        isSameNoun(known, one) ||
        partsOfName(known).some((part) => isSameNoun(part, one)),
    )
  const ends = isDelete || (!makes && values.every(({ says }) => says))
  const isBetween = (one: string): boolean => OF.has(one) || (ends && AT.has(one))
  return words.some((word, at) => {
    if (!/^#?\d+$/.test(word) || !ids.includes(word.replace('#', ''))) return false
    const behind = ownedBehind(words, at)
    if (behind.length > 0 && values.every(({ says }) => says) && !behind.some(isKnown)) return true
    const of = words.findLastIndex(
      (one, index) => index < at && index >= at - REACH && isBetween(one),
    )
    if (
      of < 1 ||
      words[of - 1] === 'rid' ||
      // German, not French: könntest du.
      (words[of] === 'du' && /st$/.test(words[of - 1] ?? '')) ||
      words.slice(of, at).some((one) => /^[,.;:]$/.test(one))
    )
      return false
    const owned = ownedBefore(words, of)
    return owned.length > 0 && !owned.some(isKnown)
  })
}

/** Contact 42's record is the contact. */
const ITSELF = /^(?:record|profile|entry|page)$/

/** Contact 42's notes. */
function ownedBehind(words: readonly string[], at: number): readonly string[] {
  if (words[at + 1] !== "'" || words[at + 2] !== 's') return []
  const behind = words.slice(at + 3, at + 3 + MOST_WORDS)
  const end = behind.findIndex(
    (word) => ITSELF.test(word) || !/^\p{L}[\p{L}-]*$/u.test(word) || SMALL.has(word),
  )
  return end < 0 ? behind : behind.slice(0, end)
}

/**
 * Whether a clause is about another thing of the kind: ticket 17, where a ticket is to be made;
 * service 44, where another service is to be restarted.
 */
export function isOfOther(
  { text }: Pick<Clause, 'text'>,
  { nouns, makes }: Deed,
  chosen: readonly Chosen[],
): boolean {
  const words = text.split(' ')
  const isOwn = (word: string): boolean =>
    chosen.some(({ value }) => String(value).toLowerCase() === word.replace('#', ''))
  const [kind] = nouns.slice(-1)
  if (kind === undefined) return false
  if (!makes && words.some(isOwn)) return false
  const named = words.flatMap((word, at) => (isSameNoun(kind, word) ? [at] : []))
  const idAt = (at: number): string | undefined => {
    const next = /^(?:#|no|nr|number|id)$/.test(words[at + 1] ?? '') ? words[at + 2] : words[at + 1]
    return next !== undefined && /^#?(?:[a-z]+-)?\d+$/.test(next) ? next : undefined
  }
  return (
    named.length > 0 &&
    named.every((at) => {
      const id = idAt(at)
      return id !== undefined && !isOwn(id)
    })
  )
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
  return owned.length === 1 && isVerb(owned[0] ?? '') && !ARTICLE.has(words[of - 2] ?? '')
    ? []
    : owned
}

/** Behind one of these a word is no verb. */
const ARTICLE: ReadonlySet<string> = new Set(
  'the a an my our your his her their der die das den dem la le les el los las il lo het de o os as uma um una un une'.split(
    ' ',
  ),
)

const partsOfWord = (word: string): readonly string[] => {
  const parts = tokensOf(word).flatMap(({ text }) => text.split('-'))
  return parts.length > 1 ? parts : []
}
