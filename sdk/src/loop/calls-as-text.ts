import { wrapUntrusted } from '../untrusted.ts'
import type { Message } from '../ports/model.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>
type ToolMessage = Extract<Message, { role: 'tool' }>
type UserMessage = Extract<Message, { role: 'user' }>
type TextPart = { readonly type: 'text'; readonly text: string }

/**
 * A message with its calls and results as text, for a provider that refuses them. Results stay
 * wrapped as untrusted, and files stay files.
 *
 * @example
 * callsAsText(message) // { role: 'user', content: [{ type: 'text', text: '[The result …' }, …] }
 */
export function callsAsText(message: Message): Message {
  if (message.role === 'assistant') return { ...message, content: message.content.map(callText) }
  if (message.role !== 'tool') return message
  const content = message.content.flatMap((part): UserMessage['content'] =>
    part.type === 'tool-result'
      ? [
          textPart(`[The result of the call of ${part.toolName}, not of the person:]`),
          textPart(wrapUntrusted(resultText(part.output), part.toolName)),
          ...filesIn(part.output),
        ]
      : [],
  )
  return { role: 'user', content }
}

const callText = (part: AssistantMessage['content'][number]) =>
  part.type === 'tool-call'
    ? textPart(`[I called ${part.toolName} with ${JSON.stringify(part.input)}]`)
    : part

type Output = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output']

/** The text of a result, without its files. */
export function resultText(output: Output): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? ''
    case 'content':
      return output.value.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n')
  }
}

const filesIn = (output: Output): UserMessage['content'] =>
  output.type === 'content'
    ? output.value.flatMap((one): UserMessage['content'] =>
        one.type === 'file' ? [{ type: 'file', mediaType: one.mediaType, data: one.data }] : [],
      )
    : []

const textPart = (text: string): TextPart => ({ type: 'text', text })
