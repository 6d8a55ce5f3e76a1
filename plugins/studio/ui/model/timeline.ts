import type {
  AskedQuestion,
  Json,
  JsonObject,
  ToolContent,
  WireEvent,
  WireUsage,
} from '@amodal/sdk'
import type {
  ClientEvent,
  PastApproval,
  PastCall,
  SessionDetails,
  SessionMessage,
  SettledOutcome,
  UnknownOutcome,
} from '@amodal/sdk/client'

/**
 * What a person decides: whether a call may run, whether a run may go on, or what the answer to a
 * question is.
 */
export type Ask =
  | {
      readonly id: string
      readonly kind: 'approval'
      readonly tool: string
      readonly target: string
      readonly reason: string
      readonly params: Json
      /** What else belongs to it, such as the calls that it covers. */ readonly details: JsonObject
      readonly escalated: boolean
      /** The endpoint or tool that an approval can be given for until the conversation ends. */
      readonly grant: string | undefined
      readonly expires: string | undefined
    }
  | {
      readonly id: string
      readonly kind: 'limit'
      readonly reason: string
      readonly limit: string
      readonly used: string
    }
  | { readonly id: string; readonly kind: 'question'; readonly questions: readonly AskedQuestion[] }

/** What came of something that was asked. */
export interface Settled {
  readonly decision: 'approved' | 'declined' | 'expired' | 'answered' | 'stopped'
  /** Whose decision; left out where it is not known. */
  readonly by?: string
  /** ISO 8601. */
  readonly at?: string
  readonly feedback?: string
  /** It covers later calls of the same tool and endpoint. */
  readonly scope?: 'conversation'
  /** To a question. */
  readonly answer?: string
}

export interface Call {
  readonly kind: 'call'
  readonly key: string
  readonly name: string
  readonly label: string
  readonly params: Json
  readonly status: 'running' | 'waiting' | 'success' | 'error' | 'unknown' | 'stopped'
  readonly result: string | undefined
  readonly content: readonly ToolContent[]
  readonly ms: number | undefined
  /** Its progress messages, and what its sub-agent did. */
  readonly log: readonly string[]
}

/** A file that went with a message. */
export type SessionFile = NonNullable<SessionMessage['assets']>[number]

/** One thing that a conversation shows, in the order in which it happened. */
export type Item =
  | {
      readonly kind: 'user'
      readonly key: string
      readonly text: string
      /** Files that went with it. */
      readonly assets?: readonly SessionFile[]
      /** The server does not have it yet. */ readonly unsent?: boolean
    }
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'thought'; readonly key: string; readonly text: string }
  | Call
  | { readonly kind: 'widget'; readonly key: string; readonly type: string; readonly data: Json }
  | {
      readonly kind: 'ask'
      readonly key: string
      readonly ask: Ask
      readonly open: boolean
      readonly settled?: Settled | undefined
    }
  | {
      readonly kind: 'doubt'
      readonly key: string
      readonly tool: string
      readonly params: Json
      /** While it is not settled. */ readonly open: UnknownOutcome | undefined
      readonly settled: SettledOutcome | undefined
    }
  | {
      readonly kind: 'note'
      readonly key: string
      readonly tone: 'info' | 'warning' | 'error'
      readonly text: string
    }
  | {
      readonly kind: 'end'
      readonly key: string
      /** The last entry of the turn that is known. */ readonly seq: number
      readonly reason: string
      readonly usage: WireUsage | undefined
      readonly cost: number | undefined
    }

