import type { Message } from '@amodal/sdk'
import { EMPTY, item, type Snapshot } from './snapshot.ts'
import { inputText, resultText } from './sizes.ts'
import { shortened } from './transcript.ts'

const MOST_WORDS = 20
const MOST_CALLS = 40

/** A snapshot made without a model: the texts and the calls of the assistant. */
export function digest(messages: readonly Message[]): Snapshot {
  const words = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'text' ? [item(part.text)] : []))
      : [],
  )
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) =>
            part.type === 'tool-result' ? [[part.toolCallId, part] as const] : [],
          )
        : [],
    ),
  )
  const calls = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-call') return []
          const result = results.get(part.toolCallId)
          return [
            item(
              `${part.toolName} ${shortened(inputText(part.input), 200)}${result ? ` → ${shortened(resultText(result), 200)}` : ''}`,
            ),
          ]
        })
      : [],
  )
  return { ...EMPTY, findings: words.slice(-MOST_WORDS), done: calls.slice(-MOST_CALLS) }
}

/** What people asked for, in their own words. */
export function requestsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'user'
      ? [
          item(
            message.content
              .map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`))
              .join(' '),
          ),
        ]
      : [],
  )
}
