import type { PreparedCall } from '@amodal/sdk'
import { pathOf, type Chosen } from '../chosen.ts'
import { normal } from '../normal.ts'
import type { Known } from '../taint.ts'
import { hasWord, type Sentence } from './clause.ts'
import { DAY, isMeant, TIME, type Moments } from './day.ts'
import type { Deed, Given } from './deed.ts'
import { isNamedId, nounsOf, withoutFirst } from './ids.ts'
import { isOtherField } from './fields.ts'
import { isOfAnother, isOfOther } from './owned.ts'
import { isMadeOf } from './overlap.ts'
import { isExcluded, isMeantBy } from './senses.ts'
import { isState, saysState } from './state.ts'
import { amountsIn, fieldIsNamed, isEnumerated, isMade, spaced } from './values.ts'
import { groupsOf, impliesNoun, isSameNoun } from './verbs.ts'
import { partsOfName } from './word.ts'
import { withoutOld } from './amounts.ts'

/** What people ask for in passing has few. */
const MOST_VALUES = 40
const IDS = /(?:^|[._-]|[a-z])(?:id|ids)(?:\[\d+\])?$/i
/** Fields of which a number says by itself what it is. */
const PRICES: ReadonlySet<string> = new Set(['price', 'amount', 'total', 'cost', 'value', 'budget'])

/**
 * Whether a write that does no great harm follows from what a person says just now of exactly what
 * it is done to, without a verb that asks for it: ticket 4417 done. Each of its values has to
 * follow from their words, and at least one has to be said by them.
 */
export function isPlainlyRequested(
  call: PreparedCall,
  deed: Deed,
  chosen: readonly Chosen[],
  known: Known,
  moments: Moments | undefined,
): boolean {
  if (deed.values.length > MOST_VALUES) return false
  const now = known.session.requests.now()
  const all = now.flatMap(({ sentences }) => sentences)
  const reads = all.some(({ mood }) => mood === 'reads')
  const sentences = all.filter(({ mood }) => mood === 'asks' || (mood === 'states' && !reads))
  if (sentences.length === 0 || !isNamedNow(call, chosen, known)) return false
  if (sentences.some((one) => isOfAnother(one, deed, pathOf(call)))) return false
  if (sentences.every((one) => isOfOther(one, deed, chosen))) return false
  const text = sentences.map((one) => one.text).join(' ')
  const ownText = sentences
    .flatMap(({ ownTokens }) => ownTokens.map((token) => token.text))
    .join(' ')
  const words = sentences.flatMap((one) => one.words)
  const ids = pathOf(call).filter((part) => /^\d+$/.test(part))
  // A number that names the thing says nothing else.
  const spared = withoutFirst(ownText, ids)
  // The last part of the path of one thing is its id.
  const isThing = /\d/.test(pathOf(call).at(-1) ?? '')
  const how = deed.values.map((one) => {
    if (isOfObject(one, chosen)) return isThing && isHanded(sentences) ? 'said' : 'follows'
    if (isThing && isOtherField(one.field, ordersIn(sentences))) return 'no'
    if (one.says && typeof one.value === 'string')
      return isMadeOf(one.value, words, known) ? 'said' : 'no'
    const own = isState(one.name) ? sentencesOn(sentences, pathOf(call)) : sentences
    return follows(
      one,
      { sentences: own, text, own: spared, isThing, kinds: deed.nouns },
      known,
      moments,
    )
  })
  if (how.includes('no')) return false
  // What is done by a verb needs one, or that somebody says that it is so.
  const stated = sentences
    .flatMap(({ mood, ownTokens }) => (mood === 'states' ? ownTokens : []))
    .map((token) => token.text)
    .join(' ')
  if (deed.verbs.length > 0)
    return deed.verbs.some((verb) => isMeantBy(verb, '', stated) && !isExcluded(verb, stated))
  if (deed.makes)
    return how.includes('said') && (speaksOf(deed, sentences) || isTold(deed, how, sentences))
  return how.includes('said') && (isThing || speaksOf(deed, sentences))
}

