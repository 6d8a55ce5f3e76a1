import { type EventReader, isFields, jsonFields, type ReadEvent } from '@amodal/sdk/model'

type Fields = Readonly<Record<string, unknown>>

/** Others are not of this protocol: a client is to pass over what it does not know. */
const EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
])
const DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'signature_delta',
  'input_json_delta',
])
/** What a block holds, and the delta that brings the same. */
const CONTENT = [
  ['text', 'text', 'text_delta'],
  ['thinking', 'thinking', 'thinking_delta'],
  ['thinking', 'signature', 'signature_delta'],
] as const

/**
 * Reads a stream of messages as compatible services write it, for a package that knows Anthropic's
 * own only: without counts, with content in the event that begins a block, without the events that
 * end a block or the message, with events of their own.
 */
export class MessageEvents implements EventReader {
  /** Blocks that have begun and not ended. */
  readonly #open = new Set<unknown>()
  #begun = false
  #finished = false

  read(data: string): ReadEvent {
    const event = jsonFields(data)
    // What is no object at all is for the package to refuse.
    if (Object.keys(event).length === 0) return { events: data.trim() === '{}' ? [] : [data] }
    if (isFields(event.error)) return { events: [errorEvent(event.error)] }
    if (!EVENTS.has(event.type)) return { events: [] }
    if (event.type === 'message_start') return { events: this.#start(event) }
    const events = [...(this.#begun ? [] : this.#start({})), ...this.#event(event, data)]
    if (event.type === 'message_stop') return { events, end: 'last' }
    return { events, end: this.#finished ? 'finished' : undefined }
  }

  end(): readonly string[] {
    return this.#finished ? [JSON.stringify({ type: 'message_stop' })] : []
  }

  #start(event: Fields): readonly string[] {
    this.#begun = true
    const message = isFields(event.message) ? event.message : {}
    const { content: _content, ...head } = message
    return [
      JSON.stringify({
        type: 'message_start',
        message: { ...head, usage: counts(message.usage, 'input_tokens') },
      }),
    ]
  }

  #event(event: Fields, data: string): readonly string[] {
    switch (event.type) {
      case 'content_block_start':
        return this.#blockStart(event)
      case 'content_block_delta':
        return isFields(event.delta) && DELTAS.has(event.delta.type) ? [data] : []
      case 'content_block_stop':
        this.#open.delete(event.index)
        return [data]
      case 'message_delta':
        return this.#messageDelta(event)
      default:
        return [data]
    }
  }

  #blockStart(event: Fields): readonly string[] {
    const block = isFields(event.content_block) ? event.content_block : {}
    const { index } = event
    this.#open.add(index)
    const begins = (content_block: Fields): string => JSON.stringify({ ...event, content_block })
    if (block.type === 'tool_use')
      return [
        begins({
          ...block,
          id: block.id ?? `call_${String(index)}`,
          input: isFields(block.input) ? block.input : undefined,
        }),
      ]
    if (block.type !== 'text' && block.type !== 'thinking') return [JSON.stringify(event)]
    const deltas = CONTENT.flatMap(([type, field, delta]) =>
      type === block.type && typeof block[field] === 'string' && block[field] !== ''
        ? [
            JSON.stringify({
              type: 'content_block_delta',
              index,
              delta: { type: delta, [field]: block[field] },
            }),
          ]
        : [],
    )
    return [begins({ ...block, [block.type]: '' }), ...deltas]
  }

  #messageDelta(event: Fields): readonly string[] {
    const delta = isFields(event.delta) ? event.delta : {}
    // A block that is never ended would be no part of the reply.
    const ends =
      typeof delta.stop_reason === 'string'
        ? [...this.#open].map((index) => JSON.stringify({ type: 'content_block_stop', index }))
        : []
    this.#finished ||= typeof delta.stop_reason === 'string'
    if (this.#finished) this.#open.clear()
    return [
      ...ends,
      JSON.stringify({ ...event, delta, usage: counts(event.usage, 'output_tokens') }),
    ]
  }
}

/** A whole message as compatible services write it, as the package knows it. */
export function messageDocument(text: string): string {
  const message = jsonFields(text)
  if (!Array.isArray(message.content)) return text
  const content = message.content.map((block: unknown) =>
    isFields(block) && block.type === 'thinking' ? { signature: '', ...block } : block,
  )
  const usage = counts(counts(message.usage, 'input_tokens'), 'output_tokens')
  return JSON.stringify({ type: 'message', ...message, content, usage })
}

/** Counts with the one that the package wants; 0 stands for one that is not known. */
function counts(usage: unknown, wanted: 'input_tokens' | 'output_tokens'): Fields {
  const given = isFields(usage) ? usage : {}
  return { ...given, [wanted]: typeof given[wanted] === 'number' ? given[wanted] : 0 }
}

const errorEvent = (error: Fields): string =>
  JSON.stringify({
    type: 'error',
    error: {
      ...error,
      type: typeof error.type === 'string' ? error.type : 'api_error',
      message: typeof error.message === 'string' ? error.message : JSON.stringify(error),
    },
  })
