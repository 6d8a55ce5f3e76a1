import { cutShort, type Json, type AgentEvent, type InputAsked, type JournalEntry, NANO, never, type ToolOutcome, wireUsage } from '@amodal/sdk'

const RESULT_LIMIT = 50 * 1024

/**
 * The events that an entry makes true. They are sent after the commit, and again on a replay;
 * `told` is set while the run is live, where the text and the starts of calls have gone out already.
 */
export function project(entry: JournalEntry, told: boolean): readonly AgentEvent[] {
  switch (entry.kind) {
    case 'model_reply':
      return told ? [] : [
        ...(entry.text === '' ? [] : [{ type: 'text_delta' as const, content: entry.text }]),
        ...entry.calls.map((call) => ({ type: 'tool_call_start' as const, tool_name: call.name, tool_id: call.id, parameters: JSON.parse(call.input) as Json })),
      ]
    case 'tool_outcome':
      return entry.private ? [resultEvent(publicOf(entry))] : [resultEvent(entry), ...(entry.events ?? [])]
    case 'input_asked':
      return [askedEvent(entry)]
    case 'input_answered':
      return entry.ask_type === 'approval' && entry.answer['approved'] === true && entry.void === undefined
        ? [{ type: 'approved', resource_type: 'tool_call', preview_id: entry.ask }] : []
    case 'compacted':
      return entry.cause === 'clear' ? [] : [{ type: 'compaction_end', tokens_before: entry.tokens_before ?? 0, tokens_after: entry.tokens_after ?? 0, compaction_tokens: entry.summary_tokens ?? entry.usage?.output ?? 0 }]
    case 'run_ended':
      return [
        ...(entry.error ? [{ type: 'error' as const, code: entry.error.code, message: entry.error.message }] : []),
        {
          type: 'done', reason: entry.reason, usage: wireUsage(entry.usage),
          ...(entry.last_usage && { last_call_usage: wireUsage(entry.last_usage) }),
          ...(entry.cost !== undefined && { cost: entry.cost / NANO }),
        },
      ]
    case 'note':
      return entry.code === 'warning' ? [{ type: 'warning', message: entry.text }] : []
    case 'child_closed':
      return [resultEvent({ ...entry, output: entry.summary, ms: entry.ms ?? 0 })]
    case 'user_message': case 'tool_intent': case 'child_opened':
      return []
    default:
      return never(entry)
  }
}

/** What clients may know of an outcome: of a private one that it is there. */
export function publicOf<E extends JournalEntry>(entry: E): E {
  if (entry.kind !== 'tool_outcome' || !entry.private) return entry
  const { content: _content, events: _events, notice: _notice, session_state: _state, ...rest } = entry
  return { ...rest, output: PRIVATE } as E // an outcome without what it may lack
}

const PRIVATE = '[private]'

function resultEvent(entry: Pick<ToolOutcome, 'call' | 'status' | 'output' | 'ms' | 'content'>): AgentEvent {
  const shown = cutShort(typeof entry.output === 'string' ? entry.output : JSON.stringify(entry.output), RESULT_LIMIT)
  return {
    type: 'tool_call_result', tool_id: entry.call, status: entry.status === 'success' ? 'success' : 'error', duration_ms: entry.ms,
    ...(entry.status === 'success' ? { result: shown } : { error: shown }),
    ...(entry.content ? { content: entry.content } : {}),
  }
}

function askedEvent(entry: InputAsked): AgentEvent {
  if (entry.ask_type === 'question') {
    return { type: 'ask_user', ask_id: entry.ask, questions: entry.questions ?? [{ id: entry.ask, text: textOf(entry.context['question']) }] }
  }
  const text = (key: string, otherwise: string): string => textOf(entry.context[key], otherwise)
  return {
    type: 'confirmation_required', id: entry.ask, correlation_id: entry.ask,
    ...(entry.call ? { tool_id: entry.call } : {}), ...(entry.name ? { tool_name: entry.name } : {}),
    endpoint: text('endpoint', entry.name ?? ''), method: text('method', entry.ask_type === 'approval' ? 'CALL' : ''),
    reason: text('reason', ''), escalated: entry.context['escalated'] === true, tier: text('tier', 'confirm'),
    params: entry.context['params'] ?? {}, connection_name: text('connection_name', ''),
    ...(entry.expires_at ? { expires_at: new Date(entry.expires_at).toISOString() } : {}),
    pending_input_type: entry.ask_type, pending_input_schema: entry.schema, pending_input_context: entry.context,
  }
}

const textOf = (value: Json | undefined, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
