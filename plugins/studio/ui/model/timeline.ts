import type { AskedQuestion, Json, ToolContent, WireEvent, WireUsage } from '@amodal/sdk'
import type { ClientEvent, SessionMessage } from '@amodal/sdk/client'

/** What a person decides: whether a call may run, whether a run may go on, or what the answer to a question is. */
export type Ask =
  | { readonly id: string; readonly kind: 'approval'; readonly tool: string; readonly target: string; readonly reason: string; readonly params: Json; readonly escalated: boolean; readonly expires: string | undefined }
  | { readonly id: string; readonly kind: 'limit'; readonly reason: string; readonly limit: string; readonly used: string }
  | { readonly id: string; readonly kind: 'question'; readonly questions: readonly AskedQuestion[] }

export interface Call {
  readonly kind: 'call'
  readonly key: string
  readonly name: string
  readonly label: string
  readonly params: Json
  readonly status: 'running' | 'waiting' | 'success' | 'error' | 'stopped'
  readonly result: string | undefined
  readonly content: readonly ToolContent[]
  readonly ms: number | undefined
  /** What it has told of its progress, and what its sub-agent did. */
  readonly log: readonly string[]
}

/** One thing that a conversation shows, in the order in which it happened. */
export type Item =
  | { readonly kind: 'user'; readonly key: string; readonly text: string }
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'thought'; readonly key: string; readonly text: string }
  | Call
  | { readonly kind: 'widget'; readonly key: string; readonly type: string; readonly data: Json }
  | { readonly kind: 'ask'; readonly key: string; readonly ask: Ask; readonly open: boolean }
  | { readonly kind: 'note'; readonly key: string; readonly tone: 'info' | 'warning' | 'error'; readonly text: string }
  | { readonly kind: 'end'; readonly key: string; readonly reason: string; readonly usage: WireUsage | undefined; readonly cost: number | undefined }

/** What a session holds, as the server tells it to those who come later. */
export function historyItems(messages: readonly SessionMessage[]): readonly Item[] {
  return messages.flatMap(({ role, text, seq, toolCalls = [], end }): readonly Item[] => {
    const ended = end ? endItems(`m${seq}`, end) : []
    if (role === 'user') return [{ kind: 'user', key: `m${seq}`, text }, ...ended]
    return [
      ...(text === '' ? [] : [{ kind: 'text' as const, key: `m${seq}`, text }]),
      ...toolCalls.flatMap((call): readonly Item[] => [
        {
          kind: 'call', key: call.toolId, name: call.toolName, label: call.toolName, params: call.parameters,
          status: call.status === 'success' ? 'success' : call.status === undefined ? 'stopped' : 'error',
          result: call.result === undefined ? undefined : plain(call.result), content: [], ms: call.duration_ms, log: [],
        },
        ...(call.events ?? []).flatMap((event, at) => factOf(`${call.toolId}-${at}`, event) ?? []),
      ]),
      ...ended,
    ]
  })
}

function endItems(key: string, { reason, usage, cost, error }: NonNullable<SessionMessage['end']>): readonly Item[] {
  return [
    ...(error ? [{ kind: 'note' as const, key: `${key}-error`, tone: 'error' as const, text: error.message }] : []),
    { kind: 'end', key: `${key}-end`, reason, usage, cost },
  ]
}

