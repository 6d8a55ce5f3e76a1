import { type AgentEvent, type Json, mapTexts } from '@amodal/sdk'
import { filterLinks } from './link-filter.ts'
import { loadsNothing } from './picture.ts'
import type { LinkPolicy } from './tag-rules.ts'

/** Fields of events that identify things for a client. They are not changed. */
const IDS: ReadonlySet<string> = new Set(
  `type id tool_id tool_name correlation_id ask_id
  preview_id proposal_id parent_tool_id event_type widget_type status
  code expires_at pending_input_type pending_input_schema`.split(/\s+/),
)

/** Filters the texts of an event that somebody reads. */
export function linkEvent(event: AgentEvent, policy: LinkPolicy): AgentEvent {
  switch (event.type) {
    // Facts, and what was filtered as a whole while it streamed.
    case 'init':
    case 'done':
    case 'reset':
    case 'compaction_start':
    case 'compaction_end':
    case 'text_delta':
    case 'reasoning_delta':
    // Exact data, of what is sent or was returned, and no prose for a reader.
    case 'tool_call_start':
    case 'confirmation_required':
    case 'llm_end':
      return event
    case 'tool_call_result': {
      if (!event.content) return event
      const content = loadsNothing(event.content, policy)
      return content === event.content ? event : { ...event, content }
    }
    default:
      return filtered(event, policy)
  }
}

function filtered(event: AgentEvent, policy: LinkPolicy): AgentEvent {
  let isChanged = false
  const fields = Object.entries(event).map(([field, value]: [string, Json]) => {
    const shown = IDS.has(field)
      ? value
      : mapTexts(value, (text) => filterLinks(text, policy), true)
    isChanged ||= shown !== value
    return [field, shown] as const
  })
  // of the same shape
  return isChanged ? (Object.fromEntries(fields) as unknown as AgentEvent) : event
}
