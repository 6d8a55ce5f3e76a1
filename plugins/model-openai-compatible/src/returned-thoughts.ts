import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { KEY } from './attachments.ts'
import { isRecord, textOf } from './json.ts'

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type Options = NonNullable<AssistantMessage['providerOptions']>[string]

/** Made once each: what was sent before is known by its messages. */
const convertedOf = {
  plain: new WeakMap<AssistantMessage, AssistantMessage>(),
  thinking: new WeakMap<AssistantMessage, AssistantMessage>(),
}

/**
 * The prompt with what its endpoint attached to its replies as fields of the messages, under the
 * names that it had. Thoughts in plain words go back in turns with calls alone: there, endpoints
 * that think between calls insist on them; elsewhere others refuse them.
 */
export function withReturned(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  if (!prompt.some(hasThoughts)) return prompt
  let hasCalls = false
  return prompt.map((message) => {
    if (message.role === 'user') hasCalls = false
    if (message.role !== 'assistant') return message
    hasCalls ||= message.content.some(({ type }) => type === 'tool-call')
    return hasThoughts(message) ? returned(message, hasCalls) : message
  })
}

const hasThoughts = (message: LanguageModelV4Message): message is AssistantMessage =>
  message.role === 'assistant' && message.content.some(({ type }) => type === 'reasoning')

function returned(message: AssistantMessage, thinks: boolean): AssistantMessage {
  const converted = convertedOf[thinks ? 'thinking' : 'plain']
  const known = converted.get(message)
  if (known) return known
  const fields = fieldsOf(message, thinks)
  const result: AssistantMessage = {
    ...message,
    content: message.content.filter(({ type }) => type !== 'reasoning'),
    providerOptions: {
      ...message.providerOptions,
      [KEY]: { ...message.providerOptions?.[KEY], ...fields },
    },
  }
  converted.set(message, result)
  return result
}

function fieldsOf({ content }: AssistantMessage, thinks: boolean): Options {
  let fields: Options = {}
  for (const part of content) {
    if (part.type !== 'reasoning') continue
    const { field, attached } = part.providerOptions?.[KEY] ?? {}
    const name = textOf(field)
    if (thinks && name !== undefined)
      fields = { ...fields, [name]: `${textOf(fields[name]) ?? ''}${part.text}` }
    if (isRecord(attached)) fields = { ...fields, ...attached }
  }
  return fields
}
