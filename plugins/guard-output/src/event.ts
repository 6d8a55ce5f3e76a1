import { type AgentEvent, type Json, type RunContext, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { resolveHandles } from './handles.ts'
import { type Change, joined, mapLeaves } from './leaves.ts'
import { filterLinks } from './loading/link-filter.ts'
import { loadsNothing } from './loading/picture.ts'
import { findingsIn } from './output-cleaning.ts'
import type { Review } from './review.ts'
import { redactFindings } from './redact.ts'

/** Fields of events that identify things for a client. They are not changed. */
const IDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'tool_id',
  'tool_name',
  'correlation_id',
  'ask_id',
  'preview_id',
  'proposal_id',
  'parent_tool_id',
  'event_type',
  'widget_type',
  'status',
  'code',
  'expires_at',
  'pending_input_type',
  'pending_input_schema',
])

/**
 * Events that carry exact data, of what is sent or was returned, and no prose for a reader.
 */
const EXACT: ReadonlySet<AgentEvent['type']> = new Set([
  'tool_call_start',
  'tool_call_result',
  'confirmation_required',
  'llm_end',
])

/**
 * Redacts an event for its reader, and resolves redaction handles whose value the reader may see.
 */
export function shownEvent(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent {
  switch (event.type) {
    case 'init':
    case 'done':
    case 'reset':
    case 'compaction_start':
    case 'compaction_end':
      return event
    // The model's text was scanned as a whole while it streamed.
    case 'text_delta':
    case 'reasoning_delta': {
      const content = resolveHandles(event.content, ctx.redacted, ctx.roles)
      return content === event.content ? event : { ...event, content }
    }
    default:
      return readable(cleaned(event, review, ctx), review, ctx)
  }
}

/** Removes everything from texts that a client would load without a click. */
function readable(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent {
  const policy = review.linkPolicy(ctx)
  if (!policy) return event
  if (event.type === 'tool_call_result' && event.content)
    return { ...event, content: loadsNothing(event.content, policy) }
  return EXACT.has(event.type)
    ? event
    : mapTexts(event, (leaf) => (typeof leaf === 'string' ? filterLinks(leaf, policy) : leaf))
}

function cleaned(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent {
  // Links were judged with the journal entry, where the named hosts are known.
  const reader = {
    redacted: ctx.redacted,
    roles: ctx.roles,
    messages: ctx.messages,
    delegated: ctx.delegated ?? false,
  }
  const texts = Object.entries(event)
    .filter(([field]) => !IDS.has(field))
    .map(([field, value]: [string, Json]) => joined(writtenIn(value), field)) // plain data
  const clean =
    review.holdNothing(texts, reader) || review.findings(texts.join(''), reader).length === 0
  if (clean && !texts.some((text) => text.includes('[redacted:'))) return event
  return mapTexts(event, (leaf, name) => {
    const text = String(leaf)
    const findings = clean ? [] : findingsIn(text, name, review, reader)
    const seen = resolveHandles(
      findings.length === 0 ? text : redactFindings(text, findings),
      ctx.redacted,
      ctx.roles,
    )
    return seen === text ? leaf : seen
  })
}

/**
 * The value that a JSON text encodes, in the form that was scanned with the tool's result; any
 * other text unchanged.
 */
function writtenIn(value: Json): Json {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  const read = trySync(
    () => parseExact(value) as Json,
    () => undefined,
  )
  return read.ok && JSON.stringify(read.value) === value ? read.value : value
}

/**
 * An event with each of its texts and numbers changed, but for what a client knows it by; the same
 * object where nothing changes.
 */
function mapTexts(event: AgentEvent, change: Change): AgentEvent {
  let changed = false
  const fields = Object.entries(event).map(([field, value]: [string, Json]) => {
    const seen = IDS.has(field) ? value : mapLeaves(value, change, field)
    changed ||= seen !== value
    return [field, seen] as const
  })
  // of the same shape
  return changed ? (Object.fromEntries(fields) as unknown as AgentEvent) : event
}
