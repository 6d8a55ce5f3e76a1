import type { ClientEvent } from '../types.ts'
import { askOfEvent } from './ask.ts'
import { eventItem } from './event-item.ts'
import type { Ask, Call, Item, Settled } from './item.ts'

/** Code of the error that ends the stream of a session which continues only by a decision. */
export const SET_ASIDE = 'RUN_SET_ASIDE'

/**
 * The items of one turn.
 *
 * @param turn makes keys that no other turn has
 * @param events that count, as a `Transcript` has them
 */
export function turnItems(turn: string, events: readonly ClientEvent[]): readonly Item[] {
  const timeline = new TurnTimeline(turn)
  for (const event of events) timeline.push(event)
  return timeline.items
}

/** Builds the items of a turn, event by event. */
class TurnTimeline {
  readonly items: Item[] = []
  readonly #turn: string
  /** Places of calls, by their ids. */
  readonly #calls = new Map<string, number>()
  readonly #completedLabels = new Map<string, string>()
  /** Calls that approvals are for, by the ids of these. */
  readonly #approvals = new Map<string, string | undefined>()
  #previous: ClientEvent | undefined

  constructor(turn: string) {
    this.#turn = turn
  }

  push(event: ClientEvent): void {
    if (!this.#text(event) && !this.#call(event) && !this.#ask(event) && !this.#end(event)) {
      const item = eventItem(this.#nextKey(), event)
      if (item) this.items.push(item)
    }
    this.#previous = event
  }

  #text(event: ClientEvent): boolean {
    switch (event.type) {
      case 'text_delta':
        this.#settle(() => true, { decision: 'answered' })
        this.#grow('text', event.content)
        return true
      case 'reasoning_delta':
        this.#grow('thought', event.content)
        return true
      default:
        return false
    }
  }

