import {
  truncateLine,
  type Json,
  type AgentEvent,
  type InputAsked,
  type JournalEntry,
  NANO,
  never,
  type ToolContent,
  type ToolOutcome,
  type ChildClosed,
  type Compacted,
  type InputAnswered,
  type ModelReply,
  type Note,
  type RunEnded,
  type ChildOpened,
} from '@amodal/sdk'
import { CALL_STEP } from '../tool-calls/durable-calls.ts'
import { parseExact } from '@amodal/sdk/data'
import { eventsOf } from '@amodal/sdk/loop'
import { wireRunUsage, wireUsage } from '@amodal/sdk/wire'

const RESULT_LIMIT = 50 * 1024
/** The sub-agent whose start and end have their own events. */
const EXPLORE = 'explore'

/**
 * The events of an entry, sent after its commit and on a replay. `alreadyStreamed`: the run is
 * live, so the text and the starts of calls were streamed before the commit.
 */
export function project(entry: JournalEntry, alreadyStreamed: boolean): readonly AgentEvent[] {
  switch (entry.kind) {
    case 'model_reply':
      return replyEvents(entry, alreadyStreamed)
    case 'tool_outcome':
      return outcomeEvents(entry)
    case 'input_asked':
      return [askedEvent(entry)]
    case 'input_answered':
      return answeredEvents(entry)
    case 'compacted':
      return compactedEvents(entry)
    case 'run_ended':
      return endEvents(entry)
    case 'note':
      return noteEvents(entry)
    case 'child_closed':
      return childEvents(entry)
    case 'child_opened':
      return openedEvents(entry)
    case 'user_message':
    case 'tool_intent':
      return []
    default:
      return never(entry)
  }
}

const isExplore = ({ agent }: { readonly agent?: string }): boolean => agent === EXPLORE

function replyEvents({ text, calls }: ModelReply, alreadyStreamed: boolean): readonly AgentEvent[] {
  if (alreadyStreamed) return []
  const starts = calls.map((call) => ({
    type: 'tool_call_start' as const,
    tool_name: call.name,
    tool_id: call.id,
    parameters: parseExact(call.input) as Json, // it was checked to be JSON when it was read
  }))
  return text === '' ? starts : [{ type: 'text_delta', content: text }, ...starts]
}

const outcomeEvents = (entry: ToolOutcome): readonly AgentEvent[] => [
  resultEvent(publicOf(entry)),
  ...(entry.private ? [] : eventsOf(entry)),
]

const answeredEvents = (entry: InputAnswered): readonly AgentEvent[] =>
  entry.ask_type === 'approval' && entry.answer['approved'] === true && entry.void === undefined
    ? [{ type: 'approved', resource_type: 'tool_call', preview_id: entry.ask }]
    : []

const compactedEvents = (entry: Compacted): readonly AgentEvent[] =>
  entry.cause === 'clear'
    ? []
    : [
        {
          type: 'compaction_end',
          tokens_before: entry.tokens_before ?? 0,
          tokens_after: entry.tokens_after ?? 0,
          compaction_tokens: entry.summary_tokens ?? entry.usage?.output ?? 0,
        },
      ]

function endEvents(entry: RunEnded): readonly AgentEvent[] {
  const { error, cost } = entry
  const done: AgentEvent = {
    type: 'done',
    reason: entry.reason,
    usage: wireRunUsage(entry),
    ...(entry.last_usage && { last_call_usage: wireUsage(entry.last_usage) }),
    ...(cost !== undefined && { cost: cost / NANO }),
  }
  return error ? [{ type: 'error', code: error.code, message: error.message }, done] : [done]
}

const noteEvents = (note: Note): readonly AgentEvent[] =>
  note.code === 'warning' ? [{ type: 'warning', message: note.text }] : eventsOf(note)

const openedEvents = (entry: ChildOpened): readonly AgentEvent[] =>
  isExplore(entry) ? [{ type: 'explore_start', query: entry.prompt }] : []

