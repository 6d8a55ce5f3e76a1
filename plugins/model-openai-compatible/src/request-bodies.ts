import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4Warning,
} from '@ai-sdk/provider'

type Prepare = OpenAICompatibleChatLanguageModel['prepareRequest']
type Fields = Readonly<Record<string, unknown>>

/** The beginning of a conversation, and the JSON it was sent as, without brackets. */
interface Sent {
  readonly messages: readonly LanguageModelV4Message[]
  readonly text: string
}

export interface RequestBody {
  readonly warnings: SharedV4Warning[]
  /** The JSON to send, with fields of the caller's own. */
  text(fields: Fields): string
}

/** Characters from which on a conversation is worth remembering. */
const LONG = 8_192
/** Messages that a conversation may have grown by. */
const GROWN = 32

/**
 * Makes the bodies of requests. A conversation is sent again with every call, a little longer each
 * time, so what has been sent is kept as text, and only what is new is converted. That rests on two
 * things: a message is converted by itself, and one that was sent never changes. The text may be
 * collected at any time, as a cache.
 */
export class RequestBodies {
  readonly #prepare: Prepare
  /** By the newest message of each. */
  readonly #sent = new WeakMap<LanguageModelV4Message, WeakRef<Sent>>()

  constructor(prepare: Prepare) {
    this.#prepare = prepare
  }

  async make(call: LanguageModelV4CallOptions): Promise<RequestBody> {
    const { prompt } = call
    const leading = leadingSystem(prompt)
    const conversation = prompt.slice(leading)
    // Options of a provider can change how messages are converted.
    const sent = call.providerOptions === undefined ? this.#take(conversation) : undefined

    const added = conversation.slice(sent?.messages.length ?? 0)
    const {
      body: { messages, ...body },
      warnings,
    } = await this.#prepare({ ...call, prompt: [...prompt.slice(0, leading), ...added] })
    const converted: readonly unknown[] = Array.isArray(messages) ? messages : []
    const before = `{"messages":[${itemsOf(converted.slice(0, leading))}`
    const text = joined(sent?.text ?? '', itemsOf(converted.slice(leading)))
    return {
      warnings,
      text: (fields) => {
        const head = leading > 0 && text !== '' ? `${before},` : before
        const whole = `${head}${text}],${JSON.stringify({ ...body, ...fields }).slice(1)}`
        // A slice of what is sent shares its memory.
        if (call.providerOptions === undefined && text.length >= LONG)
          this.#keep({
            messages: conversation,
            text: whole.slice(head.length, head.length + text.length),
          })
        return whole
      },
    }
  }

  #keep(sent: Sent): void {
    const newest = sent.messages.at(-1)
    if (newest) this.#sent.set(newest, new WeakRef(sent))
  }

  /**
   * The longest beginning of the conversation that is known; the longer one that is to be made
   * takes its place.
   */
  #take(conversation: readonly LanguageModelV4Message[]): Sent | undefined {
    for (const message of conversation.slice(-GROWN).reverse()) {
      const sent = this.#sent.get(message)?.deref()
      if (!sent || sent.messages.some((one, at) => one !== conversation[at])) continue
      this.#sent.delete(message)
      return sent
    }
    return undefined
  }
}

function leadingSystem(prompt: readonly LanguageModelV4Message[]): number {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  return first === -1 ? prompt.length : first
}

const itemsOf = (list: readonly unknown[]): string => JSON.stringify(list).slice(1, -1)
const joined = (one: string, other: string): string =>
  one === '' || other === '' ? one + other : `${one},${other}`
