import { createParser } from 'eventsource-parser'

/** More than this in one event is no reply of a model. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/**
 * Splits a server-sent event stream into the data of its events, however the bytes were cut.
 * Everything but `data` is of no use here: comments, names, ids and retry times are dropped, and so
 * are events without any: gateways keep connections open with them.
 *
 * @example
 * const events = new EventStream()
 * events.push('data: {"a":') // []
 * events.push('1}\n\n')      // ['{"a":1}']
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventStream {
  #events: string[] = []
  #tooLong = false
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => {
      if (!isHeartbeat(data)) this.#events.push(data)
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#tooLong = true
    },
  })

  /**
   * @returns the data of the events that `received` completes. Throws a RangeError on an event past
   *   16 M characters.
   */
  push(received: string): readonly string[] {
    this.#parser.feed(received)
    if (this.#tooLong) throw new RangeError(`an event of more than ${MAX_EVENT_CHARS} characters`)
    const events = this.#events
    if (events.length > 0) this.#events = []
    return events
  }

  /** @returns what a stream without a last empty line still holds. */
  end(): readonly string[] {
    return this.push('\n\n')
  }
}

/** An event that says nothing. */
const isHeartbeat = (data: string): boolean => {
  const text = data.length > 8 ? data : data.trim()
  return text === '' || text === 'null'
}
