import type { AgentEvent, AgentEvents, Frame, Json, PendingAsk } from '@amodal/sdk'
import { wireEvent } from '@amodal/sdk/wire'
import {
  PROTOCOL,
  type AgUiEvent,
  type ClientMessage,
  type Message,
  type Outcome,
  type TokenUsage,
} from './event.ts'
import {
  argumentsOf,
  interruptOf,
  jsonOf,
  resultContent,
  resultMessage,
  stepMessage,
  tokenUsage,
} from './shown.ts'
import { ThreadList } from './thread-list.ts'

export interface ProjectionStart {
  readonly threadId: string
  readonly runId: string
  readonly parentRunId?: string
  readonly session: string
  /** What ids of messages begin with: the key of the message that is answered, or the run. */
  readonly key: string
  /** The messages that the client has, or is told now. */
  readonly messages: readonly (Message | ClientMessage)[]
  /**
   * Lists of messages that the client is told, where it has others than the session. A list changes
   * what is known and adds the rest behind, so that one without the newest comes first.
   */
  readonly snapshots: readonly (readonly Message[])[]
}

interface Part {
  readonly kind: 'text' | 'reasoning'
  readonly id: string
}

/**
 * Turns the events of a turn into events of AG-UI, in the order that `verifyEvents` asks for. A
 * step is a reply of the model with the results of its calls.
 */
export class Projection {
  readonly #start: ProjectionStart
  readonly #list: ThreadList
  readonly #subagents = new Map<string, 'open' | 'closed'>()
  #before: readonly Message[]
  /** Of the step that is open. */
  #frames: Frame[] = []
  #step = 0
  #state: 'none' | 'open' | 'answered' = 'none'
  #part: Part | undefined
  /** Messages of the step whose text has ended: a further text is a message of its own. */
  #ended = 0
  #activities = 0
  #error: (Pick<AgentEvents['error'], 'message'> & { readonly code: string }) | undefined
  #hasState = false

  constructor(start: ProjectionStart) {
    this.#start = start
    this.#list = new ThreadList(start.messages)
    this.#before = []
  }

  begin(warnings: readonly AgUiEvent[] = []): readonly AgUiEvent[] {
    const { threadId, runId, parentRunId, snapshots } = this.#start
    return [
      {
        type: 'RUN_STARTED',
        threadId,
        runId,
        protocolVersion: PROTOCOL,
        ...(parentRunId !== undefined && { parentRunId }),
      },
      { type: 'STATE_SNAPSHOT', snapshot: {} },
      ...snapshots.map((messages) => ({ type: 'MESSAGES_SNAPSHOT' as const, messages })),
      ...warnings,
    ]
  }

  frame(frame: Frame): readonly AgUiEvent[] {
    const { event } = frame
    if (event.type === 'reset') return this.#reset(event.after_seq)
    if (event.type === 'done') return this.#done(event)
    const steps = BEGINS.has(event.type) ? this.#inStep() : []
    if (this.#state !== 'none') this.#frames.push(frame)
    return [...steps, ...this.#events(event, frame.at)]
  }

  parked(asks: readonly PendingAsk[]): readonly AgUiEvent[] {
    return this.#finish({ type: 'interrupt', interrupts: asks.map(interruptOf) }, 'suspended', {})
  }

  /** The frames have ended before the turn did: a run is never left without its end. */
  cut(): readonly AgUiEvent[] {
    return this.#fail(
      this.#error ?? {
        code: 'LEASE_LOST',
        message: 'the stream ended before the turn did; send the same run again to go on',
      },
      undefined,
    )
  }

