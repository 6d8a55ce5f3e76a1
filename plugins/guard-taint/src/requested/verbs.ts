import { lazily } from '@amodal/sdk/loop'
import { IDIOMS, VERB_LISTS, VERB_NOUNS } from './verb-lists.ts'
import { NOUN_LISTS } from './noun-lists.ts'
import { isSameWord, type Token } from './word.ts'

const words = (list: string): readonly string[] => list.split(/\s+/).filter((word) => word !== '')

/** What a request does by its method alone. */
export const BY_METHOD: Readonly<Record<string, readonly string[]>> = {
  POST: [
    'create',
    'send',
    'pay',
    'buy',
    'book',
    'comment',
    'run',
    'upload',
    'invite',
    'share',
    'tag',
    'refund',
    'remind',
  ],
  PUT: ['change', 'create', 'upload', 'assign'],
  PATCH: [
    'change',
    'close',
    'reopen',
    'assign',
    'archive',
    'approve',
    'reject',
    'enable',
    'disable',
    'stop',
    'pause',
    'rename',
    'freeze',
    'unlock',
  ],
  DELETE: ['remove'],
}

/** Verbs that say nothing of what they are done to. */
const GENERIC: ReadonlySet<string> = new Set(
  words(
    'set update change add create make put run start mark edit modify do execute call perform apply use give turn new post enable disable open',
  ),
)

export const isGeneric = (verb: string): boolean => GENERIC.has(verb)

const lists = lazily(() =>
  Object.entries(VERB_LISTS).map(([name, { heads, words: others, foreign = '' }]) => ({
    name,
    heads: words(heads),
    words: [...words(heads), ...words(others)],
    foreign: words(foreign),
  })),
)
type List = ReturnType<typeof lists>[number]

/** By each of these words, the lists that it is in. */
function listed(
  of: (list: List) => readonly string[],
): (word: string, isExact?: boolean) => readonly string[] {
  const known = lazily(() => {
    const names = new Map<string, string[]>()
    for (const list of lists())
      for (const word of of(list)) names.set(word, [...(names.get(word) ?? []), list.name])
    return names
  })
  return (word, isExact = false) => {
    const exact = known().get(word)
    if (exact || isExact) return exact ?? []
    for (const [other, groups] of known()) if (isSameWord(word, other)) return groups
    return []
  }
}

const ownGroupsOf = listed((one) => one.words)
/** What a call that is named with a verb is asked for with. */
export const deedsOf = listed((one) => one.heads)

/** Whether a word is another, or begins as one with a star does. */
export const fits = (word: string, wanted: string): boolean =>
  wanted.endsWith('*') ? word.startsWith(wanted.slice(0, -1)) : word === wanted

/** Letters by which verbs of other languages are looked up. */
const START = 1
const foreignVerbs = lazily(() =>
  Map.groupBy(
    lists().flatMap(({ name, foreign }) => foreign.map((verb) => ({ name, verb }))),
    ({ verb }) => verb.slice(0, START),
  ),
)

/** What a verb of another language asks for. */
const foreignGroupsOf = (word: string, isExact = false): readonly string[] =>
  (foreignVerbs().get(word.slice(0, START)) ?? []).flatMap(({ name, verb }) =>
    (isExact ? word === verb : fits(word, verb)) ? [name] : [],
  )

/** What a person's verb asks for, in any of its forms. */
export function groupsOf(word: string): readonly string[] {
  const exact = ownGroupsOf(word, true)
  if (exact.length > 0) return exact
  const named = foreignGroupsOf(word, true)
  if (named.length > 0) return named
  const own = ownGroupsOf(word)
  if (own.length > 0) return own
  const foreign = foreignGroupsOf(word)
  if (foreign.length > 0) return foreign
  const [, behind] = /^\p{L}+-(\p{L}{3,})$/u.exec(word) ?? []
  if (behind !== undefined) return ownGroupsOf(behind)
  const [, again] = /^re(\p{L}{5,})$/u.exec(word) ?? []
  if (again !== undefined) return ownGroupsOf(again, true)
  const meant = mended(word)
  return meant === word ? [] : ownGroupsOf(meant)
}

