import type { WireEvent } from '../../wire/wire-event.ts'
import type { Item } from './item.ts'

/** The item of an event that stands for itself, whatever came before it. */
export function eventItem(key: string, event: WireEvent): Item | undefined {
  const note = (tone: 'info' | 'warning' | 'error', text: string): Item => ({
    kind: 'note',
    key,
    tone,
    text,
  })
  switch (event.type) {
    case 'widget':
      return { kind: 'widget', key, type: event.widget_type, data: event.data }
    case 'skill_activated':
      return note('info', `Skill: ${event.skill_name}`)
    case 'kb_proposal':
      return note('info', `Proposed for the knowledge base: ${event.title} (${event.status})`)
    case 'credential_saved':
      return note('info', `Credential saved: ${event.connection_name}`)
    case 'plan_mode':
      return note('info', `Plan mode: ${event.action}`)
    case 'compaction_end':
      return note(
        'info',
        `Earlier messages were summarised: ${event.tokens_before.toLocaleString()} → ${event.tokens_after.toLocaleString()} tokens`,
      )
    case 'field_scrub':
      return note('info', `${event.stripped_count} fields of ${event.connection} were withheld`)
    case 'warning':
      return note('warning', event.message)
    case 'error':
      return note('error', event.message)
    default:
      return undefined
  }
}
