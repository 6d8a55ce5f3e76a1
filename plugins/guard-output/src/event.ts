import type { AgentEvent, RunContext } from '@amodal/sdk'
import { mapEventFields } from '@amodal/sdk/loop'
import { findingsIn } from './clean.ts'
import { resolveHandles } from './handles.ts'
import { mapLeaves } from './leaves.ts'
import { redactFindings } from './redact.ts'
import { readerOf, type Review } from './review.ts'

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
  return mapEventFields(event, (value, field) =>
    mapLeaves(
      value,
      (leaf, name) => {
        const text = String(leaf)
        const findings = findingsIn(text, name, review, reader)
        const clean = findings.length === 0 ? text : redactFindings(text, findings)
        const resolved = resolveHandles(clean, ctx.redacted, ctx.roles)
        return resolved === text ? leaf : resolved
      },
      field,
    ),
  )
}
