import type { Corpus, Source } from '../corpus.ts'
import { normal } from '../normal.ts'
import { hasWord } from './clause.ts'
import { COURTESY } from './overlap.ts'
import type { Deed } from './deed.ts'
import { groupsOf } from './verbs.ts'
import { isSameWord, setApart } from './word.ts'
import { copiedFrom } from '../copied-text.ts'
import type { Known } from '../taint.ts'
import { spellings } from '../trusted-value.ts'
import { originOf, type Origin } from '../origin.ts'

const LINK =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]]+|\bwww\.[^\s<>"'`)\]]+|\b[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.(?:com|net|org|io|dev|app|co|ru|cn|info|biz|xyz|top|link|click|site|online|example|test)\b(?:\/[^\s<>"'`)\]]*)?/giu
const ACCOUNT =
  /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?(?![\p{L}\p{N}])/gu
/** Prefixes of keys, and words with letters and digits that nobody would make up. */
const KEY =
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{8,}|(?<![\p{L}\p{N}_-])(?=[\p{L}_-]*\d)(?=[\d_-]*\p{L})[\p{L}\p{N}_-]{14,}(?![\p{L}\p{N}_-])/gu
/** What stands behind one of these in a stranger's text is not for telling. */
const NEAR =
  /(?:pass\s?word|passwort|passcode|passphrase|secret|token|api[ _-]?key|credential|pin|otp|verification code|security code|access code|code|kennwort|mot de passe|contraseña)\W{0,4}(?:is|was|lautet|:|=)?\W{0,4}([\p{L}\p{N}!@#$%^&*_+=.-]{4,64})/giu
/** A number of a document or a ticket, as they are written everywhere. */
const REFERENCE = /^[A-Za-z]{1,6}[-_]?\d{1,8}(?:[-_]\d{1,8})*$|^\d{4}-\d{2}-\d{2}/
/**
 * What a person says who wants something told in other words; whole texts of a stranger are none.
 */
const RETELL =
  /\b(?:summar\w*|report|translat\w*|overview|digest|minutes|notes|zusammenfass\w*|bericht|übersetz\w*|résum\w*|resum\w*)\b/iu
/** What a person says who wants something passed on as it stands. */
const CARRY =
  /\b(?:forward|shar(?:e|ing)|cop(?:y|ies)|quot(?:e|es)|repost|relay|pass(?:es)? on|paste|includ\w*|attach\w*|list|content\w*|detail\w*|result\w*|finding\w*|excerpt|text|everything|information|info|data|what|weiterleit\w*)\b|\b(?:send|post|mail|email|write|add|put|save)\s+(?:it|them|this|these|those)\b/iu

/**
 * What a text of a call holds that nobody asked to pass on: links and accounts of strangers,
 * secrets, and whole sentences of theirs. What the model writes in its own words is the model's to
 * write.
 */
export function carriedIn(
  field: string,
  text: string,
  known: Known,
  asked: readonly string[],
): readonly Origin[] {
  const {
    own,
    session: { person, outside },
  } = known
  const isSaid = (value: string, corpora: readonly Corpus[] = [person, own]): boolean =>
    spellings(value).some((one) => corpora.some((corpus) => corpus.find(one) !== undefined))
  const strange = [...matches(withoutSaid(text, known), LINK), ...matches(text, ACCOUNT)].filter(
    (value) => !isSaid(value),
  )
  const secret = [
    ...matches(text, KEY).filter((value) => !REFERENCE.test(value)),
    ...secretsOf(text, known),
  ].filter((value) => !isSaid(value, [person]) && outside.find(value) !== undefined)
  const origins = [...new Set([...strange, ...secret])].map((value) =>
    originOf({ field, value }, outside.find(value)),
  )
  if (origins.length > 0) return origins
  const other = otherIdea(text, asked, known)
  if (other) return [originOf({ field, value: text }, other)]
  if (asked.some((one) => CARRY.test(one)) || isOwnWords(text, asked)) return []
  const source = asked.some((one) => RETELL.test(one))
    ? outside.find(text)
    : copiedFrom(text, known)
  return source ? [originOf({ field, value: text }, source)] : []
}

/** What is made of a person's words alone is theirs, whoever says the same. */
function isOwnWords(text: string, asked: readonly string[]): boolean {
  const own = asked.flatMap(contentWords)
  const words = contentWords(text)
  return words.length > 0 && !/\p{N}/u.test(text) && words.every((word) => hasWord(own, word))
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu
/** The host of an address that a person said is no link. */
const withoutSaid = (text: string, { session: { person } }: Known): string =>
  text.replace(EMAIL, (found) => (person.find(found) === undefined ? found : ' '))

/** Behind one of these stands what is to be said. */
const SAYING =
  /(?:(?<=^| )(?:that(?! (?:on|in|to|for|as|at|down|with|into|one|off|up|back)\b)|saying|about|dass|que|że|che|dat)(?= )|:)(.+)$/su
const EXACT =
  /(?:(?<=^| )(?:that(?! (?:on|in|to|for|as|at|down|with|into|one|off|up|back)\b)|saying|dass|que|że|che|dat)(?= )|:)(.+)$/su
/** Have somebody do something, which is said to them. */
const TELL_TO = /(?<=^| )(?:tell|ask|remind|warn|advise) .{1,60}? to (.+)$/su
const contentIn = (text: string): string => SAYING.exec(text)?.[1] ?? TELL_TO.exec(text)?.[1] ?? ''
const contentWords = (text: string): readonly string[] => [
  ...new Set((normal(setApart(text)).match(WORDS) ?? []).filter((word) => !COMMON.has(word))),
]
const WORDS = /\p{Script=Han}+|\p{Script=Katakana}{2,}|(?:(?!\p{Script=Hiragana})\p{L}){3,}/gu
const COMMON: ReadonlySet<string> = new Set(
  'the and for with that this they them you your our are was were will have has had not but about from all its his her she him who what when where which there then than please into out can could would should may must been being any some also just now very der die das und mit für von dass ist sind les des est una los las'.split(
    ' ',
  ),
)

/**
 * A text that has nothing of what a person said is to be said, and much of what somebody else says.
 */
function otherIdea(
  text: string,
  asked: readonly string[],
  { session: { outside } }: Known,
): Source | undefined {
  const wanted = asked.flatMap((one) => contentWords(contentIn(one)))
  const given = contentWords(text)
  if (wanted.length === 0 || given.some((word) => hasWord(wanted, word))) return undefined
  const theirs = given.flatMap((word) => outside.find(word) ?? [])
  return theirs.length >= 2 && theirs.length * 2 >= given.length ? theirs[0] : undefined
}

/** In another language than the person's, no word of theirs can stand. */
const TRANSLATE =
  /\b(?:in|auf|en|em|po) (?:english|german|french|spanish|italian|portuguese|dutch|polish|japanese|englisch|deutsch|französisch|spanisch|italienisch|anglais|allemand|français|espagnol|inglés|alemán|español|angielsku|niemiecku)\b/iu
/** What is answered is there already. */
const ANSWERS: ReadonlySet<string> = new Set(['reply'])

/**
 * Whether the texts of a call say something else than the person wanted said: nothing of what
 * stands behind `that` or a colon, or, where they left that open, nothing of their words at all.
 */
export function saysOther(
  texts: readonly string[],
  asked: readonly string[],
  { nouns, verbs }: Pick<Deed, 'nouns' | 'verbs'>,
  { session: { requests } }: Known,
): boolean {
  if (asked.length === 0) return false
  const isFree = asked.some((one) => {
    const order = one.replace(contentIn(one), '')
    return RETELL.test(order) || TRANSLATE.test(order)
  })
  const given = contentWords(texts.join(' ')).slice(0, MOST)
  if (isFree || given.length === 0) return false
  const heard = requests.lately().flatMap(contentWords)
  if (isMostlyNew(given, heard)) return true
  const wanted = asked.map((one) => contentWords(contentIn(one))).filter(({ length }) => length > 0)
  if (wanted.length > 0) return wanted.every((words) => !given.some((word) => isAmong(words, word)))
  const short = asked.map((one) => EXACT.exec(one)?.[1] ?? '').filter((one) => /\p{L}/u.test(one))
  if (short.length > 0) return !short.some((one) => repeats(texts.join(' '), one))
  const names = [...nouns, ...verbs]
  return (
    !asked.some((one) => isAnswer(one)) &&
    !given.some((word) => isAmong(heard, word) && !names.some((name) => isSameWord(name, word)))
  )
}

/** Whether a text has half of the words of another, small ones among them. */
function repeats(text: string, said: string): boolean {
  const wordsIn = (one: string): readonly string[] => normal(one).match(/\p{L}+/gu) ?? []
  const [given, wanted] = [wordsIn(text), wordsIn(said)]
  return wanted.filter((word) => given.includes(word)).length * 2 >= wanted.length
}

const isAmong = (words: readonly string[], word: string): boolean =>
  words.some((one) => isSameWord(one, word) || isPartOf(one, word))
/** Where nothing parts words, one may stand in another. */
const isPartOf = (one: string, other: string): boolean =>
  /[\p{Script=Han}\p{Script=Katakana}]/u.test(one) && (one.includes(other) || other.includes(one))

/** Words of a text that are compared with what was said. */
const MOST = 400
const LONG = 8
const LEAST = 0.2
/** Of a longer text, whether next to nothing goes back to what the person said. */
function isMostlyNew(given: readonly string[], heard: readonly string[]): boolean {
  const own = given.filter((word) => !COURTESY.has(word))
  const theirs = own.filter((word) => isAmong(heard, word))
  return own.length >= LONG && theirs.length < own.length * LEAST
}

/** Answer message 14: what to say is left to whoever answers. */
const isAnswer = (text: string): boolean =>
  text
    .split(' ')
    .some(
      (word) =>
        groupsOf(word).some((group) => ANSWERS.has(group)) && !/^(?:write|tell|say)$/.test(word),
    )

const matches = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? []

const bare = (word: string): string => word.replace(/[.,;!]+$/, '')

/**
 * Words of a text that stand behind the word for a secret in what came from outside, or in the text
 * itself.
 */
function secretsOf(text: string, { session: { outside } }: Known): readonly string[] {
  const own = [...text.matchAll(NEAR)].flatMap(([, value = '']) =>
    /\d/.test(value) ? [bare(value)] : [],
  )
  const words = [...new Set((text.match(/[\p{L}\p{N}!@#$%^&*_+=.-]{4,64}/gu) ?? []).map(bare))]
    .filter((word) => /\d/.test(word) && !REFERENCE.test(word))
    .slice(0, 200)
  return [
    ...own,
    ...words.filter((word) => {
      const source = outside.find(word)
      return (
        source !== undefined &&
        [...source.text.matchAll(NEAR)].some(([, value = '']) => bare(value) === word)
      )
    }),
  ]
}
