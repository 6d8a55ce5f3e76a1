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

/** Of one reply, in characters of JSON: more than any provider sends. */
const MOST_OPTIONS = 1_000_000
/** Where a message says which provider its thoughts and calls came from. */
export const OWN = 'amodal'

/**
 * Follows what a model thinks, block by block, for what its provider wants to see again with the
 * history: signatures, encrypted thoughts. Some refuse the results of a call without the thought
 * that led to it.
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
   * Nothing where no provider wants it. A signature is of the very words: where the text was
   * changed on its way, what is left is the changed text, for a provider that signs nothing.
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

/** Of thoughts in plain words, which their provider wants back as they are. */
const isUnsigned = (options: Options): boolean =>
  Object.values(options).every(({ unsigned }) => unsigned === true)

/** Options as they are kept: plain JSON, without what is undefined. */
export const optionsOf = (options: Options): JsonObject =>
  parseExact(JSON.stringify(options)) as JsonObject

function providerOptionsOf(storedOptions: JsonObject): Options {
  return Object.fromEntries(
    Object.entries(storedOptions).flatMap(([provider, options]) =>
      // written as JSON, it is what the provider has sent
      isObject(options) ? [[provider, { ...options } as Options[string]]] : [],
    ),
  )
}

/** A reply as it goes into the history, with what its provider wants back. */
export function assistantMessage({
  text,
  calls,
  reasoning = '',
  thoughts = [],
  model,
}: ModelReply): Message {
  // Lengths that do not add up are those of a text that has been changed since.
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
      // Some endpoints refuse a text without a word in it, such as the line break before a call.
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

/** Made once each: providers keep what they have made of a message by the message itself. */
const unsigned = new WeakMap<Message, Message>()

/**
 * The messages as a provider may see them: what another one has signed is of no use to it, and
 * strict ones refuse it.
 */
export function messagesFor(provider: string, messages: readonly Message[]): readonly Message[] {
  const isForeign = ({ role, providerOptions }: Message): boolean =>
    role === 'assistant' && (providerOptions?.[OWN]?.['provider'] ?? provider) !== provider
  return messages.some(isForeign)
    ? messages.map((message) => (isForeign(message) ? withoutSignatures(message) : message))
    : messages
}

/** Whether a message has what a provider has signed or wants to see again. */
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
