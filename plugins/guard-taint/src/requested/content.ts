import { groupsOf, isVerb } from './verbs.ts'
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
    const isTelling = isLet || groupsOf(word).some((group) => TELLING.has(group))
    const from = sentence.findIndex(
      (_token, at) =>
        at > verb &&
        at <= verb + REACH &&
        opens(sentence, at) &&
        (isTelling || sentence.slice(verb, at).some(({ text }) => NOTES.test(text))),
    )
    if (!isTelling && from < 0) return []
    if (from < 0 && /^(?:tell|inform|notify|remind|warn)$/.test(word)) {
      const whom = whomOf(sentence, verb)
      return [{ from: whom, to: endOf(sentence, whom) }]
    }
    return from < 0 ? [] : [{ from, to: endOf(sentence, from) }]
  })
}

/** What somebody writes something into. */
const NOTES =
  /^(?:mail|email|message|note|comment|reply|draft|task|todo|to-do|reminder|letter|text|memo|notiz|aufgabe|nachricht|tâche|tarea|nota|taak|notatkę|zadanie)s?$/

/** Whether what is to be told begins here. */
function opens(sentence: readonly Token[], at: number): boolean {
  const { text } = sentence[at] ?? { text: '' }
  const next = sentence[at + 1]?.text ?? ''
  if (/^(?:qu|d)['’]/.test(text)) return true
  // Dis à Bob de supprimer.
  if (/^(?:de|di|da|para|a)$/.test(text)) return /(?:er|ir|re|ar)$/.test(next) && isVerb(next)
  return THAT.has(text) && !isAddress(sentence, at)
}

/** Where the one who is told something ends: tell Bob (bob@acme.example) the order is here. */
function whomOf(sentence: readonly Token[], verb: number): number {
  const address = sentence.findIndex(
    ({ text }, at) => at > verb && at <= verb + REACH && /[^@]@|^@./.test(text),
  )
  if (address < 0) return verb + 1
  return sentence[address + 1]?.text === ')' ? address + 1 : address
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
    // What is to be told is a sentence of its own; what is asked for besides begins with a verb.
    const isBesides =
      sentence[from]?.text !== 'to' &&
      text === ',' &&
      /^(?:and|&|plus|also|und|et|y|e|en|i)$/.test(next) &&
      isVerb(sentence[at + 2]?.text ?? '') &&
      !/(?:s|ed|ing)$/.test(sentence[at + 2]?.text ?? '')
    if (isBesides) return at
    if (
      (text === ',' || text === 'and') &&
      /^(?:then|afterwards|dann|puis|luego|poi|depois|daarna|potem)$/.test(next)
    )
      return at
  }
  return sentence.length
}
