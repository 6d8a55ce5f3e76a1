import type { ClientEvent } from './types.ts'

/**
 * The valid events of a session: a `reset` removes those that a crash or a retry invalidated,
 * before the replay emits their replacements.
 *
 * @example
 * const transcript = new Transcript()
 * for await (const event of client.send({ text: 'hello' })) {
 *   transcript.push(event)
 *   show(transcript.text)
 * }
 */
export class Transcript {
  #events: ClientEvent[] = []

  get events(): readonly ClientEvent[] {
    return this.#events
  }
  get text(): string {
    return this.#events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
  }

  push(event: ClientEvent): void {
    if (event.type === 'reset')
      this.#events = this.#events.filter(({ frame }) => isKept(frame, event.after_seq))
    else this.#events.push(event)
  }
}

/** The last event of an entry has its seq and no count; what has a count came after that entry. */
const isKept = ({ seq, n }: ClientEvent['frame'], after: number): boolean =>
  seq < after || (seq === after && n === 0)
