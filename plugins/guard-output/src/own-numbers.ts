import { type Message, splitContext, splitUntrusted, SUMMARY_HEAD } from '@amodal/sdk'
import { normalise } from './normalise.ts'
import type { NumberKind } from './number-kind.ts'
import { scan } from './scan.ts'
import { ValueIndex } from './value-index.ts'
import { Work } from './work.ts'

const NO_VALUES = new ValueIndex()

/**
 * The numbers that a person wrote in a conversation. Those from the context of the front end, an
 * event or a summary do not count.
 */
export class OwnNumbers {
  readonly #numbers = new Set<string>()
  #messages: readonly Message[] = []

  /** @param messages of the conversation; those that are read already are not read again */
  has(number: string, messages: readonly Message[], kinds: readonly NumberKind[]): boolean {
    if (this.#messages !== messages) {
      const known = new Set(this.#messages)
      for (const message of messages)
        if (!known.has(message) && message.role === 'user') this.#read(message, kinds)
      this.#messages = messages
    }
    return this.#numbers.has(keyOf(number))
  }

  #read(message: Extract<Message, { role: 'user' }>, kinds: readonly NumberKind[]): void {
    const { text } = splitContext(
      message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    )
    if (text.startsWith(SUMMARY_HEAD)) return
    const { outside } = splitUntrusted(text)
    const search = { index: NO_VALUES, kinds, work: Work.forText(outside) }
    for (const { start, end } of scan(outside, search).numbers)
      this.#numbers.add(keyOf(outside.slice(start, end)))
  }
}

/** The same number, however it is grouped. */
const keyOf = (number: string): string =>
  normalise(number)
    .text.replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
