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
  "and or then also to from in on with for at by is was as of that which who please now too again und dann et y por favor bitte into onto out off up back done closed instead till until got not but if when because since gets goes ist sind est son es e is jest auf zu auf von aus an à au de du para por con per da do naar van op met na z w ze が を に は の へ で から まで stornieren schließen löschen closed pls plz s'il".split(
    ' ',
  ),
)
const VERBS_NEXT =
  /^(?:needs?|has|have|should|must|can|will|wants?|asks?|says?|was|were|got|gets|goes|went|is|became|moved|left|done|\p{L}{3,}ed)$/u
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
  if (MARKS.has(tokens[at - 1]?.text ?? '') || tokens[at]?.text.startsWith('#'))
    return spoken && (before === undefined || FREE.has(before) || !isThing(before))
  if (MUCH.has(tokens[at - 1]?.text ?? '') || '%€$£°'.includes(after === '' ? ' ' : after))
    return false
  if (/^\p{L}/u.test(after) && !FREE.has(after) && !VERBS_NEXT.test(after) && !isNoun(after))
    return false
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
  if (field !== 'path')
    return partsOf(
      field
        .replace(/\[\d+\]/g, '')
        .split('.')
        .at(-1) ?? '',
    ).filter((part) => !/^(?:id|ids|no|number|key|uid|ref)$/.test(part))
  const at = path.indexOf(value)
  return at > 0 ? partsOf(path[at - 1] ?? '') : []
}
