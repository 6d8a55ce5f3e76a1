import { partsOf } from '../field-name.ts'
import { isKnownNoun, isSameNoun, isVerb } from './verbs.ts'
import type { Token } from './word.ts'

/** Before a number that names something. */
const MARKS: ReadonlySet<string> = new Set('# no nr number num id nummer numéro número'.split(' '))
/** Before a number that says how much. */
const MUCH: ReadonlySet<string> = new Set(
  '$ € £ ¥ by at around about least most over under than total usd eur gbp'.split(' '),
)
/** Between numbers of one list, and between them and what they are about. */
const BETWEEN: ReadonlySet<string> = new Set(
  ', and or & und oder et y e en i also plus the number no id # nr . : ( ) = \' " と の'.split(' '),
)
/** Behind a number, where it says how much of what. */
const FREE: ReadonlySet<string> = new Set(
  "and or then also to from in on with for at by is was as of that which who please now too again und dann et y por favor bitte into onto out off up back done closed saying that about because since as so which asking with instead till until got not but if when because since gets goes ist sind est son es e is jest auf zu auf von aus an à au de du para por con per da do naar van op met na z w ze が を に は の へ で から まで stornieren schließen löschen closed pls plz s'il".split(
    ' ',
  ),
)
const VERBS_NEXT =
  /^(?:needs?|has|have|should|must|can|will|wants?|asks?|says?|was|were|got|gets|goes|went|is|became|moved|left|done|takes|stays|comes|replaces|becomes|starts|ends|remains|moves|follows|belongs|seems|looks|sounds|keeps|says|means|\p{L}+n['’]?t|\p{L}{3,}ed)$/u
/** Words of a list that one noun stands before: contacts 42, 43 and 44. */
const LIST = 12

/**
 * Whether a person named an id that is a plain number: contact 42, #42, 42 where contacts are
 * spoken of. A number that counts something (42 euros, 42 seats), or names something else (order
 * 42), is no contact.
 *
 * @param nouns what the id is of, by the names that stand around it in the call
 * @param isAlone whether its noun may go without saying
 */
export function isNamedId(
  id: string,
  nouns: readonly string[],
  texts: readonly (readonly Token[])[],
  isAlone = false,
): boolean {
  const isSpoken =
    nouns.length === 0 ||
    isAlone ||
    texts.some((tokens) => tokens.some(({ text }) => nouns.some((noun) => isSameNoun(noun, text))))
  return texts.some((tokens) =>
    tokens.some((token, at) => bare(token.text) === id && isIdHere(tokens, at, nouns, isSpoken)),
  )
}

const bare = (text: string): string => text.replace(/^#/, '')

function isIdHere(
  tokens: readonly Token[],
  at: number,
  nouns: readonly string[],
  spoken: boolean,
): boolean {
  const before = nounBefore(tokens, at)
  const after = tokens[at + 1]?.text ?? ''
  const isNoun = (word: string): boolean => nouns.some((noun) => isSameNoun(noun, word))
  if (before !== undefined && isNoun(before)) return true
  const isAside = /^[,(]$/.test(tokens[at - 2]?.text ?? '')
  if (MARKS.has(tokens[at - 1]?.text ?? '') && isAside) return spoken
  if (MARKS.has(tokens[at - 1]?.text ?? '') || tokens[at]?.text.startsWith('#'))
    return spoken && (before === undefined || FREE.has(before) || !isThing(before))
  if (MUCH.has(tokens[at - 1]?.text ?? '') || '%€$£°'.includes(after === '' ? ' ' : after))
    return false
  if (/^\p{L}/u.test(after) && !FREE.has(after) && !VERBS_NEXT.test(after) && !isNoun(after))
    return false
  if (tokens[at - 1]?.text === ':' && spoken) return true
  return spoken && (before === undefined || !isThing(before))
}

/** The word that a number, or the list that it is in, stands behind. */
function nounBefore(tokens: readonly Token[], at: number): string | undefined {
  for (let back = at - 1; back >= Math.max(0, at - LIST); back--) {
    const text = tokens[back]?.text ?? ''
    if (/^#?\d+$/.test(text) || BETWEEN.has(text)) continue
    return text
  }
  return undefined
}

/** What could be the name of a thing; verbs and small words are none. */
const isThing = (word: string): boolean =>
  /^\p{L}{3,}$/u.test(word) && !SMALL.has(word) && (isKnownNoun(word) || !isVerb(word))
const SMALL: ReadonlySet<string> = new Set(
  'for with from into about show look see read get find open check take let close cancel delete remove update change edit unlock lock correct pay send approve reject archive complete assign merge resolve reopen restart stop also then both please just only not all'.split(
    ' ',
  ),
)

/** What an id is of: the part of the path before it, or the words of its field. */
export function nounsOf(field: string, path: readonly string[], value: string): readonly string[] {
  if (field === 'path') {
    const at = path.indexOf(value)
    const own = at > 0 ? partsOf(path[at - 1] ?? '') : []
    return own.some((part) => OF_PEOPLE.test(part)) ? [...own, 'user'] : own
  }
  const name = field
    .replace(/\[\d+\]/g, '')
    .split('.')
    .at(-1)
  const own = partsOf(name ?? '').filter((part) => !/^(?:id|ids|no|number|key|uid|ref)$/.test(part))
  // Another one of the same kind: the source of a merge of contacts is a contact.
  if (own.length > 0 && own.every((part) => ROLES.test(part)))
    return path.filter((part) => /^\p{L}+s$/u.test(part)).flatMap(partsOf)
  return own
}
const OF_PEOPLE = /^(?:permission|share|access|collaborator|attendee|follower|participant|role)$/
const ROLES = /^(?:source|target|into|from|to|other|duplicate|of|with|master|main)$/

/** Words that a number of a thing stands behind and an amount does not. */
const isKind = (word: string): boolean => isKnownNoun(word) && !/^(?:€|\$|£|¥)$/.test(word)

/**
 * A text without numbers that name things: of `refund order 8812, 39.90` the amount is left. One
 * that is behind the name of the field itself says how much.
 */
export function withoutIds(text: string, name: string): string {
  const own = partsOf(name)
  const words = text.split(' ')
  return words
    .filter((word, at) => {
      if (!/^#?\d+$/.test(word)) return true
      const [before = '', after = ''] = [words[at - 1], words[at + 1]]
      if (word.startsWith('#')) return false
      if (!isKind(before) || isVerb(before) || own.some((part) => isSameNoun(part, before)))
        return true
      return /^(?:\p{L}{3,}|\p{Sc}|%)$/u.test(after) && !FREE.has(after) && !VERBS_NEXT.test(after)
    })
    .join(' ')
}

/** A text in which each of these numbers is left out where it stands first: there it is an id. */
export const withoutFirst = (text: string, ids: readonly string[]): string => {
  const words = text.split(' ')
  const first = new Set(ids.map((id) => words.findIndex((word) => bare(word) === id)))
  return words.filter((_word, at) => !first.has(at)).join(' ')
}

/** Whether a sentence begins with an id, which is what all of it is about: 8895 was solved. */
export const isTopic = (id: string, tokens: readonly Token[]): boolean => {
  const at = tokens.findIndex(({ isWord }) => isWord)
  const next = tokens[at + 1]?.text ?? ''
  return (
    id.length > 2 &&
    bare(tokens[at]?.text ?? '') === id &&
    (!/^\p{L}/u.test(next) || FREE.has(next) || VERBS_NEXT.test(next)) &&
    !'%€$£°'.includes(next === '' ? ' ' : next)
  )
}

/** Whether a number before a word counts it: 42 seats, 42 euros. */
export const isCounted = (next: string): boolean =>
  /^[%€$£°]$/.test(next) || (/^\p{L}/u.test(next) && !FREE.has(next) && !VERBS_NEXT.test(next))
