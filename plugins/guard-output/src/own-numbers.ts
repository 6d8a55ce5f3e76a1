import { type Message, splitContext, SUMMARY_HEAD, splitUntrusted } from '@amodal/sdk'
import type { PatternKind } from './finding.ts'
import { plainOf } from './plain.ts'
import { scan } from './scan.ts'

const NONE: ReadonlySet<string> = new Set()

/** Numbers of each message that a person wrote: messages do not change. */
const ofMessage = new WeakMap<Message, ReadonlySet<string>>()

/**
 * Whether the person wrote a number in this conversation. Numbers from the front end's context, an
 * event or a summary do not count, nor do messages to a sub-agent, which a model writes.
 */
export function isAuthorsNumber(
  kind: PatternKind,
  text: string,
  { messages, delegated }: { readonly messages?: readonly Message[]; readonly delegated?: boolean },
): boolean {
  if (!messages || delegated) return false
  const wanted = keyOf(kind, text)
  return messages.some((message) => message.role === 'user' && numbersOf(message).has(wanted))
}

function numbersOf(message: Extract<Message, { role: 'user' }>): ReadonlySet<string> {
  const known = ofMessage.get(message)
  if (known) return known
  const { text } = splitContext(
    message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
  )
  const said = text.startsWith(SUMMARY_HEAD) ? '' : splitUntrusted(text).outside
  const found = scan(said)
  const numbers =
    found.length === 0
      ? NONE
      : new Set(found.map(({ kind, start, end }) => keyOf(kind, said.slice(start, end))))
  ofMessage.set(message, numbers)
  return numbers
}

/** The same number, however it is grouped, and in whatever digits. */
const keyOf = (kind: PatternKind, text: string): string =>
  `${kind} ${plainOf(text)
    .text.normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()}`
