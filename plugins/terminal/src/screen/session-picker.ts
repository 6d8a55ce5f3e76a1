import type { SessionSummary } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import type { Layout } from '../markdown/layout.ts'
import { fit } from '../width.ts'

/** A list of sessions to choose one from. */
export class SessionPicker {
  readonly #sessions: readonly SessionSummary[]
  readonly #current: string | undefined
  #selected = 0

  constructor(sessions: readonly SessionSummary[], current: string | undefined) {
    this.#sessions = sessions
    this.#current = current
  }

  get selected(): SessionSummary | undefined {
    return this.#sessions[this.#selected]
  }

  move(by: number): void {
    const last = this.#sessions.length - 1
    this.#selected = Math.max(0, Math.min(last, this.#selected + by))
  }

  /** The sessions around the selected one. */
  lines({ columns, paint }: Layout, rows: number): readonly string[] {
    const room = Math.max(1, rows - 1)
    const first = Math.max(0, Math.min(this.#selected - room + 1, this.#sessions.length - room))
    const shown = this.#sessions.slice(first, first + room).map(({ id, title }, index) => {
      const at = first + index
      const mark = at === this.#selected ? '❯' : ' '
      const own = id === this.#current ? ', this one' : ''
      const line = `${mark} ${at + 1}. ${withoutControls(title).replaceAll('\n', ' ')} (${id})${own}`
      return at === this.#selected ? paint(fit(line, columns), 'bold') : fit(line, columns)
    })
    return [...shown, paint(fit('  Enter resumes it, Esc closes the list', columns), 'dim')]
  }
}
