import {
  type AgentEvent,
  type DoneReason,
  NANO,
  NO_USAGE,
  type Usage,
  type WireUsage,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/** Characters of a result that are emitted live. */
const SHOWN = 2_000

/** Collects the events of a sub-agent and converts them to events of its parent. */
export class ChildEvents {
  /** The end of its run. */
  done:
    | {
        readonly reason: DoneReason
        readonly usage: Usage
        /** Billionths of a dollar. */ readonly cost?: number
      }
    | undefined
  error: { readonly code: string; readonly message: string } | undefined
  /** It has asked a person; its session tells whether it still waits for the answer. */
  hasAsked = false
  readonly #call: string
  readonly #agent: string
  readonly #tools = new Map<string, string>()
  #text = ''
  #last = ''

  constructor(call: string, agent: string) {
    this.#call = call
    this.#agent = agent
  }

  /** Its last text. */
  get text(): string {
    return this.#text.trim() || this.#last
  }

  /** Processes an event of the sub-agent and returns the events to emit for its parent. */
  accept(event: AgentEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'text_delta':
        this.#text += event.content
        return []
      case 'tool_call_start':
        this.#tools.set(event.tool_id, event.tool_name)
        return [
          ...this.#thought(),
          this.#event({
            event_type: 'tool_call_start',
            tool_name: event.tool_name,
            tool_args: event.parameters,
          }),
        ]
      case 'tool_call_result': {
        const name = this.#tools.get(event.tool_id)
        const result = textOf(event.result)
        return [
          this.#event({
            event_type: 'tool_call_end',
            ...(name === undefined ? {} : { tool_name: name }),
            ...(event.status === 'error'
              ? { error: textStart(event.error ?? result, SHOWN) }
              : { result: textStart(result, SHOWN) }),
          }),
        ]
      }
      case 'subagent_event':
        return [
          {
            ...event,
            parent_tool_id: this.#call,
            agent_name: `${this.#agent}/${event.agent_name}`,
          },
        ]
      case 'confirmation_required':
      case 'ask_user':
      case 'ask_choice':
        this.hasAsked = true
        return this.#thought()
      case 'error':
        this.error = { code: event.code, message: event.message }
        return [this.#event({ event_type: 'error', error: event.message })]
      case 'reset':
        this.#text = ''
        this.error = undefined
        return []
      case 'done':
        // Its run is not over: it waits for a person to decide about it, and its parent with it.
        if (this.error?.code === 'RUN_SET_ASIDE') return []
        this.done = {
          reason: event.reason,
          usage: usageOf(event.usage),
          ...(event.cost === undefined ? {} : { cost: Math.round(event.cost * NANO) }),
        }
        return [this.#event({ event_type: 'complete', text: this.text })]
      default:
        return []
    }
  }

  #thought(): readonly AgentEvent[] {
    const text = this.#text.trim()
    this.#text = ''
    if (text === '') return []
    this.#last = text
    return [this.#event({ event_type: 'thought', text })]
  }

  #event(
    more: Omit<
      Extract<AgentEvent, { type: 'subagent_event' }>,
      'type' | 'parent_tool_id' | 'agent_name'
    >,
  ): AgentEvent {
    return { type: 'subagent_event', parent_tool_id: this.#call, agent_name: this.#agent, ...more }
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function usageOf(usage: WireUsage | undefined): Usage {
  if (!usage) return NO_USAGE
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cached_tokens,
    cacheWrite: usage.cache_creation_tokens ?? 0,
  }
}
