import { isList, type Json, type Message } from '@amodal/sdk'
import { callsAsText, resultText } from '@amodal/sdk/loop'
import { isSigned, OWN, withoutSignatures } from './thoughts.ts'

type ToolMessage = Extract<Message, { role: 'tool' }>
type TextPart = { readonly type: 'text'; readonly text: string }

/** The parts of a history that a provider can refuse. */
export const HISTORY_PARTS = ['thoughts', 'calls', 'files'] as const
export type HistoryPart = (typeof HISTORY_PARTS)[number]

/** The code of the note that says which parts of the history are no longer sent. */
export const HISTORY_DROPPED = 'history_dropped'

/** The parts in the data of such a note. */
export const droppedIn = (data: Json | undefined): readonly HistoryPart[] =>
  HISTORY_PARTS.filter((part) => isList(data) && data.includes(part))

/** Whether a message contains such a part that is still sent. */
export function holds(message: Message, part: HistoryPart): boolean {
  if (marksOf(message).includes(part)) return false
  switch (part) {
    case 'thoughts':
      return isSigned(message)
    case 'calls':
      return (
        message.role === 'tool' ||
        (message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call'))
      )
    case 'files':
      return (
        (message.role === 'user' && message.content.some(({ type }) => type === 'file')) ||
        (message.role === 'tool' && message.content.some(hasFiles))
      )
  }
}

/**
 * Marks the messages that have such parts. The parts are removed only from requests: guards see the
 * complete messages.
 */
export const marked = (
  messages: readonly Message[],
  parts: readonly HistoryPart[],
): readonly Message[] => messages.map((message) => markedOne(message, parts))

export function markedOne(message: Message, parts: readonly HistoryPart[]): Message {
  const added = parts.filter((part) => holds(message, part))
  if (added.length === 0) return message
  const own = { ...message.providerOptions?.[OWN], dropped: [...marksOf(message), ...added] }
  return { ...message, providerOptions: { ...message.providerOptions, [OWN]: own } }
}

function marksOf({ providerOptions }: Message): readonly HistoryPart[] {
  const dropped = providerOptions?.[OWN]?.['dropped']
  return HISTORY_PARTS.filter((part) => Array.isArray(dropped) && dropped.includes(part))
}

/** Removes the parts that a message is marked with. */
export function withoutDropped(message: Message): Message {
  return marksOf(message).reduce(
    (before: Message, part) =>
      part === 'thoughts' ? withoutSignatures(before) : without(before, part),
    message,
  )
}

/** Converted once per message, since providers cache by the identity of a message. */
const converted = { calls: new WeakMap<Message, Message>(), files: new WeakMap<Message, Message>() }

function without(message: Message, part: 'calls' | 'files'): Message {
  const known = converted[part].get(message)
  if (known) return known
  const result = part === 'calls' ? callsAsText(message) : withoutFiles(message)
  converted[part].set(message, result)
  return result
}

function withoutFiles(message: Message): Message {
  if (message.role === 'user')
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'file' ? fileText(part.mediaType) : part,
      ),
    }
  if (message.role !== 'tool') return message
  return { ...message, content: message.content.map(withoutResultFiles) }
}

function withoutResultFiles(part: ToolMessage['content'][number]): ToolMessage['content'][number] {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  const value = part.output.value
    .map((one) =>
      one.type === 'file'
        ? fileText(one.mediaType).text
        : resultText({ type: 'content', value: [one] }),
    )
    .join('\n')
  return { ...part, output: { type: 'text', value } }
}

const hasFiles = (part: ToolMessage['content'][number]): boolean =>
  part.type === 'tool-result' &&
  part.output.type === 'content' &&
  part.output.value.some(({ type }) => type === 'file')

const fileText = (mediaType: string): TextPart =>
  textPart(`[A file of type ${mediaType} is not here: it was refused with the conversation]`)

const textPart = (text: string): TextPart => ({ type: 'text', text })
