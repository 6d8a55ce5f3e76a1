import type { AgentEvents, Json, JsonObject } from '@amodal/sdk'
import { responseId, type ResponsePlace } from './wire-id.ts'
import type { HandedCall } from './waiting.ts'

/** Where an item stands in the journal. */
interface Place {
  readonly seq: number
  readonly n: number
}

interface Item {
  readonly index: number
  readonly place: Place
  shown: JsonObject
}

/** What text is being written to. */
interface Open {
  readonly kind: 'message' | 'reasoning'
  readonly item: Item
  text: string
}

const SERVER = 'amodal'

/**
 * The output items of a response, and the events that tell of them. A sequence number counts
 * events, and characters where text is told: how text was cut into events does not change it.
 */
export class ResponseItems {
  readonly #place: ResponsePlace
  readonly #after: number
  #number = 0
  #index = 0
  #items: Item[] = []
  #open: Open | undefined
  readonly #tools = new Map<string, Item>()

  constructor({
    head,
    after = 0,
  }: {
    readonly head: { readonly place: ResponsePlace }
    readonly after?: number
  }) {
    this.#place = head.place
    this.#after = after
  }

  get output(): readonly JsonObject[] {
    return this.#items.map(({ shown }) => shown)
  }

  /** One event of the stream; nothing where the client has it already. */
  event(type: string, data: JsonObject): string {
    this.#number += 1
    return this.#number <= this.#after ? '' : frameOf(type, this.#number, data)
  }

