import {
  isObject,
  redact,
  trySync,
  type AgentEvent,
  type Failure,
  type Json,
  type JsonObject,
  type PendingAsk,
  type ToolContent,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { CallToolResult } from './protocol.ts'
import type { Turn } from '@amodal/plugin-loop/tokens'

/** Where a result says which session it is of. */
export const SESSION_META = 'io.amodal/session_id'

type Content = CallToolResult['content'][number]
const textPart = (text: string): Content => ({ type: 'text', text })

/** A failure as a result: clients show it to their model, which may do better. */
export const failedResult = ({ code, message, details }: Failure): CallToolResult => ({
  content: [textPart(`${code}: ${message}`)],
  structuredContent: { error: { code, message, ...(details && { details }) } },
  isError: true,
})

/** An object as structured content, and the same as text for clients that read only that. */
export const jsonResult = (body: JsonObject): CallToolResult => ({
  content: [textPart(JSON.stringify(body))],
  structuredContent: { ...body },
})

/** A question that is open, and how it is answered without a form. */
export const shownAsk = ({ id, type, schema, context, expires_at }: PendingAsk): JsonObject => ({
  id,
  type,
  schema,
  context: redact(context),
  ...(expires_at !== undefined && { expires_at: new Date(expires_at).toISOString() }),
})

/** What `ask` answers: a whole turn, or what it waits for. */
export function askResult(turn: Turn): CallToolResult {
  const { session, text, events, done, pending } = turn
  const error = done?.reason === 'error' ? lastError(events) : undefined
  const body: JsonObject = {
    session_id: session,
    status: statusOf(turn),
    response: text,
    tool_calls: toolCalls(events),
    ...(done && { reason: done.reason }),
    ...(done?.usage && { usage: { ...done.usage } }),
    ...(pending.length > 0 && pendingOf(turn)),
    ...(error && { error: { code: error.code, message: error.message } }),
  }
  return {
    content: [textPart(wordsOf(turn, error)), ...imagesIn(events)],
    structuredContent: { ...body },
    _meta: { [SESSION_META]: session },
    ...(error && { isError: true }),
  }
}

const statusOf = ({ done, pending }: Turn): string => {
  if (pending.length > 0) return 'pending'
  return done?.reason === 'error' ? 'error' : 'complete'
}

const lastError = (events: readonly AgentEvent[]) =>
  events.findLast((event) => event.type === 'error')

/** The answer as text; where it waits, what for and how to go on. */
function wordsOf(
  { text, pending, session }: Turn,
  error: { readonly code: string; readonly message: string } | undefined,
): string {
  if (error) return [text, `${error.code}: ${error.message}`].filter(Boolean).join('\n\n')
  return pending.length > 0 ? [text, howTo(session, pending)].filter(Boolean).join('\n\n') : text
}

const howTo = (session: string, pending: readonly PendingAsk[]): string =>
  `This waits for a person. Call answer_question with session_id "${session}", the id and an answer that fits its schema:\n${pending
    .map((ask) => JSON.stringify(shownAsk(ask)))
    .join('\n')}`

const pendingOf = ({ session, pending }: Pick<Turn, 'session' | 'pending'>): JsonObject => ({
  pending: pending.map(shownAsk),
  how_to_answer: {
    tool: 'answer_question',
    arguments: { session_id: session, id: pending[0]?.id ?? '', answer: {} },
  },
})

/** What a tool of the agent gave, or what its call waits for. */
export function callResult(call: string, turn: Turn): CallToolResult {
  const { session, events, pending } = turn
  const _meta = { [SESSION_META]: session }
  if (pending.length > 0)
    return {
      content: [textPart(howTo(session, pending))],
      structuredContent: { status: 'pending', session_id: session, ...pendingOf(turn) },
      _meta,
      // Not what the tool gives: a client must not check it against the tool's schema.
      isError: true,
    }
  const result = events.findLast(
    (event) => event.type === 'tool_call_result' && event.tool_id === call,
  )
  if (result?.type !== 'tool_call_result') return { ...withoutOutcome(events), _meta }
  if (result.status === 'error')
    return {
      content: [textPart(result.error ?? result.result ?? 'the call failed')],
      _meta,
      isError: true,
    }
  const content = contentOf(result.content ?? [])
  const text = result.result ?? ''
  const structured = jsonIn(text)
  return {
    content: [...(content.some(({ type }) => type === 'text') ? [] : textOf(text)), ...content],
    ...(isObject(structured) && { structuredContent: { ...structured } }),
    _meta,
  }
}

const textOf = (text: string): readonly Content[] => (text === '' ? [] : [textPart(text)])

function withoutOutcome(events: readonly AgentEvent[]): CallToolResult {
  const error = lastError(events)
  return {
    content: [textPart(error ? `${error.code}: ${error.message}` : 'the call was stopped')],
    isError: true,
  }
}

function jsonIn(text: string): Json | undefined {
  if (!text.startsWith('{')) return undefined
  const parsed = trySync(
    () => parseExact(text) as Json, // the loop wrote it, or it is no JSON
    () => undefined,
  )
  return parsed.ok ? parsed.value : undefined
}

/** Parts for people; images by address are links. */
const contentOf = (parts: readonly ToolContent[]): readonly Content[] =>
  parts.flatMap((part): readonly Content[] => {
    if (part.type === 'text') return part.audience === 'model' ? [] : [textPart(part.text)]
    if (part.isUrl === true)
      return [{ type: 'resource_link', uri: part.data, name: 'image', mimeType: part.mimeType }]
    return [{ type: 'image', data: part.data, mimeType: part.mimeType }]
  })

const imagesIn = (events: readonly AgentEvent[]): readonly Content[] =>
  events.flatMap((event) =>
    event.type === 'tool_call_result'
      ? contentOf(event.content ?? []).filter(({ type }) => type !== 'text')
      : [],
  )

function toolCalls(events: readonly AgentEvent[]): readonly JsonObject[] {
  const results = new Map(
    events.flatMap((event) =>
      event.type === 'tool_call_result' ? [[event.tool_id, event] as const] : [],
    ),
  )
  return events.flatMap((event): readonly JsonObject[] => {
    if (event.type !== 'tool_call_start' || event.internal === true) return []
    const result = results.get(event.tool_id)
    return [
      {
        tool_name: event.tool_name,
        tool_id: event.tool_id,
        args: redact(event.parameters),
        status: result?.status ?? 'waiting',
        ...(result?.error !== undefined && { error: result.error }),
      },
    ]
  })
}