const ordersIn = (
  sentences: readonly Sentence[],
): readonly { readonly verb: string; readonly words: readonly string[] }[] =>
  sentences.flatMap(({ verbs, own }) =>
    (verbs.length > 0 ? verbs : ['']).map((verb) => ({ verb, words: own })),
  )

/** A note, tag or message that is made of the person's own words. */
const isTold = (
  { values, nouns }: Deed,
  how: readonly string[],
  sentences: readonly Sentence[],
): boolean =>
  sentences.every(({ verbs }) => verbs.every((verb) => groupsOf(verb).some(isTelling))) &&
  nouns.some((noun) =>
    /^(?:notes?|comments?|tags?|labels?|repl(?:y|ies)|tasks?|reminders?|messages?)$/.test(noun),
  ) &&
  values.some(({ says }, at) => says && how[at] === 'said')

const isTelling = (group: string): boolean => /^(?:create|send|reply|comment|tag)$/.test(group)

/** Whether what is made was named, or a verb that makes it. */
const speaksOf = ({ nouns }: Deed, sentences: readonly Sentence[]): boolean =>
  nouns.some((noun) =>
    sentences.some(({ own }) =>
      own.some((word) => isSameNoun(noun, word) || impliesNoun(word, noun)),
    ),
  )

const IT: ReadonlySet<string> = new Set(
  'it its that they he she both this es das sie er il elle ils ça lo está è é to het dat'.split(
    ' ',
  ),
)

/** Sentences that name the thing, and those behind one that begin with a word for it. */
function sentencesOn(sentences: readonly Sentence[], path: readonly string[]): readonly Sentence[] {
  const ids = path.filter((part) => /\d/.test(part))
  if (ids.length === 0) return sentences
  let isOn = false
  return sentences.filter(({ own, tokens, verbs }) => {
    const isNamed = own.some((word) => ids.includes(word.replace('#', '')))
    const goesOn =
      isOn &&
      (tokens.slice(0, 2).some(({ text }) => IT.has(text)) ||
        (verbs.length > 0 && tokens.some(({ text }) => IT.has(text))))
    isOn = isNamed || goesOn
    return isOn
  })
}

/** Whether somebody or something is to be put beside a thing: reassign it. */
const isHanded = (sentences: readonly Sentence[]): boolean =>
  sentences.some(({ verbs }) =>
    verbs.some((verb) => groupsOf(verb).some((group) => group === 'assign' || group === 'change')),
  )

/** Ids were compared already. */
const isOfObject = ({ field, value }: Given, chosen: readonly Chosen[]): boolean =>
  IDS.test(field) && chosen.some((one) => one.field === field && one.value === value)

/**
 * What it is done to is named in this turn, each part of it; a path without ids by its recipient.
 */
function isNamedNow(call: PreparedCall, chosen: readonly Chosen[], known: Known): boolean {
  const path = pathOf(call)
  const { requests } = known.session
  const tokens = requests
    .now()
    .map(({ sentences }) => sentences.flatMap(({ ownTokens }) => ownTokens))
  const text = requests
    .now()
    .map(({ sentences }) => sentences.map((one) => one.text).join(' '))
    .join(' ')
  const ids = chosen.filter(
    ({ field, value }) => (field === 'path' && /\d/.test(String(value))) || IDS.test(field),
  )
  const others = chosen.filter(
    ({ field, value }) => field !== 'path' && !IDS.test(field) && typeof value === 'string',
  )
  return (
    ids.length + others.length > 0 &&
    ids.every((one) => {
      const value = String(one.value)
      return /^\d{1,12}$/.test(value)
        ? isNamedId(value, nounsOf(one.field, path, value), tokens, value.length > 2)
        : text.includes(normal(value))
    }) &&
    others.every(({ value }) => isEnumerated(String(value)) || text.includes(normal(String(value))))
  )
}

