import { textStart } from '@amodal/sdk/data'
import type { Message } from '@amodal/sdk'
import { messageTokens, resultText, resultTokens, type ResultPart } from './sizes.ts'
import { LASTING } from './tokens.ts'

export interface ViewLimits {
  /** Tokens, of the whole call. */
  readonly maskAt: number
  /** Tokens of the newest outputs, which stay. */
  readonly protect: number
  /** Tokens of an output that is large enough to be masked. */
  readonly bulky: number
  /** Characters of one result. */
  readonly resultChars: number
}

/** Messages of a short conversation. */
const FEW = 16
/** What is left of an output, characters: its beginning says what it was. */
const LEFT = 400
/** Masking changes what providers have cached: it is worth it from this share of `maskAt` on. */
const WORTH = 0.1

/**
 * A conversation as the model sees it: each result cut to its cap, and older outputs masked where
 * it grows large. It is built message by message, so that the same conversation gives the same
 * view however often, and wherever, it is made.
 */
export class View {
  shown: Message[] = []
  /** Tokens of what is shown. */
  tokens = 0
  /** Tokens that masking has taken out since the last reply was shown. */
  freed = 0
  changed = false
  readonly #limits: ViewLimits
  #sizes: number[] = []
  #first: Message | undefined
  #last: Message | undefined
  /** Messages before this one are masked already. */
  #masked = 0

  constructor(limits: ViewLimits) {
    this.#limits = limits
  }

  /** Whether `messages` are those of this view with more behind them. */
  goesOnWith(messages: readonly Message[]): boolean {
    const { length } = this.shown
    return (
      length === 0 ||
      (messages.length >= length &&
        messages[0] === this.#first &&
        messages[length - 1] === this.#last)
    )
  }

  /** @param overhead tokens of what goes with every call */
  follow(messages: readonly Message[], overhead: number): void {
    for (const message of messages.slice(this.shown.length)) {
      // A reply answers what was shown before it, masked by then.
      if (message.role === 'assistant') {
        this.#mask(overhead)
        this.freed = 0
      }
      this.#push(message)
    }
    this.#first = messages[0]
    this.#last = messages.at(-1)
    this.#mask(overhead)
    if (this.shown.length > FEW) return
    // A list that grew has room for sixteen more, and most conversations are short and over.
    this.shown = this.shown.slice()
    this.#sizes = this.#sizes.slice()
  }

  /** Tokens of the messages from here on. */
  tokensFrom(at: number): number {
    return this.#sizes.slice(at).reduce((sum, size) => sum + size, 0)
  }

  #push(message: Message): void {
    const capped =
      message.role === 'tool'
        ? this.#eachResult(message, (part) => capped1(part, this.#limits.resultChars))
        : message
    const size = messageTokens(capped)
    this.changed ||= capped !== message
    this.shown.push(capped)
    this.#sizes.push(size)
    this.tokens += size
  }

  /**
   * From the newest backwards: what is protected stays, what is older and bulky goes, all at once.
   */
  #mask(overhead: number): void {
    const { maskAt, protect, bulky } = this.#limits
    if (overhead + this.tokens <= maskAt) return
    let kept = 0
    let upto = this.shown.length
    while (upto > this.#masked) {
      const message = this.shown[upto - 1]
      if (message?.role === 'tool') {
        kept += this.#sizes[upto - 1] ?? 0
        if (kept > protect) break
      }
      upto--
    }
    const masks = this.shown
      .slice(this.#masked, upto)
      .map((message) =>
        message.role === 'tool'
          ? this.#eachResult(message, (part) => masked(part, bulky))
          : message,
      )
    const sizes = masks.map(messageTokens)
    const freed = sizes.reduce(
      (sum, size, at) => sum + (this.#sizes[this.#masked + at] ?? 0) - size,
      0,
    )
    if (freed < maskAt * WORTH) return
    this.shown.splice(this.#masked, masks.length, ...masks)
    this.#sizes.splice(this.#masked, sizes.length, ...sizes)
    this.#masked = upto
    this.tokens -= freed
    this.freed += freed
    this.changed = true
  }

  #eachResult(
    message: Extract<Message, { role: 'tool' }>,
    change: (part: ResultPart) => ResultPart,
  ): Message {
    const content = message.content.map((part) =>
      part.type === 'tool-result' ? change(part) : part,
    )
    return content.every((part, at) => part === message.content[at])
      ? message
      : { ...message, content }
  }
}

function capped1(part: ResultPart, limit: number): ResultPart {
  const text = resultText(part)
  if (text.length <= limit) return part
  const value = `${textStart(text, limit)}\n[truncated ${text.length - limit} chars]`
  // Its images stay: they have a limit of their own.
  return part.output.type === 'content'
    ? {
        ...part,
        output: {
          type: 'content',
          value: [
            { type: 'text', text: value },
            ...part.output.value.filter(({ type }) => type === 'file'),
          ],
        },
      }
    : withText(part, value)
}

function masked(part: ResultPart, bulky: number): ResultPart {
  const text = resultText(part)
  if (LASTING.has(part.toolName) || resultTokens(part) <= bulky) return part
  const images =
    part.output.type === 'content' && part.output.value.some(({ type }) => type === 'file')
  if (text.length <= LEFT && !images) return part
  const gone = [
    ...(text.length > LEFT ? [`${text.length - LEFT} more characters`] : []),
    ...(images ? ['its images'] : []),
  ].join(' and ')
  return withText(
    part,
    `${textStart(text, LEFT)}\n[${gone} left out to make room: call ${part.toolName} again if you need them]`,
  )
}

const withText = (part: ResultPart, value: string): ResultPart => ({
  ...part,
  output: {
    type:
      part.output.type === 'error-text' || part.output.type === 'error-json'
        ? 'error-text'
        : 'text',
    value,
  },
})