  #events(
    event: Exclude<AgentEvent, { type: 'reset' | 'done' }>,
    at: number,
  ): readonly AgUiEvent[] {
    switch (event.type) {
      case 'text_delta':
        return this.#text(event.content)
      case 'reasoning_delta':
        return this.#reasoning(event.content)
      case 'tool_call_start':
        return this.#called(event)
      case 'tool_call_result':
        return this.#result(event)
      case 'subagent_event':
        return this.#subagent(event, at)
      case 'widget':
        return [this.#widget(event)]
      case 'error':
        this.#error = event
        return []
      case 'init':
      case 'confirmation_required':
      case 'ask_user':
      case 'ask_choice':
        return [] // they are the interrupts of the run's end
      default:
        return this.#other(event, at)
    }
  }

  /** What the protocol has no event for; and the live state, which it has. */
  #other(event: AgentEvent, at: number): readonly AgUiEvent[] {
    const value = jsonOf(wireEvent({ at, event }))
    const { state = {}, patch = [] } = value
    switch (String(event.type)) {
      case 'state_snapshot':
        this.#hasState = true
        return [{ type: 'STATE_SNAPSHOT', snapshot: state }]
      case 'state_delta':
        this.#hasState = true
        return [{ type: 'STATE_DELTA', delta: patch }]
      default:
        return [custom(event.type, value)]
    }
  }

  #text(delta: string): readonly AgUiEvent[] {
    const open = this.#part?.kind === 'text' ? this.#part : undefined
    const id = open?.id ?? this.#messageId()
    this.#list.text(id, delta)
    const content: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta }
    if (open) return [content]
    const closed = this.#closePart()
    this.#part = { kind: 'text', id }
    return [...closed, { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' }, content]
  }

  #reasoning(delta: string): readonly AgUiEvent[] {
    const open = this.#part?.kind === 'reasoning' ? this.#part : undefined
    const closed = open ? [] : this.#closePart()
    const id = open?.id ?? `${this.#messageId()}:reasoning`
    const content: AgUiEvent = { type: 'REASONING_MESSAGE_CONTENT', messageId: id, delta }
    if (open) return [content]
    this.#part = { kind: 'reasoning', id }
    return [
      ...closed,
      { type: 'REASONING_START', messageId: id },
      { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' },
      content,
    ]
  }

  /** The first text and the calls of a step are one message. */
  #messageId(): string {
    const id = stepMessage(this.#start.key, this.#step)
    return this.#ended === 0 ? id : `${id}.${this.#ended}`
  }

  #closePart(): readonly AgUiEvent[] {
    if (!this.#part) return []
    const { kind, id: messageId } = this.#part
    this.#part = undefined
    this.#ended++
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }]
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]
  }

  #called(event: AgentEvents['tool_call_start']): readonly AgUiEvent[] {
    const delta = argumentsOf(event.parameters)
    const toolCallId = event.tool_id
    const parentMessageId = this.#part?.kind === 'text' ? this.#part.id : this.#parent()
    this.#list.call(parentMessageId, {
      id: toolCallId,
      type: 'function',
      function: { name: event.tool_name, arguments: delta },
    })
    const metadata = {
      ...(event.running_label !== undefined && { running_label: event.running_label }),
      ...(event.completed_label !== undefined && { completed_label: event.completed_label }),
      ...(event.internal === true && { internal: true }),
    }
    return [
      ...this.#closePart(),
      {
        type: 'TOOL_CALL_START',
        toolCallId,
        toolCallName: event.tool_name,
        parentMessageId,
        ...(Object.keys(metadata).length > 0 && { metadata }),
      },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta },
      { type: 'TOOL_CALL_END', toolCallId },
    ]
  }

  /** The step's last message of the assistant, which a call joins. */
  #parent(): string {
    const mine = this.#list.own.findLast(({ role }) => role === 'assistant')
    const step = stepMessage(this.#start.key, this.#step)
    return mine && (mine.id === step || mine.id.startsWith(`${step}.`)) ? mine.id : step
  }

  #result(event: AgentEvents['tool_call_result']): readonly AgUiEvent[] {
    const { tool_id: toolCallId, status, result = '', error = '' } = event
    const content = resultContent(status === 'success' ? result : error, event.content)
    const messageId = resultMessage(toolCallId)
    this.#list.result(messageId, toolCallId, content)
    if (this.#state === 'open') this.#state = 'answered'
    return [
      ...this.#closePart(),
      ...this.#closeSubagent(toolCallId, 'success'),
      {
        type: 'TOOL_CALL_RESULT',
        messageId,
        toolCallId,
        role: 'tool',
        content,
        metadata: { status, ...(event.duration_ms !== undefined && { ms: event.duration_ms }) },
      },
    ]
  }

  #widget({ widget_type: activityType, data }: AgentEvents['widget']): AgUiEvent {
    const messageId = `${this.#start.key}:activity:${++this.#activities}`
    return { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content: { data } }
  }

  #subagent(event: AgentEvents['subagent_event'], at: number): readonly AgUiEvent[] {
    const id = event.parent_tool_id
    const value = jsonOf(wireEvent({ at, event: { type: 'subagent_event', ...event } }))
    const known = this.#subagents.get(id)
    if (known === undefined) this.#subagents.set(id, 'open')
    const opened: readonly AgUiEvent[] =
      known === undefined
        ? [
            {
              type: 'SUBAGENT_STARTED',
              subagentRunId: id,
              name: event.agent_name,
              parentToolCallId: id,
            },
          ]
        : []
    const told = { ...custom('subagent_event', value), subagentRunId: id }
    const isOver = event.event_type === 'complete'
    return [...opened, told, ...(isOver ? this.#closeSubagent(id, 'success') : [])]
  }

  #closeSubagent(id: string, type: 'success' | 'suspended'): readonly AgUiEvent[] {
    if (this.#subagents.get(id) !== 'open') return []
    this.#subagents.set(id, 'closed')
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome: { type } }]
  }

  #inStep(): readonly AgUiEvent[] {
    if (this.#state === 'open') return []
    const closed = [...this.#closePart(), ...this.#closeStep()]
    this.#state = 'open'
    this.#step++
    this.#ended = 0
    this.#frames = []
    this.#before = this.#list.own
    return [...closed, { type: 'STEP_STARTED', stepName: stepName(this.#step) }]
  }

  #closeStep(): readonly AgUiEvent[] {
    return this.#state === 'none' ? [] : [{ type: 'STEP_FINISHED', stepName: stepName(this.#step) }]
  }

  /**
   * What came after that entry is void. The protocol takes nothing back; all messages are told
   * again without it.
   */
  #reset(after: number): readonly AgUiEvent[] {
    const stays = this.#frames.filter(
      ({ id }) => id.seq < after || (id.seq === after && id.n === 0),
    )
    if (stays.length === this.#frames.length) return []
    const closed = this.#closePart()
    const [ended, state] = [this.#ended, this.#state]
    this.#list.restore(this.#before)
    this.#ended = 0
    this.#state = 'open'
    for (const { event, at } of stays)
      if (event.type !== 'reset' && event.type !== 'done') this.#events(event, at)
    this.#closePart()
    this.#frames = stays
    // Never an id that was used before.
    this.#ended = Math.max(ended, 1)
    this.#state = stays.length === 0 ? 'open' : state
    return [...closed, { type: 'MESSAGES_SNAPSHOT', messages: this.#list.messages }]
  }

  #done({ reason, usage, cost }: AgentEvents['done']): readonly AgUiEvent[] {
    const tokens = tokenUsage(usage)
    if (this.#error || reason === 'error')
      return this.#fail(this.#error ?? { code: 'INTERNAL', message: 'the turn failed' }, tokens)
    const result = { reason, ...(cost !== undefined && { cost }) }
    const type = reason === 'user_abort' ? 'cancelled' : 'success'
    return this.#finish({ type }, 'success', result, tokens)
  }

  #closed(type: 'success' | 'suspended'): readonly AgUiEvent[] {
    return [
      ...this.#closePart(),
      ...[...this.#subagents.keys()].flatMap((id) => this.#closeSubagent(id, type)),
      ...this.#closeStep(),
      ...(this.#hasState ? [] : [{ type: 'STATE_SNAPSHOT' as const, snapshot: {} }]),
    ]
  }

  #finish(
    outcome: Outcome,
    subagents: 'success' | 'suspended',
    result: Readonly<Record<string, Json>>,
    usage?: readonly TokenUsage[],
  ): readonly AgUiEvent[] {
    const { threadId, runId, session } = this.#start
    return [
      ...this.#closed(subagents),
      {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        outcome,
        result: { session_id: session, ...result },
        ...(usage && { usage }),
      },
    ]
  }

  #fail(
    { code, message }: { readonly code: string; readonly message: string },
    usage: readonly TokenUsage[] | undefined,
  ): readonly AgUiEvent[] {
    return [
      ...this.#closed('success'),
      { type: 'RUN_ERROR', code, message, ...(usage && { usage }) },
    ]
  }
}

/** What belongs to a reply of the model, and so to a step. */
const BEGINS: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'text_delta',
  'reasoning_delta',
  'tool_call_start',
])

const stepName = (step: number): string => `step-${step}`

export const custom = (type: string, value: Json): Extract<AgUiEvent, { type: 'CUSTOM' }> => ({
  type: 'CUSTOM',
  name: `amodal.${type}`,
  value,
})
