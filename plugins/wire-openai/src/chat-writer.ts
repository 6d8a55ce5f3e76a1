import type { AgentEvents, Code, Frame, JsonObject, PendingAsk, WireUsage } from '@amodal/sdk'
import type { TurnWriter } from '@amodal/sdk/wire'
import { errorBody, type ErrorBody } from './openai-error.ts'
import { endOf, usageSince } from './response-object.ts'
import type { ParkedTurn } from './run-turn.ts'
import { usageIn } from './run-segment.ts'
import { SaidText } from './said-text.ts'
import { placeOf, type ResponsePlace } from './wire-id.ts'
import { linkTo, waitingFor, waitingText, type HandedCall } from './waiting.ts'

export interface ChatWriterOptions {
  readonly place: ResponsePlace
  /** ms since the epoch. */
  readonly createdAt: number
  readonly model: string
  readonly includeUsage: boolean
  readonly clientTools: ReadonlySet<string>
  readonly canRespond: boolean
  readonly origin: string
  readonly used: WireUsage
  readonly parked: ParkedTurn
  readonly statusOf: (code: Code) => number
}

type FinishReason = 'stop' | 'length' | 'tool_calls'

/** Projects the events of a turn to a chat completion, whole or in chunks. */
export class ChatWriter implements TurnWriter {
  readonly #options: ChatWriterOptions
  readonly #text = new SaidText()
  #reasoning = ''
  #calls: readonly HandedCall[] = []
  #finish: FinishReason = 'stop'
  #usage: WireUsage | undefined
  #failed: AgentEvents['error'] | undefined
  #waits: JsonObject | undefined

  constructor(options: ChatWriterOptions) {
    this.#options = options
  }

  /** Why the turn has failed, with its status. */
  get error(): { readonly status: number; readonly body: ErrorBody } | undefined {
    if (!this.#failed) return undefined
    const { code, message } = this.#failed
    const status = this.#options.statusOf(code)
    return { status, body: errorBody(status, code, message) }
  }

  /** The whole completion. */
  get completion(): JsonObject {
    const toolCalls = this.#calls.map((call) => shownCall(call))
    return {
      ...this.#head('chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: this.#text.text === '' && toolCalls.length > 0 ? null : this.#text.text,
            refusal: null,
            ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
            ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
          },
          logprobs: null,
          finish_reason: this.#finish,
        },
      ],
      usage: this.#usage ? chatUsage(this.#usage) : null,
      ...this.#amodal(),
    }
  }

  begin(): string {
    return this.#chunk({ role: 'assistant', content: '' })
  }

  frame({ event, id }: Frame): string {
    switch (event.type) {
      case 'text_delta':
        return this.#content(this.#text.add(event.content, id))
      case 'reasoning_delta':
        this.#reasoning += event.content
        return this.#chunk({ reasoning_content: event.content })
      case 'reset':
        this.#text.reset(event.after_seq)
        return ''
      case 'error':
        this.#failed = event
        return ''
      case 'done':
        this.#usage = event.usage && usageSince(event.usage, this.#options.used)
        return this.#done(event)
      default:
        return '' // listed in the README
    }
  }

  parked(asks: readonly PendingAsk[]): string {
    const { place, canRespond, parked, origin } = this.#options
    const { session } = place
    const { entries } = parked
    const { calls, people } = waitingFor(asks, { session, entries, canRespond })
    this.#usage = usageIn(entries)
    this.#calls = calls
    const link = linkTo(origin, session)
    const words = people.length > 0 ? waitingText(people, link) : ''
    if (words !== '') this.#waits = { status: 'incomplete', reason: 'input_required', ...link }
    const told = this.#content(this.#text.add(words, { seq: Infinity, n: 1 }))
    const handed = calls.map((call, index) =>
      this.#chunk({ tool_calls: [{ index, ...shownCall(call) }] }),
    )
    const finish = people.length > 0 ? 'length' : 'tool_calls'
    return told + handed.join('') + this.#end(finish)
  }

  end(cut: boolean): string {
    return cut ? '' : DONE
  }

  #done({ reason }: AgentEvents['done']): string {
    const { status } = endOf(reason)
    switch (status) {
      case 'failed':
        this.#failed ??= { code: 'INTERNAL', message: 'the run has failed' }
        return `data: ${JSON.stringify({ error: this.error?.body })}\n\n`
      case 'incomplete':
        return this.#finished('length')
      case 'cancelled':
      case 'completed':
      case 'in_progress':
        this.#failed = undefined
        return this.#finished('stop')
      default:
        return status satisfies never
    }
  }

  /** The end of a turn whose stream ends with it. */
  #finished(finish: FinishReason): string {
    this.#failed = undefined
    return this.#lastChunks(finish)
  }

  /** The end of a turn that waits: nothing comes behind it. */
  #end(finish: FinishReason): string {
    return this.#lastChunks(finish) + DONE
  }

  #lastChunks(finish: FinishReason): string {
    this.#finish = finish
    const last = this.#chunk({}, finish, this.#amodal())
    if (!this.#options.includeUsage || !this.#usage) return last
    const usage = { ...this.#head(CHUNK), choices: [], usage: chatUsage(this.#usage) }
    return `${last}data: ${JSON.stringify(usage)}\n\n`
  }

  #content(content: string): string {
    return content === '' ? '' : this.#chunk({ content })
  }

  #chunk(delta: JsonObject, finish: FinishReason | null = null, more: JsonObject = {}): string {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish }
    const usage = this.#options.includeUsage ? { usage: null } : {}
    return `data: ${JSON.stringify({ ...this.#head(CHUNK), choices: [choice], ...usage, ...more })}\n\n`
  }

  #head(object: string): JsonObject {
    const { place, createdAt, model } = this.#options
    return {
      id: `chatcmpl-${placeOf(place.from)}`,
      object,
      created: Math.floor(createdAt / 1_000),
      model,
    }
  }

  #amodal(): JsonObject {
    return { amodal: { session_id: this.#options.place.session, ...this.#waits } }
  }
}

const CHUNK = 'chat.completion.chunk'
const DONE = 'data: [DONE]\n\n'

const shownCall = ({ callId, name, arguments: args }: HandedCall) => ({
  id: callId,
  type: 'function',
  function: { name, arguments: args },
})

const chatUsage = (usage: WireUsage): JsonObject => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  prompt_tokens_details: { cached_tokens: usage.cached_tokens },
  completion_tokens_details: { reasoning_tokens: 0 },
})
