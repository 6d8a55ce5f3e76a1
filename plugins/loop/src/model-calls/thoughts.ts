import {
  isObject,
  type JsonObject,
  type Message,
  type ModelReply,
  type StreamPart,
  type Thought,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number]
type ThoughtPart = Extract<AssistantPart, { type: 'reasoning' }>
type Options = NonNullable<ThoughtPart['providerOptions']>

/** The most characters of JSON of one reply's provider options. */
const MOST_OPTIONS = 1_000_000
/** The key of provider options that names the provider of a message. */
export const OWN = 'amodal'

/**
 * Collects the reasoning of a model by blocks, with the signatures and encrypted thoughts that its
 * provider requires in the history. Some refuse the results of a call without them.
 */
export class Thoughts {
  #text = ''
  readonly #blocks: { readonly id: string; chars: number; options: Options }[] = []

  take(part: StreamPart): void {
    if (
      part.type !== 'reasoning-start' &&
      part.type !== 'reasoning-delta' &&
      part.type !== 'reasoning-end'
    )
      return
    if (part.type === 'reasoning-start') this.#blocks.push({ id: part.id, chars: 0, options: {} })
    const block = this.#blocks.findLast(({ id }) => id === part.id)
    if (!block) return
    for (const [provider, options] of Object.entries(part.providerMetadata ?? {}))
      block.options = { ...block.options, [provider]: { ...block.options[provider], ...options } }
    if (part.type !== 'reasoning-delta') return
    block.chars += part.delta.length
    this.#text += part.delta
  }

  /**
   * The thoughts to store; `undefined` if the provider needs none. A signature covers the exact
   * text, so a changed text is stored only for providers that sign nothing.
   */
  thoughtsFor(text: string): readonly Thought[] | undefined {
    const wanted = this.#blocks.filter(({ options }) => Object.keys(options).length > 0)
    if (wanted.length === 0) return undefined
    if (text !== this.#text) {
      const plain = wanted.find(({ options }) => isUnsigned(options))
      return plain && [{ chars: text.length, options: optionsOf(plain.options) }]
    }
    const thoughts = this.#blocks.map(({ chars, options }): Thought => ({
      chars,
      options: optionsOf(options),
    }))
    return JSON.stringify(thoughts).length > MOST_OPTIONS ? undefined : thoughts
  }
}

/** Whether options belong to unsigned reasoning, which the provider requires unchanged. */
const isUnsigned = (options: Options): boolean =>
  Object.values(options).every(({ unsigned }) => unsigned === true)

/** Options as plain JSON, without undefined values. */
export const optionsOf = (options: Options): JsonObject =>
  parseExact(JSON.stringify(options)) as JsonObject

function providerOptionsOf(storedOptions: JsonObject): Options {
  return Object.fromEntries(
    Object.entries(storedOptions).flatMap(([provider, options]) =>
      // stored as JSON of the provider's options
      isObject(options) ? [[provider, { ...options } as Options[string]]] : [],
    ),
  )
}

/** A reply in the form of the history, with the options that its provider requires. */
export function assistantMessage({
  text,
  calls,
  reasoning = '',
  thoughts = [],
  model,
}: ModelReply): Message {
  // Lengths that do not add up mean that the text was changed.
  const lengthsMatch = thoughts.reduce((sum, { chars }) => sum + chars, 0) === reasoning.length
  let from = 0
  const thought = thoughts.flatMap(({ chars, options }): readonly ThoughtPart[] => {
    const thoughtText = reasoning.slice(from, (from += chars))
    return lengthsMatch && Object.keys(options).length > 0
      ? [{ type: 'reasoning', text: thoughtText, providerOptions: providerOptionsOf(options) }]
      : []
  })
  const hasOptions =
    thought.length > 0 || calls.some(({ providerOptions }) => providerOptions !== undefined)
  return {
    role: 'assistant',
    content: [
      ...thought,
      // Some endpoints refuse blank texts, such as a line break before a call.
      ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, input, providerOptions }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: parseExact(input),
        ...(providerOptions && { providerOptions: providerOptionsOf(providerOptions) }),
      })),
    ],
    ...(hasOptions && { providerOptions: { [OWN]: { provider: model.provider } } }),
  }
}

/** Converted once per message, since providers cache by the identity of a message. */
const unsigned = new WeakMap<Message, Message>()

/** Removes signatures of other providers, which strict providers refuse. */
export function messagesFor(provider: string, messages: readonly Message[]): readonly Message[] {
  const isForeign = ({ role, providerOptions }: Message): boolean =>
    role === 'assistant' && (providerOptions?.[OWN]?.['provider'] ?? provider) !== provider
  return messages.some(isForeign)
    ? messages.map((message) => (isForeign(message) ? withoutSignatures(message) : message))
    : messages
}

/** Whether a message has signatures or other options of its provider. */
export const isSigned = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.content.some(({ type, providerOptions }) => type === 'reasoning' || providerOptions)

export function withoutSignatures(message: Message): Message {
  if (message.role !== 'assistant') return message
  const known = unsigned.get(message)
  if (known) return known
  const plain: Message = {
    role: 'assistant',
    content: message.content
      .filter(({ type }) => type !== 'reasoning')
      .map(({ providerOptions: _providerOptions, ...part }) => part),
  }
  unsigned.set(message, plain)
  return plain
}
