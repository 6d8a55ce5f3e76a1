import type { ClientEvent } from './types.ts'

/**
 * The events of a session as they count in the end: a `reset` takes back what a crash or a retry
 * made void, before the replay that follows tells it again.
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
