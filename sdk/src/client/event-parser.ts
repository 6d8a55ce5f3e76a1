import { createParser } from 'eventsource-parser'

/** One event as it stood in the stream. */
export interface ParsedEvent {
  /** The last `id` seen, which may be that of an earlier event. */
  readonly id: string | undefined
  /** `message` where the event does not say. */
  readonly event: string
  readonly data: string
}

/**
 * Splits an event stream into events, wherever its chunks were cut: LF, CR and CRLF, comments, a
 * byte order mark and data of several lines, as the standard has them.
 *
 * @example
 * const parser = new EventParser()
 * for await (const chunk of response.body)
 *   for (const event of parser.push(decoder.decode(chunk, { stream: true }))) show(event)
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventParser {
  #id: string | undefined
  #events: ParsedEvent[] = []
  readonly #parser = createParser({
    // An id counts for all events after it, and one without data has an id as well.
    onId: (id) => {
      this.#id = id
    },
    onEvent: ({ event = 'message', data }) => {
      this.#events.push({ id: this.#id, event, data })
    },
  })

  /** Takes text; gives the events that it completes. */
  push(text: string): readonly ParsedEvent[] {
    this.#parser.feed(text)
    return this.#events.splice(0)
  }
}
