import { redact, type AgentEvent, type Json } from '@amodal/sdk'
import { ellipsis, withoutControls } from '@amodal/sdk/data'

const SHORT = 100

const short = (value: Json): string => {
  const text = withoutControls(JSON.stringify(redact(value)))
  return ellipsis(text, SHORT)
}

/** Shows the events of a turn as lines and running text. */
export class Screen {
  readonly #write: (text: string) => void
  #inLine = false

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'text_delta':
        return this.text(event.content)
      case 'tool_call_start':
        return event.internal === true
          ? undefined
          : this.line(`  → ${event.running_label ?? event.tool_name} ${short(event.parameters)}`)
      case 'tool_call_result':
        return event.status === 'error' ? this.line(`  ✗ ${event.error ?? 'failed'}`) : undefined
      case 'tool_log':
        return this.line(`    ${event.message}`)
      case 'subagent_event':
        return event.event_type === 'tool_call_start'
          ? this.line(`    ${event.agent_name} → ${event.tool_name ?? ''}`)
          : undefined
      case 'skill_activated':
        return this.line(`  skill: ${event.skill_name}`)
      case 'widget':
        return this.line(`  [${event.widget_type}] ${short(event.data)}`)
      case 'warning':
        return this.line(`  ! ${event.message}`)
      case 'error':
        return this.line(`  ✗ ${event.code}: ${event.message}`)
      case 'reset':
        return this.line('  (the answer begins again)')
      case 'compaction_start':
        return this.line('  (summarizing the earlier conversation)')
      case 'done':
        return event.reason === 'model_stop' || event.reason === 'error'
          ? this.endLine()
          : this.line(`  (ended: ${event.reason})`)
      default:
        return undefined
    }
  }

  text(text: string): void {
    if (text === '') return
    this.#write(withoutControls(text))
    this.#inLine = !text.endsWith('\n')
  }

  line(text: string): void {
    this.endLine()
    this.#write(`${withoutControls(text)}\n`)
  }

  endLine(): void {
    if (this.#inLine) this.#write('\n')
    this.#inLine = false
  }
}