export const isVerb = (word: string): boolean => groupsOf(word).length > 0
/** Verbs of other languages stand in other places. */
export const isForeignVerb = (word: string): boolean =>
  foreignGroupsOf(word).length > 0 &&
  !isKnownNoun(word) &&
  !isEnglishVerb(word) &&
  !isEnglishVerb(word.replace(/(?:s|es|d|ed|ing)$/, '')) &&
  !isEnglishVerb(word.replace(/(?:ed|ing)$/, 'e'))
const english = lazily(() => new Set(lists().flatMap((list) => list.words)))
export const isEnglishVerb = (word: string): boolean => english().has(word)

/** Verbs that people write in a hurry. */
const HURRIED = words(
  'send tell mail email close cancel delete move change update create remove reply write transfer refund invite archive assign approve schedule',
)

/** A verb that two letters have changed places in, or that lacks one vowel. */
export function mended(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word) || ownGroupsOf(word).length > 0) return word
  return HURRIED.find((verb) => isSwapped(word, verb) || lacksVowel(word, verb)) ?? word
}

function isSwapped(word: string, verb: string): boolean {
  if (word.length !== verb.length) return false
  const at = [...word].findIndex((letter, index) => letter !== verb[index])
  return (
    at >= 0 &&
    `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}` === verb
  )
}

const lacksVowel = (word: string, verb: string): boolean =>
  word.length === verb.length - 1 &&
  [...verb].some(
    (letter, at) => 'aeiou'.includes(letter) && verb.slice(0, at) + verb.slice(at + 1) === word,
  )

const PAIRS = IDIOMS.map((idiom) => {
  const [first = '', last = '', meant = '', also] = idiom.split(/:? /)
  return { first, last, meant, isVerbToo: also === '+' }
})
const FIRSTS: ReadonlySet<string> = new Set(PAIRS.map(({ first }) => first))
/** Words and marks between the two of an idiom. */
const BETWEEN = 9

/** What a word stands for together with a later one: let Ann know, roll it back. */
export function idiomAt(
  sentence: readonly Token[],
  at: number,
): { readonly meant: string; readonly isVerbToo: boolean } | undefined {
  const said = sentence[at]?.text ?? ''
  const word = FIRSTS.has(said) ? said : said.replace(/(?:p|t)?(?:ed|ing)$/, '')
  if (!FIRSTS.has(word)) return undefined
  const behind = sentence.slice(at + 1, at + 1 + BETWEEN).map(({ text }) => text)
  return PAIRS.find(({ first, last }) => word === first && behind.includes(last))
}

/** Verbs of other languages are about what these are about. */
const LIKE: Readonly<Record<string, readonly string[]>> = {
  send: ['tell'],
  create: ['add'],
  invite: ['invite'],
  share: ['share'],
}

/** Whether a verb is about things of a kind without naming them. */
export const impliesNoun = (verb: string, noun: string): boolean =>
  [verb, ...(isForeignVerb(verb) ? groupsOf(verb).flatMap((group) => LIKE[group] ?? []) : [])].some(
    (one) =>
      Object.entries(VERB_NOUNS).some(
        ([known, nouns]) =>
          isSameWord(known, one) && words(nouns).some((implied) => isSameWord(implied, noun)),
      ),
  )

/** Ask to be told something, and for nothing to be done. */
const READS: ReadonlySet<string> = new Set(
  words(
    'show list check find describe explain compare read summarize summarise look get analyze analyse review see tell search view open count translate zeige lies finde suche montre lis muestra lee busca who what which where when why how are is was do does did',
  ),
)
export const isReading = (verb: string): boolean =>
  READS.has(verb) || READS.has(verb.replace(/(?:ing|ed)$/, ''))

export const isSameNoun = (one: string, other: string): boolean =>
  isSameWord(one, other) || NOUN_LISTS.some((list) => isOf(list, one) && isOf(list, other))

/** Whether it is the name of a kind of things. */
export const isKnownNoun = (word: string): boolean => NOUN_LISTS.some((list) => isOf(list, word))

const isOf = (list: readonly string[], word: string): boolean => list.some((one) => fits(word, one))
