import { groupsOf } from './verbs.ts'
import type { Token } from './word.ts'

/** Behind one of these stands what somebody is to be told. */
const THAT: ReadonlySet<string> = new Set(
  ': that saying about to know dass daß que qu że che dat ob'.split(' '),
)
/** Groups whose verbs have somebody told something. */
const TELLING: ReadonlySet<string> = new Set(['send', 'reply', 'comment', 'forward'])
const REACH = 12

/**
 * Where in a sentence stand words that are to be told to somebody, and ask for nothing themselves:
 * tell Ann to close the door.
 *
 * @param verbs places of the verbs that ask
 */
export function contentOf(
  sentence: readonly Token[],
  verbs: readonly number[],
): readonly { readonly from: number; readonly to: number }[] {
  return verbs.flatMap((verb) => {
    const word = sentence[verb]?.text ?? ''
    const isLet = word === 'let' || word === 'laat' || word === 'lass'
    if (!isLet && !groupsOf(word).some((group) => TELLING.has(group))) return []
    const from = sentence.findIndex(
      ({ text }, at) =>
        at > verb && at <= verb + REACH && (THAT.has(text) || /^(?:qu|d)['’]/.test(text)),
    )
    if (from < 0 || isAddress(sentence, from)) return []
    return [{ from, to: endOf(sentence, from) }]
  })
}

/** `send it to ann@acme.example` tells whom, not what. */
function isAddress(sentence: readonly Token[], at: number): boolean {
  const { text } = sentence[at] ?? { text: '' }
  if (text !== 'to') return false
  const next = sentence[at + 1]?.text ?? ''
  return /[@#\d]/.test(next) || !isTelling(sentence, at)
}

/** Tell and ask have somebody told to do something; send and write something to somebody. */
const isTelling = (sentence: readonly Token[], at: number): boolean =>
  sentence
    .slice(Math.max(0, at - REACH), at)
    .some(({ text }) => /^(?:tell|ask|remind|warn|advise|inform)$/.test(text))

/** Up to where something else is asked for. */
function endOf(sentence: readonly Token[], from: number): number {
  for (let at = from + 1; at < sentence.length; at++) {
    const { text } = sentence[at] ?? { text: '' }
    const next = sentence[at + 1]?.text ?? ''
    if (
      (text === ',' || text === 'and') &&
      /^(?:then|afterwards|dann|puis|luego|poi|depois|daarna|potem)$/.test(next)
    )
      return at
  }
  return sentence.length
}