/** What a person says in this turn that is for something to be done. */
interface Heard {
  readonly sentences: readonly Sentence[]
  readonly text: string
  /** Without what somebody else is to be told. */
  readonly own: string
  /** What the thing is called. */
  readonly kinds: readonly string[]
  /** Whether the call changes one thing. */
  readonly isThing: boolean
}

/** Whether what is set up is on. */
const ON = /^(?:enabled|active)$/

/** Whether a value was said by the person, follows from what they said, or neither. */
function follows(
  given: Given,
  { sentences, text, own, isThing, kinds }: Heard,
  known: Known,
  moments: Moments | undefined,
): 'said' | 'follows' | 'no' {
  const { value, name } = given
  const lately = known.session.requests.lately()
  if (value === null || value === '') return 'no'
  const parts = partsOfName(name)
  const isNamed = fieldIsNamed(
    name,
    sentences.map(({ own: words }) => words),
  )
  if (typeof value === 'boolean')
    return value && !isThing && ON.test(name) ? 'follows' : flagOf(value, parts, sentences)
  const shown = String(value)
  if (typeof value === 'number') {
    const isSaid = amountsIn(own, name).includes(value) || isMade(value, sentences, lately)
    return isSaid && (isNamed || parts.some((part) => PRICES.has(part))) ? 'said' : 'no'
  }
  if (moments && (DAY.test(shown) || TIME.test(shown)))
    return isMeant(shown, name, moments) ? 'said' : 'no'
  if (isExcluded(shown, text)) return 'no'
  const heard = isState(name) ? stateIn(shown, name, sentences, kinds) : own
  if (isEnumerated(shown) && isMeantBy(shown, name, heard)) return 'said'
  return shown.length > 2 && ` ${withoutOld(heard)} `.includes(` ${spaced(normal(shown))} `)
    ? 'said'
    : 'no'
}

/** What of what was said may tell how far the thing itself is. */
const stateIn = (
  value: string,
  name: string,
  sentences: readonly Sentence[],
  kinds: readonly string[],
): string =>
  sentences
    .filter(
      ({ verbs, own }) =>
        verbs.length === 0 ||
        verbs.some((verb) => saysState(value, name, { verb, text: own.join(' ') })),
    )
    .map(({ ownTokens }) => withoutOthers(ownTokens.map(({ text }) => text).join(' '), kinds))
    .join(' ')

const OTHER =
  /(?<=[,;:(] )(?:and |but |because |since |as )?(?:the|a|an|my|our|his|her|their|der|die|das|le|la|el|il|o) (\p{L}+) (?:is|are|was|were|ist|sind|est|está|è|é)(?= )[^,;]*/gu
/** Without how other things are: look into ticket 17, the door is open. */
const withoutOthers = (text: string, kinds: readonly string[]): string =>
  text.replace(OTHER, (found, subject: string) =>
    kinds.some((kind) => isSameNoun(kind, subject)) ? found : ' ',
  )

const OFF =
  /(?:^| )(?:not|no|off|un\p{L}+|isn't|isnt|doesn't|doesnt|doesn|don't|dont|won't|wont|without|never|nicht|kein|keine|aus|pas|non|niet|geen|nie|stop)(?: |$)/u

/** A yes or no whose name was said. */
function flagOf(
  value: boolean,
  parts: readonly string[],
  sentences: readonly Sentence[],
): 'said' | 'no' {
  const about = sentences.filter(({ own }) =>
    parts.some((part) => part.length > 2 && own[0] !== part && hasWord(own, part)),
  )
  if (about.length === 0) return 'no'
  const isOff = about.some(
    ({ own }) =>
      OFF.test(own.join(' ')) ||
      own.some((word) => groupsOf(word).some((group) => group === 'remove' || group === 'disable')),
  )
  return isOff === !value ? 'said' : 'no'
}
