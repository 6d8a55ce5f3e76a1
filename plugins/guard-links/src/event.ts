import { type AgentEvent, mapTexts } from '@amodal/sdk'
import { mapEventFields } from '@amodal/sdk/loop'
import { filterLinks } from './link-filter.ts'
import { loadsNothing } from './picture.ts'
import type { LinkPolicy } from './tag-rules.ts'

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
      return mapEventFields(event, (value) =>
        mapTexts(value, (text) => filterLinks(text, policy), true),
      )
  }
}
