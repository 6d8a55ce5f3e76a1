import {
  redact,
  type AgentEvent,
  type AgentEvents,
  type DoneReason,
  type Frame,
  type FrameId,
  type Json,
  type PendingAsk,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { wireEvent } from '@amodal/sdk/wire'
import type { Chunk, ReplyMetadata } from './chunk.ts'
import { descriptorOf, outputOf, picturesOf, shownAsk } from './shown.ts'

export interface ProjectionStart {
  readonly session: string
  readonly messageId: string
  /**
   * Goes on with a message that the client has: its calls, and the approvals it was asked for, by
   * their calls.
   */
  readonly continues?: {
    readonly calls: readonly string[]
    readonly approvals: ReadonlyMap<string, string>
  }
}

interface Call {
  readonly toolName: string
  readonly input: Json
}
/** What a frame came to, for a `reset` that takes some of them back. */
interface Kept {
  readonly id: FrameId
  readonly chunks: readonly Chunk[]
}

/**
 * Turns the events of a turn into chunks of a UI message. A step is a reply of the model with the
 * results of its calls: what comes after a result begins the next one.
 */
export class Projection {
  readonly #start: ProjectionStart
  readonly #calls = new Map<string, Call | undefined>()
  /** Approvals that were shown and are not decided, by their calls. */
  readonly #open = new Map<string, string>()
  #step: 'none' | 'open' | 'answered'
  /** The step is one that the client had before. */
  #isForeign: boolean
  #part: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  #parts = 0
  #kept: Kept[] = []
  #error: AgentEvents['error'] | undefined

  constructor(start: ProjectionStart) {
    this.#start = start
    this.#isForeign = start.continues !== undefined
    this.#step = this.#isForeign ? 'open' : 'none'
    for (const call of start.continues?.calls ?? []) this.#calls.set(call, undefined)
    for (const [call, ask] of start.continues?.approvals ?? []) this.#open.set(call, ask)
  }

  begin(): readonly Chunk[] {
    const { session, messageId } = this.#start
    return [{ type: 'start', messageId, messageMetadata: { session_id: session } }]
  }

  frame({ id, at, event }: Frame): readonly Chunk[] {
    if (event.type === 'reset') return this.#reset(event.after_seq)
    if (event.type === 'done') return this.#done(event)
    const steps = BEGINS.has(event.type) ? this.#inStep() : []
    const chunks = this.#chunks(event, at)
    if (chunks.length > 0) this.#kept.push({ id, chunks })
    return steps.length > 0 ? [...steps, ...chunks] : chunks
  }

  /** The run waits for a person: whatever was not shown yet is shown now. */
  parked(asks: readonly PendingAsk[]): readonly Chunk[] {
    const shown = asks.flatMap((ask) => this.#ask(ask))
    const pending = asks.map(({ id }) => String(id))
    return [...this.#endPart(), ...shown, ...this.#finish('tool-calls', { pending })]
  }

  /** The frames have ended before the turn did. */
  cut(): readonly Chunk[] {
    const error = this.#error ?? {
      code: 'LEASE_LOST',
      message: 'the stream ended before the turn did; resume it',
    }
    return [...this.#endPart(), ...this.#failed(error), ...this.#finish('error', {})]
  }

  #chunks(event: Exclude<AgentEvent, { type: 'reset' | 'done' }>, at: number): readonly Chunk[] {
    switch (event.type) {
      case 'text_delta':
        return this.#delta('text', event.content)
      case 'reasoning_delta':
        return this.#delta('reasoning', event.content)
      case 'tool_call_start':
        return this.#called(event)
      case 'tool_call_result':
        return this.#result(event)
      case 'confirmation_required':
        return this.#approval(event)
      case 'approved':
        return this.#approved(event.preview_id)
      case 'error':
        this.#error = event
        return []
      case 'init':
      case 'ask_user':
      case 'ask_choice':
        return [] // a question is shown once the run waits
      case 'widget':
        return [{ type: 'data-widget', data: { widget_type: event.widget_type, data: event.data } }]
      case 'warning':
        return [{ type: 'data-warning', data: { ...event } }]
      default:
        return [this.#other(event, at)]
    }
  }

  /** What the protocol has no chunk for. */
  #other(event: AgentEvent, at: number): Chunk {
    // Made of JSON: the types of events have no index.
    const data = parseExact(JSON.stringify(wireEvent({ at, event }))) as Json
    switch (String(event.type)) {
      case 'subagent_event':
        return {
          type: 'data-subagent',
          data,
          ...('parent_tool_id' in event && { id: event.parent_tool_id }),
        }
      case 'state_snapshot':
        return { type: 'data-state', id: 'state', data }
      case 'state_delta':
        return { type: 'data-state-delta', data, transient: true }
      case 'tool_log':
        return { type: 'data-tool-log', data, transient: true }
      case 'tool_label_update':
        return { type: 'data-tool-label', data, transient: true }
      default:
        return { type: 'data-event', data, transient: true }
    }
  }

  #delta(kind: 'text' | 'reasoning', delta: string): readonly Chunk[] {
    if (this.#part?.kind === kind) return [{ type: `${kind}-delta`, id: this.#part.id, delta }]
    const ended = this.#endPart()
    const id = `${kind}-${++this.#parts}`
    this.#part = { kind, id }
    return [...ended, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }

  #endPart(): readonly Chunk[] {
    if (!this.#part) return []
    const { kind, id } = this.#part
    this.#part = undefined
    return [{ type: `${kind}-end`, id }]
  }

  #called(event: AgentEvents['tool_call_start']): readonly Chunk[] {
    const input = redact(event.parameters)
    this.#calls.set(event.tool_id, { toolName: event.tool_name, input })
    const toolMetadata = {
      ...(event.running_label !== undefined && { running_label: event.running_label }),
      ...(event.completed_label !== undefined && { completed_label: event.completed_label }),
      ...(event.internal === true && { internal: true }),
    }
    const call = {
      toolCallId: event.tool_id,
      toolName: event.tool_name,
      providerExecuted: true,
      ...(Object.keys(toolMetadata).length > 0 && { toolMetadata }),
    }
    return [
      ...this.#endPart(),
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input },
    ]
  }

  #result(event: AgentEvents['tool_call_result']): readonly Chunk[] {
    const { tool_id: toolCallId, status, result = '', error = '' } = event
    const files = picturesOf(event.content).map((one): Chunk => ({ type: 'file', ...one }))
    if (this.#step === 'open') this.#step = 'answered'
    // A client that does not have the call would break off.
    if (!this.#calls.has(toolCallId)) return [...this.#endPart(), ...files]
    const approvalId = this.#open.get(toolCallId)
    this.#open.delete(toolCallId)
    if (status === 'success')
      return [
        ...this.#endPart(),
        {
          type: 'tool-output-available',
          toolCallId,
          output: outputOf(result),
          providerExecuted: true,
        },
        ...files,
      ]
    const denied: readonly Chunk[] =
      approvalId === undefined
        ? [{ type: 'tool-output-error', toolCallId, errorText: error, providerExecuted: true }]
        : [
            { type: 'tool-approval-response', approvalId, approved: false },
            { type: 'tool-output-denied', toolCallId },
          ]
    return [...this.#endPart(), ...denied, ...files]
  }

  #approval(event: AgentEvents['confirmation_required']): readonly Chunk[] {
    const call = event.tool_id
    if (event.pending_input_type !== 'approval' || call === undefined || !this.#calls.has(call))
      return []
    this.#open.set(call, event.id)
    return [
      ...this.#endPart(),
      {
        type: 'tool-approval-request',
        toolCallId: call,
        approvalId: event.id,
        approvalDescriptor: descriptorOf(event),
        ...(event.reason !== '' && { reason: event.reason }),
      },
    ]
  }

  #approved(ask: string): readonly Chunk[] {
    const [call] = [...this.#open].find(([, approval]) => approval === ask) ?? []
    if (call === undefined) return []
    this.#open.delete(call)
    return [{ type: 'tool-approval-response', approvalId: ask, approved: true }]
  }

  /** A question as data; one of a call is the client's to answer with the output of that call. */
  #ask(ask: PendingAsk): readonly Chunk[] {
    if (ask.type === 'approval' && ask.call && this.#open.get(ask.call) === ask.id) return []
    const call = ask.call ? this.#calls.get(ask.call) : undefined
    const isTheirs = ask.type === 'question' && !ask.child
    return [
      ...(ask.call && call && isTheirs
        ? [
            {
              type: 'tool-input-available' as const,
              toolCallId: ask.call,
              providerExecuted: false,
              ...call,
            },
          ]
        : []),
      { type: 'data-question', id: ask.id, data: shownAsk(ask) },
    ]
  }

  #inStep(): readonly Chunk[] {
    if (this.#step === 'open') return []
    const ended = this.#step === 'answered' ? ([{ type: 'finish-step' }] as const) : []
    this.#step = 'open'
    this.#isForeign = false
    this.#kept = []
    return [...this.#endPart(), ...ended, { type: 'start-step' }]
  }

  /**
   * What came after that entry is void. All of the step is taken back, and what stays of it is sent
   * again. Of a step that the client had before, nothing is: it holds what is not known here.
   */
  #reset(after: number): readonly Chunk[] {
    const stays = this.#kept.filter(({ id }) => id.seq < after || (id.seq === after && id.n === 0))
    if (stays.length === this.#kept.length || this.#isForeign) return []
    this.#kept = stays
    const chunks = stays.flatMap((kept) => kept.chunks)
    this.#part = undefined
    for (const chunk of chunks) {
      if (chunk.type === 'text-start') this.#part = { kind: 'text', id: chunk.id }
      if (chunk.type === 'reasoning-start') this.#part = { kind: 'reasoning', id: chunk.id }
      if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') this.#part = undefined
    }
    return [{ type: 'reset-step' }, ...chunks]
  }

  #done({ reason, usage, cost }: AgentEvents['done']): readonly Chunk[] {
    const metadata: ReplyMetadata = {
      reason,
      ...(usage && { usage: { ...usage } }),
      ...(cost !== undefined && { cost }),
    }
    const failed = reason === 'error' || this.#error !== undefined
    const error = this.#error ?? { code: 'INTERNAL', message: 'the turn failed' }
    return [
      ...this.#endPart(),
      ...(reason === 'user_abort' ? [{ type: 'abort' as const, reason }] : []),
      ...(failed ? this.#failed(error, metadata) : []),
      ...this.#finish(failed ? 'error' : FINISH[reason], metadata),
    ]
  }

  /** The client stops reading at an error: what it is to know stands before. */
  #failed(
    { code, message }: Pick<AgentEvents['error'], 'message'> & { readonly code: string },
    metadata: ReplyMetadata = {},
  ): readonly Chunk[] {
    return [
      { type: 'message-metadata', messageMetadata: { ...metadata, error: { code, message } } },
      { type: 'error', errorText: `${code}: ${message}` },
    ]
  }

  #finish(
    finishReason: Extract<Chunk, { type: 'finish' }>['finishReason'],
    metadata: ReplyMetadata,
  ): readonly Chunk[] {
    const steps = this.#step === 'none' ? [] : ([{ type: 'finish-step' }] as const)
    const messageMetadata = { session_id: this.#start.session, ...metadata }
    return [...steps, { type: 'finish', finishReason, messageMetadata }]
  }
}

/** What belongs to a reply of the model, and so to a step. */
const BEGINS: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'text_delta',
  'reasoning_delta',
  'tool_call_start',
])

const FINISH: Readonly<Record<DoneReason, 'stop' | 'error' | 'interrupted' | 'other'>> = {
  model_stop: 'stop',
  user_abort: 'interrupted',
  error: 'error',
  max_turns: 'other',
  budget_exceeded: 'other',
  loop_detected: 'other',
}
