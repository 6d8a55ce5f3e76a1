import {
  redact,
  type AgentEvent,
  type AgentEvents,
  type Frame,
  type JsonObject,
  type PendingAsk,
  type WireUsage,
} from '@amodal/sdk'
import type { TurnWriter } from '@amodal/sdk/wire'
import {
  endOf,
  responseObject,
  usageSince,
  type ResponseHead,
  type ResponseState,
} from './response-object.ts'
import { ResponseItems } from './response-items.ts'
import type { ParkedTurn } from './run-turn.ts'
import { usageIn } from './run-segment.ts'
import { linkTo, waitingFor, waitingText, type Waiting } from './waiting.ts'

export interface ResponseWriterOptions {
  readonly head: ResponseHead
  readonly clientTools: ReadonlySet<string>
  readonly canRespond: boolean
  /** Of this server, for links. */
  readonly origin: string
  /** What its run had used before. */
  readonly used: WireUsage
  readonly parked: ParkedTurn
  /** The last event that the client has (`starting_after`). */
  readonly after?: number
}

/**
 * Projects the events of a turn to a response and its stream. Pure: the same frames are the same
 * text, however they were cut, so that a sequence number is a place that a stream resumes from.
 */
export class ResponseWriter implements TurnWriter {
  #state: ResponseState = { status: 'in_progress', output: [] }
  #error: AgentEvents['error'] | undefined
  readonly #options: ResponseWriterOptions
  readonly #items: ResponseItems

  constructor(options: ResponseWriterOptions) {
    this.#options = options
    this.#items = new ResponseItems(options)
  }

  get output(): readonly JsonObject[] {
    return this.#items.output
  }

  /** The response as it stands. */
  get response(): JsonObject {
    return responseObject(this.#options.head, { ...this.#state, output: this.#items.output })
  }

  begin(): string {
    return (
      this.#items.event('response.created', { response: this.response }) +
      this.#items.event('response.in_progress', { response: this.response })
    )
  }

  frame({ event, id }: Frame): string {
    return this.event(event, id.seq, id.n)
  }

  /** @param seq the entry that it stands behind, and its place there */
  event(event: AgentEvent, seq: number, n = 0): string {
    const items = this.#items
    switch (event.type) {
      case 'text_delta':
        return items.text(event.content, { seq, n })
      case 'reasoning_delta':
        return items.reasoning(event.content, { seq, n })
      case 'tool_call_start':
        if (this.#options.clientTools.has(event.tool_name)) return items.close()
        return items.toolStarts(event, redact(event.parameters), { seq, n })
      case 'tool_call_result':
        return items.toolEnds(event)
      case 'reset':
        return items.reset(event.after_seq)
      case 'error':
        this.#error = event
        return ''
      case 'done':
        return this.#done(event)
      default:
        return '' // listed in the README
    }
  }

  parked(asks: readonly PendingAsk[]): string {
    const { head, canRespond, parked } = this.#options
    const { session } = head.place
    const { entries } = parked
    const waiting = waitingFor(asks, { session, entries, canRespond })
    return this.#end(waiting, usageIn(entries))
  }

  end(): string {
    return '' // the last event was the end
  }

  #end({ calls, people }: Waiting, usage: WireUsage): string {
    const { head, origin } = this.#options
    const link = linkTo(origin, head.place.session)
    const text =
      people.length === 0
        ? ''
        : this.#items.text(waitingText(people, link), { seq: Infinity, n: 0 })
    const closed = this.#items.close()
    const handed = calls.map((call) => this.#items.handed(call)).join('')
    const isIncomplete = people.length > 0
    return (
      text +
      closed +
      handed +
      this.#finish({
        status: isIncomplete ? 'incomplete' : 'completed',
        output: [],
        usage,
        ...(isIncomplete && { reason: 'input_required', link: { ...link } }),
      })
    )
  }

  #done({ reason, usage }: AgentEvents['done']): string {
    const { status, reason: why } = endOf(reason)
    const closed = this.#items.close()
    return (
      closed +
      this.#finish({
        status,
        output: [],
        usage: usage && usageSince(usage, this.#options.used),
        ...(why !== undefined && { reason: why }),
        ...(status === 'failed' && {
          error: this.#error ?? { code: 'INTERNAL', message: 'the run has failed' },
        }),
      })
    )
  }

  #finish(state: ResponseState): string {
    this.#state = state
    const type = state.status === 'cancelled' ? 'incomplete' : state.status
    return this.#items.last(`response.${type}`, { response: this.response })
  }
}