/** What the events of one turn come to. @param turn makes keys that no other turn has */
export function turnItems(turn: string, events: readonly ClientEvent[]): readonly Item[] {
  const items: Item[] = []
  const calls = new Map<string, number>()
  const change = (id: string, by: (call: Call) => Partial<Call>): void => {
    const at = calls.get(id)
    const call = at === undefined ? undefined : items[at]
    if (at !== undefined && call?.kind === 'call') items[at] = { ...call, ...by(call) }
  }
  const settle = (matches: (ask: Ask) => boolean): void => {
    for (const [at, item] of items.entries()) if (item.kind === 'ask' && item.open && matches(item.ask)) items[at] = { ...item, open: false }
  }
  const grow = (kind: 'text' | 'thought', text: string): void => {
    const last = items.at(-1)
    if (last?.kind === kind) items[items.length - 1] = { ...last, text: last.text + text }
    else items.push({ kind, key: `${turn}-${items.length}`, text })
  }
  const waits = ({ status }: Call): Partial<Call> => ({ status: status === 'running' ? 'waiting' : status })
  const asked = (ask: Ask): void => { items.push({ kind: 'ask', key: ask.id, ask, open: true }) }

  for (const event of events) {
    switch (event.type) {
      case 'text_delta': settle(() => true); grow('text', event.content); break
      case 'reasoning_delta': grow('thought', event.content); break
      case 'tool_call_start':
        if (calls.has(event.tool_id)) break // a call that goes on after it was asked about
        calls.set(event.tool_id, items.length)
        items.push({
          kind: 'call', key: event.tool_id, name: event.tool_name, label: event.running_label ?? event.tool_name, params: event.parameters,
          status: 'running', result: undefined, content: [], ms: undefined, log: [],
        })
        break
      case 'tool_call_result':
        change(event.tool_id, ({ name }) => ({
          status: event.status, result: event.result ?? event.error, content: event.content ?? [], ms: event.duration_ms, label: completed(events, event.tool_id) ?? name,
        }))
        settle((ask) => ask.kind === 'approval' && callOf(events, ask.id) === event.tool_id)
        break
      case 'tool_log': change(lastNamed(items, event.tool_name), ({ log }) => ({ log: [...log, event.message] })); break
      case 'tool_label_update': change(event.tool_id, ({ label }) => ({ label: event.running_label ?? label })); break
      case 'subagent_event': change(event.parent_tool_id, ({ log }) => ({ log: [...log, [event.agent_name, event.tool_name, event.text ?? event.error ?? ''].filter(Boolean).join(' · ')] })); break
      case 'ask_user': change(lastNamed(items, 'ask_user'), waits); asked({ id: event.ask_id, kind: 'question', questions: event.questions }); break
      case 'ask_choice': asked({ id: event.ask_id, kind: 'question', questions: [{ id: 'q1', text: event.question, type: event.multi === true ? 'multi' : 'choice', options: event.options }] }); break
      case 'confirmation_required': change(event.tool_id ?? '', waits); asked(confirmation(event)); break
      case 'approved': settle(({ id }) => id === event.preview_id); change(callOf(events, event.preview_id) ?? '', () => ({ status: 'running' })); break
      case 'done':
        settle(() => true)
        for (const id of calls.keys()) change(id, ({ status }) => ({ status: status === 'running' || status === 'waiting' ? 'stopped' : status }))
        items.push({ kind: 'end', key: `${turn}-end`, reason: event.reason, usage: event.usage, cost: event.cost })
        break
      default: {
        const fact = factOf(`${turn}-${items.length}`, event)
        if (fact) items.push(fact)
      }
    }
  }
  return items
}

/** What stands for itself, whatever came before. */
function factOf(key: string, event: WireEvent): Item | undefined {
  const note = (tone: 'info' | 'warning' | 'error', text: string): Item => ({ kind: 'note', key, tone, text })
  switch (event.type) {
    case 'widget': return { kind: 'widget', key, type: event.widget_type, data: event.data }
    case 'skill_activated': return note('info', `Skill: ${event.skill_name}`)
    case 'kb_proposal': return note('info', `Proposed for the knowledge base: ${event.title} (${event.status})`)
    case 'credential_saved': return note('info', `Credential saved: ${event.connection_name}`)
    case 'plan_mode': return note('info', `Plan mode: ${event.action}`)
    case 'compaction_end': return note('info', `Earlier messages were summarised: ${event.tokens_before.toLocaleString()} → ${event.tokens_after.toLocaleString()} tokens`)
    case 'field_scrub': return note('info', `${event.stripped_count} fields of ${event.connection} were withheld`)
    case 'warning': return note('warning', event.message)
    case 'error': return note('error', event.message)
    default: return undefined
  }
}

function confirmation(event: Extract<ClientEvent, { readonly type: 'confirmation_required' }>): Ask {
  const { id, pending_input_context: context } = event
  if (event.pending_input_type === 'continue_or_finish') return { id, kind: 'limit', reason: plain(context['reason'] ?? event.reason), limit: plain(context['limit'] ?? ''), used: plain(context['used'] ?? '') }
  const target = [event.connection_name, event.method === 'CALL' ? '' : event.method, event.endpoint].filter(Boolean).join(' ')
  return { id, kind: 'approval', tool: event.tool_name ?? event.endpoint, target, reason: event.reason, params: event.params, escalated: event.escalated, expires: event.expires_at }
}

const callOf = (events: readonly ClientEvent[], ask: string): string | undefined =>
  events.flatMap((event) => (event.type === 'confirmation_required' && event.id === ask ? [event.tool_id] : []))[0]

const completed = (events: readonly ClientEvent[], id: string): string | undefined =>
  events.flatMap((event) => (event.type === 'tool_call_start' && event.tool_id === id ? [event.completed_label] : []))[0]

const lastNamed = (items: readonly Item[], name: string): string => items.findLast((item) => item.kind === 'call' && item.name === name)?.key ?? ''

/** A value as people read it: text as it is, everything else as JSON. */
export const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