/** The items of a stored session. */
export function historyItems(
  messages: readonly SessionMessage[],
  {
    approvals = [],
    unknown_calls: unknown = [],
  }: Partial<Pick<SessionDetails, 'approvals' | 'unknown_calls'>> = {},
): readonly Item[] {
  const asked = new Map(approvals.map((approval) => [approval.ask_id, approval.asked]))
  return messages.flatMap(({ role, text, seq, assets, toolCalls = [], end }): readonly Item[] => {
    const ended = end ? endItems(seq, end) : []
    if (role === 'user')
      return [{ kind: 'user', key: `m${seq}`, text, ...(assets && { assets }) }, ...ended]
    return [
      ...(text === '' ? [] : [{ kind: 'text' as const, key: `m${seq}`, text }]),
      ...toolCalls.flatMap((call): readonly Item[] => [
        {
          kind: 'call',
          key: call.toolId,
          name: call.toolName,
          label: call.label ?? call.toolName,
          params: call.parameters,
          status: statusOf(call),
          result: call.result === undefined ? undefined : plain(call.result),
          content: call.content ?? [],
          ms: call.duration_ms,
          log: [],
        },
        ...(call.approval
          ? [
              decided(call.approval, {
                tool: call.toolName,
                params: call.parameters,
                asked: asked.get(call.approval.ask_id) ?? {},
              }),
            ]
          : []),
        ...(call.status === 'unknown'
          ? [
              {
                kind: 'doubt' as const,
                key: `${call.toolId}-doubt`,
                tool: call.toolName,
                params: call.parameters,
                open: unknown.find(({ call_id: id }) => id === call.toolId),
                settled: call.settled,
              },
            ]
          : []),
        ...(call.events ?? []).flatMap((event, at) => factOf(`${call.toolId}-${at}`, event) ?? []),
      ]),
      ...ended,
    ]
  })
}

function statusOf({ status, settled }: PastCall): Call['status'] {
  if (settled)
    return settled.outcome === 'not_happened' || settled.status === 'error' ? 'error' : 'success'
  if (status === undefined) return 'stopped'
  return status === 'success' || status === 'unknown' ? status : 'error'
}

interface AskedCall {
  readonly tool: string
  readonly params: Json
  /** What the person was shown. */ readonly asked: JsonObject
}

/** An approval of the past, as its card shows it. */
function decided(
  { ask_id: id, ...settled }: PastApproval,
  { tool, params, asked }: AskedCall,
): Item {
  const target = targetOf(asked['connection_name'], asked['method'], asked['endpoint'])
  const ask: Ask = {
    id,
    kind: 'approval',
    tool,
    target,
    reason: plain(asked['reason'] ?? ''),
    params: asked['params'] ?? params,
    details: detailsOf(asked),
    escalated: asked['escalated'] === true,
    grant: undefined,
    expires: undefined,
  }
  return { kind: 'ask', key: id, ask, open: false, settled }
}

/** What people decided about calls, by the id of what they were asked. */
export const approvalsIn = (
  messages: readonly SessionMessage[],
): ReadonlyMap<string, PastApproval> =>
  new Map(
    messages
      .flatMap(({ toolCalls = [] }) => toolCalls)
      .flatMap(({ approval }) => (approval ? [[approval.ask_id, approval] as const] : [])),
  )

function endItems(
  seq: number,
  { reason, usage, cost, error }: NonNullable<SessionMessage['end']>,
): readonly Item[] {
  return [
    ...(error
      ? [
          {
            kind: 'note' as const,
            key: `m${seq}-error`,
            tone: 'error' as const,
            text: error.message,
          },
        ]
      : []),
    { kind: 'end', key: `m${seq}-end`, seq, reason, usage, cost },
  ]
}

/** Code of the error that the stream of a session ends with that goes on when somebody says so. */
export const SET_ASIDE = 'RUN_SET_ASIDE'