function childEvents(entry: ChildClosed): readonly AgentEvent[] {
  const { summary, usage, ms = 0 } = entry
  const result = resultEvent({ ...entry, output: summary, ms })
  return isExplore(entry)
    ? [{ type: 'explore_end', summary, tokens_used: usage.input + usage.output }, result]
    : [result]
}

/**
 * The part of an outcome for clients: none of the output if it is private, and no content for the
 * model alone.
 */
export function publicOf<E extends JournalEntry>(entry: E): E {
  if (entry.kind === 'note' && entry.code === CALL_STEP) {
    const { data: _data, ...note } = entry
    return note as E // without what a call was given by others
  }
  if (entry.kind !== 'tool_outcome') return entry
  if (!entry.private)
    return entry.content?.some(({ audience }) => audience) === true
      ? { ...entry, ...forPeople(entry.output, entry.content) }
      : entry
  const {
    content: _content,
    events: _events,
    notice: _notice,
    session_state: _state,
    ...rest
  } = entry
  return { ...rest, output: PRIVATE } as E // the removed fields are optional
}

const PRIVATE = '[private]'

/** Where texts have an audience, the output is for the model, and people see the texts instead. */
function forPeople(
  output: Json,
  content: readonly ToolContent[],
): Pick<ToolOutcome, 'output' | 'content'> {
  const seen = content.flatMap(({ audience, ...part }): readonly ToolContent[] =>
    audience === 'model' ? [] : [part],
  )
  const texts = seen.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return {
    output: content.some(({ type, audience }) => type === 'text' && audience)
      ? texts.join('\n')
      : output,
    content: seen,
  }
}

function resultEvent(
  entry: Pick<ToolOutcome, 'call' | 'status' | 'output' | 'ms' | 'content'>,
): AgentEvent {
  const shown = truncateLine(
    typeof entry.output === 'string' ? entry.output : JSON.stringify(entry.output),
    RESULT_LIMIT,
  )
  return {
    type: 'tool_call_result',
    tool_id: entry.call,
    status: entry.status === 'success' ? 'success' : 'error',
    duration_ms: entry.ms,
    ...(entry.status === 'success' ? { result: shown } : { error: shown }),
    ...(entry.content ? { content: entry.content } : {}),
  }
}

function askedEvent(entry: InputAsked): AgentEvent {
  if (entry.ask_type === 'question') return questionEvent(entry)
  const text = (key: string, otherwise: string): string => textOf(entry.context[key], otherwise)
  return {
    type: 'confirmation_required',
    id: entry.ask,
    correlation_id: entry.ask,
    ...(entry.call ? { tool_id: entry.call } : {}),
    ...(entry.name ? { tool_name: entry.name } : {}),
    endpoint: text('endpoint', entry.name ?? ''),
    method: text('method', entry.ask_type === 'approval' ? 'CALL' : ''),
    reason: text('reason', ''),
    escalated: entry.context['escalated'] === true,
    tier: text('tier', 'confirm'),
    params: entry.context['params'] ?? {},
    connection_name: text('connection_name', ''),
    ...(entry.expires_at ? { expires_at: new Date(entry.expires_at).toISOString() } : {}),
    pending_input_type: entry.ask_type,
    pending_input_schema: entry.schema,
    pending_input_context: entry.context,
  }
}

/** A single choice has its own event, which clients show as buttons. */
function questionEvent({ ask, questions, context }: InputAsked): AgentEvent {
  const allQuestions = questions ?? [{ id: ask, text: textOf(context['question']) }]
  const { connection_name: from } = context
  const by = typeof from === 'string' && from !== '' ? { connection_name: from } : {}
  const [only, ...more] = allQuestions
  if (only?.options === undefined || more.length > 0)
    return { type: 'ask_user', ask_id: ask, questions: allQuestions, ...by }
  return {
    type: 'ask_choice',
    ask_id: ask,
    ...by,
    question: only.text,
    options: only.options,
    ...(only.type === 'multi' && { multi: true }),
  }
}

const textOf = (value: Json | undefined, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise
