import type { AgentEvent } from '@amodal/sdk'
import { isPluginEvent } from '@amodal/sdk/wire'

/** What of a turn is told while it runs: as progress, or as a message of the log. */
export type Told =
  | { readonly kind: 'progress'; readonly message: string }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warning' | 'error'
      readonly logger: string
      readonly data: string
    }

/** The projection of events to what MCP carries; texts that follow each other are one. */
export function toldOf(events: readonly AgentEvent[]): readonly Told[] {
  const told: Told[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') told.push({ kind: 'progress', message: text })
    text = ''
  }
  for (const event of events) {
    if (event.type === 'text_delta') {
      text += event.content
      continue
    }
    const one = oneOf(event)
    if (!one) continue
    flush()
    told.push(one)
  }
  flush()
  return told
}

const progress = (message: string): Told => ({ kind: 'progress', message })

function oneOf(event: Exclude<AgentEvent, { type: 'text_delta' }>): Told | undefined {
  if (isPluginEvent(event)) return undefined
  switch (event.type) {
    case 'tool_call_start':
      return event.internal === true
        ? undefined
        : progress(`${event.running_label ?? 'Calling'} (${event.tool_name})`)
    case 'tool_call_result':
      return event.status === 'error' ? progress(`A tool failed: ${event.error ?? ''}`) : undefined
    case 'tool_label_update':
      return event.running_label === undefined ? undefined : progress(event.running_label)
    case 'subagent_event':
      return event.event_type === 'tool_call_start'
        ? progress(`${event.agent_name}: calling ${event.tool_name ?? 'a tool'}`)
        : undefined
    case 'confirmation_required':
    case 'ask_user':
    case 'ask_choice':
      return progress('Waiting for a person')
    case 'compaction_start':
      return progress('Summing the conversation up')
    case 'tool_log':
      return { kind: 'log', level: 'info', logger: event.tool_name, data: event.message }
    case 'warning':
      return { kind: 'log', level: 'warning', logger: 'agent', data: event.message }
    case 'error':
      return {
        kind: 'log',
        level: 'error',
        logger: 'agent',
        data: `${event.code}: ${event.message}`,
      }
    default:
      // The README lists what is not carried.
      return undefined
  }
}