function isSetAside(events: readonly ClientEvent[]): boolean {
  const before = events.at(-2)
  return before?.type === 'error' && before.code === SET_ASIDE
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
  const settle = (matches: (ask: Ask) => boolean, settled: Settled): void => {
    for (const [at, item] of items.entries())
      if (item.kind === 'ask' && item.open && matches(item.ask))
        items[at] = { ...item, open: false, settled }
  }
  const grow = (kind: 'text' | 'thought', text: string): void => {
    const last = items.at(-1)
    if (last?.kind === kind) items[items.length - 1] = { ...last, text: last.text + text }
    else items.push({ kind, key: `${turn}-${items.length}`, text })
  }
  const waits = ({ status }: Call): Partial<Call> => ({
    status: status === 'running' ? 'waiting' : status,
  })
  const asked = (ask: Ask): void => {
    items.push({ kind: 'ask', key: ask.id, ask, open: true })
  }

  for (const event of events) {
    switch (event.type) {
      case 'text_delta':
        settle(() => true, { decision: 'answered' })
        grow('text', event.content)
        break
      case 'reasoning_delta':
        grow('thought', event.content)
        break
      case 'tool_call_start':
        if (calls.has(event.tool_id)) break // a call that goes on after it was asked about
        calls.set(event.tool_id, items.length)
        items.push({
          kind: 'call',
          key: event.tool_id,
          name: event.tool_name,
          label: event.running_label ?? event.tool_name,
          params: event.parameters,
          status: 'running',
          result: undefined,
          content: [],
          ms: undefined,
          log: [],
        })
        break
      case 'tool_call_result':
        change(event.tool_id, ({ name }) => ({
          status: event.status,
          result: event.result ?? event.error,
          content: event.content ?? [],
          ms: event.duration_ms,
          label: completed(events, event.tool_id) ?? name,
        }))
        settle(
          (ask) => ask.kind === 'approval' && callOf(events, ask.id) === event.tool_id,
          outcomeOf(event),
        )
        if (nameOf(items, event.tool_id) === 'ask_user')
          settle((ask) => ask.kind === 'question', answerOf(event))
        break
      case 'tool_log':
        change(lastNamed(items, event.tool_name), ({ log }) => ({ log: [...log, event.message] }))
        break
      case 'tool_label_update':
        change(event.tool_id, ({ label }) => ({ label: event.running_label ?? label }))
        break
      case 'subagent_event':
        change(event.parent_tool_id, ({ log }) => ({
          log: [
            ...log,
            [event.agent_name, event.tool_name, event.text ?? event.error ?? '']
              .filter(Boolean)
              .join(' · '),
          ],
        }))
        break
      case 'ask_user':
        change(lastNamed(items, 'ask_user'), waits)
        asked({ id: event.ask_id, kind: 'question', questions: event.questions })
        break
      case 'ask_choice':
        change(lastNamed(items, 'ask_user'), waits)
        asked({
          id: event.ask_id,
          kind: 'question',
          questions: [
            {
              id: 'q1',
              text: event.question,
              type: event.multi === true ? 'multi' : 'choice',
              options: event.options,
            },
          ],
        })
        break
      case 'confirmation_required':
        change(event.tool_id ?? '', waits)
        asked(confirmation(event))
        break
      case 'approved':
        settle(({ id }) => id === event.preview_id, { decision: 'approved', at: event.timestamp })
        change(callOf(events, event.preview_id) ?? '', () => ({ status: 'running' }))
        break
      case 'error':
        // Its card says the rest.
        if (event.code === SET_ASIDE)
          for (const id of calls.keys())
            change(id, ({ status }) => ({ status: status === 'running' ? 'stopped' : status }))
        else
          items.push({
            kind: 'note',
            key: `${turn}-${items.length}`,
            tone: 'error',
            text: event.message,
          })
        break
      case 'done':
        // The run of a session that is set aside has not ended.
        if (isSetAside(events)) break
        settle(() => true, {
          decision: event.reason === 'user_abort' ? 'stopped' : 'answered',
          at: event.timestamp,
        })
        for (const id of calls.keys())
          change(id, ({ status }) => ({
            status: status === 'running' || status === 'waiting' ? 'stopped' : status,
          }))
        items.push({
          kind: 'end',
          key: `${turn}-end`,
          seq: event.frame.seq,
          reason: event.reason,
          usage: event.usage,
          cost: event.cost,
        })
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
  const note = (tone: 'info' | 'warning' | 'error', text: string): Item => ({
    kind: 'note',
    key,
    tone,
    text,
  })
  switch (event.type) {
    case 'widget':
      return { kind: 'widget', key, type: event.widget_type, data: event.data }
    case 'skill_activated':
      return note('info', `Skill: ${event.skill_name}`)
    case 'kb_proposal':
      return note('info', `Proposed for the knowledge base: ${event.title} (${event.status})`)
    case 'credential_saved':
      return note('info', `Credential saved: ${event.connection_name}`)
    case 'plan_mode':
      return note('info', `Plan mode: ${event.action}`)
    case 'compaction_end':
      return note(
        'info',
        `Earlier messages were summarised: ${event.tokens_before.toLocaleString()} → ${event.tokens_after.toLocaleString()} tokens`,
      )
    case 'field_scrub':
      return note('info', `${event.stripped_count} fields of ${event.connection} were withheld`)
    case 'warning':
      return note('warning', event.message)
    case 'error':
      return note('error', event.message)
    default:
      return undefined
  }
}

function confirmation(
  event: Extract<ClientEvent, { readonly type: 'confirmation_required' }>,
): Ask {
  const { id, pending_input_context: context } = event
  if (event.pending_input_type === 'continue_or_finish')
    return {
      id,
      kind: 'limit',
      reason: plain(context['reason'] ?? event.reason),
      limit: plain(context['limit'] ?? ''),
      used: plain(context['used'] ?? ''),
    }
  const target = targetOf(event.connection_name, event.method, event.endpoint)
  return {
    id,
    kind: 'approval',
    tool: event.tool_name ?? event.endpoint,
    target,
    reason: event.reason,
    params: event.params,
    details: detailsOf(context),
    escalated: event.escalated,
    grant: grantIn(context),
    expires: event.expires_at,
  }
}

/** What the guards offer to grant for the conversation. */
function grantIn({ grant }: JsonObject): string | undefined {
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return undefined
  const { endpoint = null, tool = null } = grant as JsonObject // written by a guard
  return plain(endpoint ?? tool)
}

/** Where a call goes, as far as it says so. */
const targetOf = (
  connection: Json | undefined,
  method: Json | undefined,
  endpoint: Json | undefined,
): string =>
  [connection, method === 'CALL' ? '' : method, endpoint]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(' ')

/**
 * Of the context of an approval: what has a place of its own on the card, and what says nothing to
 * a person.
 */
const SHOWN: ReadonlySet<string> = new Set([
  'endpoint',
  'method',
  'connection_name',
  'tool',
  'tool_id',
  'tool_use_id',
  'call',
  'params',
  'reason',
  'tier',
  'escalated',
  'grant',
])
const detailsOf = (context: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(context).filter(([name]) => !SHOWN.has(name)))

type Result = Extract<ClientEvent, { readonly type: 'tool_call_result' }>

/** The server's words for a question whose time was over, and for a call that was declined. */
const EXPIRED = 'Nobody answered in time.'
const DECLINED = /^The person declined this call(?: and said: (?<feedback>.*)|\.)$/s

/** What an approval came to of which nothing is known but the outcome of its call. */
function outcomeOf({ status, error = '', timestamp: at }: Result): Settled {
  if (status === 'success') return { decision: 'approved', at }
  if (error === EXPIRED) return { decision: 'expired', at }
  const declined = DECLINED.exec(error)
  if (!declined) return { decision: 'stopped', at }
  const feedback = declined.groups?.['feedback']
  return { decision: 'declined', at, ...(feedback !== undefined && { feedback }) }
}

const answerOf = ({ status, result, timestamp: at }: Result): Settled =>
  status === 'success'
    ? { decision: 'answered', at, ...(result !== undefined && { answer: result }) }
    : { decision: 'expired', at }

const nameOf = (items: readonly Item[], id: string): string | undefined =>
  items.flatMap((item) => (item.kind === 'call' && item.key === id ? [item.name] : []))[0]

const callOf = (events: readonly ClientEvent[], ask: string): string | undefined =>
  events.flatMap((event) =>
    event.type === 'confirmation_required' && event.id === ask ? [event.tool_id] : [],
  )[0]

const completed = (events: readonly ClientEvent[], id: string): string | undefined =>
  events.flatMap((event) =>
    event.type === 'tool_call_start' && event.tool_id === id ? [event.completed_label] : [],
  )[0]

const lastNamed = (items: readonly Item[], name: string): string =>
  items.findLast((item) => item.kind === 'call' && item.name === name)?.key ?? ''

/** A value as people read it: text as it is, everything else as JSON. */
export const plain = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
