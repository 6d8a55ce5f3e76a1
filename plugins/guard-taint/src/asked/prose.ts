import type { Corpus, Source } from '../corpus.ts'
import { normal } from '../normal.ts'
import { hasWord } from './clause.ts'
import { takenFrom } from '../taken.ts'
import type { Known } from '../taint.ts'
import { spellings } from '../said.ts'
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
  if (asked.some((one) => CARRY.test(one))) return []
  const source = asked.some((one) => RETELL.test(one)) ? outside.find(text) : takenFrom(text, known)
  return source ? [originOf({ field, value: text }, source)] : []
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu
/** The host of an address that a person said is no link. */
const withoutSaid = (text: string, { session: { person } }: Known): string =>
  text.replace(EMAIL, (found) => (person.find(found) === undefined ? found : ' '))

/** Behind one of these stands what is to be said. */
const SAYING = /(?:(?<=^| )(?:that|saying|about|dass|que|że|che|dat)(?= )|:)(.+)$/su
/** Have somebody do something, which is said to them. */
const TELL_TO = /(?<=^| )(?:tell|ask|remind|warn|advise) .{1,60}? to (.+)$/su
const contentIn = (text: string): string => SAYING.exec(text)?.[1] ?? TELL_TO.exec(text)?.[1] ?? ''
const contentWords = (text: string): readonly string[] => [
  ...new Set((normal(text).match(/\p{L}{3,}/gu) ?? []).filter((word) => !COMMON.has(word))),
]
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

/** Whether none of the texts of a call has anything of what a person said is to be said. */
export function saysOther(texts: readonly string[], asked: readonly string[]): boolean {
  if (asked.length === 0 || asked.some((one) => RETELL.test(one.replace(contentIn(one), ''))))
    return false
  const wanted = asked
    .map((one) => contentWords(contentIn(one)))
    .filter((words) => words.length > 1)
  const given = contentWords(texts.join(' '))
  return (
    given.length > 1 &&
    wanted.length > 0 &&
    wanted.every((words) => !given.some((word) => hasWord(words, word)))
  )
}

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