  /** The last event, which every client is told: without it a stream would have no end. */
  last(type: string, data: JsonObject): string {
    this.#number += 1
    return frameOf(type, this.#number, data)
  }

  text(delta: string, place: Place): string {
    const opened = this.#writingTo('message', place)
    return opened + this.#delta('response.output_text.delta', delta, { logprobs: [] })
  }

  reasoning(delta: string, place: Place): string {
    const opened = this.#writingTo('reasoning', place)
    return opened + this.#delta('response.reasoning_summary_text.delta', delta, {})
  }

  toolStarts(
    { tool_id: id, tool_name: name }: AgentEvents['tool_call_start'],
    parameters: Json,
    place: Place,
  ): string {
    const closed = this.close()
    const item = this.#add(place, {
      type: 'mcp_call',
      name,
      server_label: SERVER,
      arguments: JSON.stringify(parameters),
      output: null,
      error: null,
      status: 'in_progress',
    })
    this.#tools.set(id, item)
    return closed + this.#added(item) + this.#ofItem('response.mcp_call.in_progress', item)
  }

  toolEnds({ tool_id: id, status, result, error }: AgentEvents['tool_call_result']): string {
    const item = this.#tools.get(id)
    if (!item) return ''
    const isGood = status === 'success'
    item.shown = {
      ...item.shown,
      status: isGood ? 'completed' : 'failed',
      output: result ?? null,
      error: error ?? null,
    }
    const args = { arguments: item.shown['arguments'] ?? '' }
    return (
      this.#ofItem('response.mcp_call_arguments.done', item, args) +
      this.#ofItem(`response.mcp_call.${isGood ? 'completed' : 'failed'}`, item) +
      this.#done(item)
    )
  }

  /** A call that is handed to the client. */
  handed({ callId, name, arguments: args }: HandedCall): string {
    const closed = this.close()
    // Where nobody knew yet that it is the client's, it was told as one of the server.
    this.#items = this.#items.filter(
      ({ shown }) => shown['status'] !== 'in_progress' || shown['name'] !== name,
    )
    const item = this.#add(LAST, {
      type: 'function_call',
      call_id: callId,
      name,
      arguments: '',
      status: 'in_progress',
    })
    const added = this.#added(item)
    item.shown = { ...item.shown, arguments: args, status: 'completed' }
    return (
      closed +
      added +
      this.#ofItem('response.function_call_arguments.delta', item, { delta: args }) +
      this.#ofItem('response.function_call_arguments.done', item, { arguments: args, name }) +
      this.#done(item)
    )
  }

  /** Ends the item that text was written to. */
  close(): string {
    const open = this.#open
    if (!open) return ''
    this.#open = undefined
    const { item, kind, text } = open
    item.shown = kind === 'message' ? messageOf(item, text) : reasoningOf(item, text)
    return (
      (kind === 'message' ? this.#messageDone(item, text) : this.#reasoningDone(item, text)) +
      this.#done(item)
    )
  }

  /** What came behind an entry is taken back: it comes again. */
  reset(after: number): string {
    const stays = ({ place: { seq, n } }: Item): boolean =>
      seq < after || (seq === after && n === 0)
    const open = this.#open
    const isTaken = open !== undefined && !stays(open.item)
    if (isTaken) this.#open = undefined
    const gone = this.#items.filter((item) => !stays(item))
    this.#items = this.#items.filter(stays)
    return gone
      .map((item) => {
        item.shown = { ...item.shown, status: 'incomplete' }
        return this.#done(item)
      })
      .join('')
  }

  #writingTo(kind: Open['kind'], place: Place): string {
    if (this.#open?.kind === kind) return ''
    const closed = this.close()
    const item = this.#add(
      place,
      kind === 'message'
        ? { type: 'message', role: 'assistant', status: 'in_progress', content: [] }
        : { type: 'reasoning', summary: [] },
    )
    this.#open = { kind, item, text: '' }
    const added = this.#added(item)
    const part =
      kind === 'message'
        ? this.#ofItem('response.content_part.added', item, {
            content_index: 0,
            part: outputText(''),
          })
        : this.#ofItem('response.reasoning_summary_part.added', item, {
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          })
    return closed + added + part
  }

  #add(place: Place, shown: JsonObject): Item {
    const index = this.#index++
    const id = `${prefixOf(shown)}_${index}_${responseId(this.#place)}`
    const item = { index, place, shown: { id, ...shown } }
    this.#items.push(item)
    return item
  }

  #added(item: Item): string {
    return this.event('response.output_item.added', { output_index: item.index, item: item.shown })
  }

  #done(item: Item): string {
    return this.event('response.output_item.done', { output_index: item.index, item: item.shown })
  }

  #ofItem(type: string, { index, shown }: Item, data: JsonObject = {}): string {
    return this.event(type, { item_id: shown['id'] ?? '', output_index: index, ...data })
  }

  #delta(type: string, delta: string, data: JsonObject): string {
    const open = this.#open
    if (!open || delta === '') return ''
    open.text += delta
    const before = this.#number
    this.#number += delta.length
    if (this.#number <= this.#after) return ''
    const { index, shown } = open.item
    const place = open.kind === 'message' ? { content_index: 0 } : { summary_index: 0 }
    return frameOf(type, this.#number, {
      item_id: shown['id'] ?? '',
      output_index: index,
      ...place,
      delta: delta.slice(Math.max(0, this.#after - before)),
      ...data,
    })
  }

  #messageDone(item: Item, text: string): string {
    return (
      this.#ofItem('response.output_text.done', item, { content_index: 0, text, logprobs: [] }) +
      this.#ofItem('response.content_part.done', item, { content_index: 0, part: outputText(text) })
    )
  }

  #reasoningDone(item: Item, text: string): string {
    const part = { type: 'summary_text', text }
    return (
      this.#ofItem('response.reasoning_summary_text.done', item, { summary_index: 0, text }) +
      this.#ofItem('response.reasoning_summary_part.done', item, { summary_index: 0, part })
    )
  }
}

const LAST: Place = { seq: Infinity, n: 0 }

const PREFIX: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  mcp_call: 'mcp',
  function_call: 'fc',
}

const prefixOf = ({ type }: JsonObject): string =>
  (typeof type === 'string' ? PREFIX[type] : undefined) ?? 'item'

const outputText = (text: string): JsonObject => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

const messageOf = ({ shown }: Item, text: string): JsonObject => ({
  ...shown,
  status: 'completed',
  content: [outputText(text)],
})

const reasoningOf = ({ shown }: Item, text: string): JsonObject => ({
  ...shown,
  summary: [{ type: 'summary_text', text }],
})

const frameOf = (type: string, sequence: number, data: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`
