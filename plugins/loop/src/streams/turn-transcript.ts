import type { AgentEvent, Frame } from '@amodal/sdk'

/** The frames of a turn, read to its end or to a question. */
export class TurnTranscript {
  done: Extract<AgentEvent, { type: 'done' }> | undefined
  #frames: Frame[] = []

  get events(): readonly AgentEvent[] {
    return this.#frames.map(({ event }) => event)
  }

  get text(): string {
    return this.events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
  }

  /** @returns whether a person is to answer now */
  add(frame: Frame): boolean {
    const { event } = frame
    if (event.type === 'reset')
      this.#frames = this.#frames.filter(
        ({ id }) => id.seq < event.after_seq || (id.seq === event.after_seq && id.n === 0),
      )
    else this.#frames.push(frame)
    if (event.type === 'done') this.done = event
    return QUESTIONS.has(event.type)
  }
}

const QUESTIONS: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'confirmation_required',
  'ask_user',
  'ask_choice',
])
