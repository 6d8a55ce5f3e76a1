import { type AgentEvent, type Json, type RunContext, trySync } from '@amodal/sdk'
import { shown } from './handles.ts'
import { type Change, joined, mapLeaves } from './leaves.ts'
import { filterLinks } from './loading/link-filter.ts'
import { loadsNothing } from './loading/picture.ts'
import { findingsIn } from './outgoing.ts'
import type { Review } from './review.ts'
import { withhold } from './withhold.ts'

/** Fields of events by which a client knows what belongs together, and what it may answer. */
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
 * They show exactly what is sent, or what was answered: data, and no text for whoever reads along.
 */
const EXACT: ReadonlySet<AgentEvent['type']> = new Set([
  'tool_call_start',
  'tool_call_result',
  'confirmation_required',
  'llm_end',
])

/**
 * An event as its reader may see it: nothing that may not leave, and values in place of handles
 * where the reader may see them.
 */
export function shownEvent(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent {
  switch (event.type) {
    case 'init':
    case 'done':
    case 'reset':
    case 'compaction_start':
    case 'compaction_end':
      return event
    // What the model writes was looked at as a whole, on its way here.
    case 'text_delta':
    case 'reasoning_delta': {
      const content = shown(event.content, ctx.withheld, ctx.roles)
      return content === event.content ? event : { ...event, content }
    }
    default:
      return readable(cleaned(event, review, ctx), review, ctx)
  }
}

/** Whatever a client makes of its texts, it loads nothing by itself. */
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
  // Links were judged with the journal, where it was known which hosts had been named.
  const reader = {
    withheld: ctx.withheld,
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
    const seen = shown(
      findings.length === 0 ? text : withhold(text, findings),
      ctx.withheld,
      ctx.roles,
    )
    return seen === text ? leaf : seen
  })
}

/**
 * The value that a text is the JSON of, as it was looked at when a tool answered it; any other text
 * as it stands.
 */
function writtenIn(value: Json): Json {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  const read = trySync(
    () => JSON.parse(value) as Json,
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
