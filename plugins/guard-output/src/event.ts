import type { AgentEvent, Json, RunContext } from '@amodal/sdk'
import { findingsIn } from './clean.ts'
import { resolveHandles } from './handles.ts'
import { mapLeaves } from './leaves.ts'
import { redactFindings } from './redact.ts'
import { readerOf, type Review } from './review.ts'

/** Fields of events that identify things for a client. They are not changed. */
const IDS: ReadonlySet<string> = new Set(
  `type id tool_id tool_name correlation_id ask_id
  preview_id proposal_id parent_tool_id event_type widget_type status
  code expires_at pending_input_type pending_input_schema`.split(/\s+/),
)

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
      return cleaned(event, review, ctx)
  }
}

function cleaned(event: AgentEvent, review: Review, ctx: RunContext): AgentEvent {
  const reader = readerOf(ctx)
  let isChanged = false
  const fields = Object.entries(event).map(([field, value]: [string, Json]) => {
    const shown = IDS.has(field)
      ? value
      : mapLeaves(
          value,
          (leaf, name) => {
            const text = String(leaf)
            const findings = findingsIn(text, name, review, reader)
            const clean = findings.length === 0 ? text : redactFindings(text, findings)
            const resolved = resolveHandles(clean, ctx.redacted, ctx.roles)
            return resolved === text ? leaf : resolved
          },
          field,
        )
    isChanged ||= shown !== value
    return [field, shown] as const
  })
  // of the same shape
  return isChanged ? (Object.fromEntries(fields) as unknown as AgentEvent) : event
}