  #call(event: ClientEvent): boolean {
    switch (event.type) {
      case 'tool_call_start':
        this.#begin(event)
        return true
      case 'tool_call_result':
        this.#finish(event)
        return true
      case 'tool_log':
        this.#change(this.#lastCall(event.tool_name), ({ log }) => ({
          log: [...log, event.message],
        }))
        return true
      case 'tool_label_update':
        this.#change(event.tool_id, ({ label }) => ({ label: event.running_label ?? label }))
        return true
      case 'subagent_event':
        this.#change(event.parent_tool_id, ({ log }) => ({ log: [...log, subagentLine(event)] }))
        return true
      default:
        return false
    }
  }

  #ask(event: ClientEvent): boolean {
    switch (event.type) {
      case 'ask_user':
        this.#change(this.#lastCall('ask_user'), waits)
        this.#open({ id: event.ask_id, kind: 'question', questions: event.questions })
        return true
      case 'ask_choice':
        this.#change(this.#lastCall('ask_user'), waits)
        this.#open(choiceOf(event))
        return true
      case 'confirmation_required':
        this.#approvals.set(event.id, event.tool_id)
        this.#change(event.tool_id ?? '', waits)
        this.#open(askOfEvent(event))
        return true
      case 'approved':
        this.#settle(({ id }) => id === event.preview_id, {
          decision: 'approved',
          at: event.timestamp,
        })
        this.#change(this.#approvals.get(event.preview_id) ?? '', () => ({ status: 'running' }))
        return true
      default:
        return false
    }
  }

  #end(event: ClientEvent): boolean {
    if (event.type === 'error' && event.code === SET_ASIDE) {
      // what there is to decide is not part of the turn
      this.#changeAll(({ status }) => ({ status: status === 'running' ? 'stopped' : status }))
      return true
    }
    if (event.type !== 'done') return false
    const { reason, usage, cost, timestamp: at, frame } = event
    // The run of a session that is set aside has not ended.
    if (this.#previous?.type === 'error' && this.#previous.code === SET_ASIDE) return true
    this.#settle(() => true, { decision: reason === 'user_abort' ? 'stopped' : 'answered', at })
    this.#changeAll(({ status }) => ({
      status: status === 'running' || status === 'waiting' ? 'stopped' : status,
    }))
    this.items.push({ kind: 'end', key: `${this.#turn}-end`, seq: frame.seq, reason, usage, cost })
    return true
  }

  #begin(event: EventOf<'tool_call_start'>): void {
    const { tool_id: id, tool_name: name, parameters: params } = event
    if (event.completed_label !== undefined) this.#completedLabels.set(id, event.completed_label)
    if (this.#calls.has(id)) return // a call that continues after a person was asked about it
    this.#calls.set(id, this.items.length)
    this.items.push({
      kind: 'call',
      key: id,
      name,
      label: event.running_label ?? name,
      params,
      status: 'running',
      result: undefined,
      content: [],
      ms: undefined,
      log: [],
    })
  }

  #finish(event: EventOf<'tool_call_result'>): void {
    const { tool_id: id, status, content = [], duration_ms: ms } = event
    let isQuestion = false
    this.#change(id, ({ name }) => {
      isQuestion = name === 'ask_user'
      const label = this.#completedLabels.get(id) ?? name
      return { status, result: event.result ?? event.error, content, ms, label }
    })
    this.#settle(
      (ask) => ask.kind === 'approval' && this.#approvals.get(ask.id) === id,
      outcomeOf(event),
    )
    if (isQuestion) this.#settle((ask) => ask.kind === 'question', answerOf(event))
  }

  #change(id: string, by: (call: Call) => Partial<Call>): void {
    const at = this.#calls.get(id)
    const call = at === undefined ? undefined : this.items[at]
    if (at !== undefined && call?.kind === 'call') this.items[at] = { ...call, ...by(call) }
  }

  #changeAll(by: (call: Call) => Partial<Call>): void {
    for (const id of this.#calls.keys()) this.#change(id, by)
  }

  #open(ask: Ask): void {
    this.items.push({ kind: 'ask', key: ask.id, ask, open: true })
  }

  #settle(matches: (ask: Ask) => boolean, settled: Settled): void {
    for (const [at, item] of this.items.entries())
      if (item.kind === 'ask' && item.open && matches(item.ask))
        this.items[at] = { ...item, open: false, settled }
  }

  #grow(kind: 'text' | 'thought', text: string): void {
    const last = this.items.at(-1)
    if (last?.kind === kind) this.items[this.items.length - 1] = { ...last, text: last.text + text }
    else this.items.push({ kind, key: this.#nextKey(), text })
  }

  #lastCall(name: string): string {
    return this.items.findLast((item) => item.kind === 'call' && item.name === name)?.key ?? ''
  }

  #nextKey(): string {
    return `${this.#turn}-${this.items.length}`
  }
}

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { readonly type: T }>

const waits = ({ status }: Call): Partial<Call> => ({
  status: status === 'running' ? 'waiting' : status,
})

const choiceOf = ({ ask_id: id, question, options, multi }: EventOf<'ask_choice'>): Ask => ({
  id,
  kind: 'question',
  questions: [{ id: 'q1', text: question, type: multi === true ? 'multi' : 'choice', options }],
})

const subagentLine = (event: EventOf<'subagent_event'>): string =>
  [event.agent_name, event.tool_name, event.text ?? event.error ?? ''].filter(Boolean).join(' · ')

/** The server's words for a question whose time was over, and for a call that was declined. */
const EXPIRED = 'Nobody answered in time.'
const DECLINED = /^The person declined this call(?: and said: (?<feedback>.*)|\.)$/s

/** The decision about an approval of which nothing is known but the outcome of its call. */
function outcomeOf({ status, error = '', timestamp: at }: EventOf<'tool_call_result'>): Settled {
  if (status === 'success') return { decision: 'approved', at }
  if (error === EXPIRED) return { decision: 'expired', at }
  const declined = DECLINED.exec(error)
  if (!declined) return { decision: 'stopped', at }
  const feedback = declined.groups?.['feedback']
  return { decision: 'declined', at, ...(feedback !== undefined && { feedback }) }
}

const answerOf = ({ status, result, timestamp: at }: EventOf<'tool_call_result'>): Settled =>
  status === 'success'
    ? { decision: 'answered', at, ...(result !== undefined && { answer: result }) }
    : { decision: 'expired', at }
