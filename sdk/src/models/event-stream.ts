/** More than this in one event is no reply of a model. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/**
 * Splits a server-sent event stream into the data of its events, however the bytes were cut.
 * Everything but `data` is of no use here: comments, names, ids and retry times are dropped.
 *
 * Source: WHATWG HTML, "Server-sent events": lines end in LF, CRLF or CR.
 *
 * @example
 * const events = new EventStream()
 * events.push('data: {"a":') // []
 * events.push('1}\n\n')      // ['{"a":1}']
 */
export class EventStream {
  /**
   * A line that has not ended yet, in the pieces it came in: joined once, so that a long one costs
   * its length.
   */
  #pieces: string[] = []
  #held = 0
  #data: string | undefined
  /** The text so far ended in a CR, which is one line end with an LF that may follow. */
  #afterReturn = false

  /**
   * @returns the data of the events that `received` completes. Throws a RangeError on an event past
   *   16 M characters.
   */
  push(received: string): readonly string[] {
    const events: string[] = []
    const text =
      this.#afterReturn || received.includes('\r') ? this.#withLineFeeds(received) : received
    const last = text.lastIndexOf('\n') + 1
    if (last > 0) this.#lines(this.#take() + text.slice(0, last), events)
    this.#pieces.push(text.slice(last))
    this.#held += text.length - last
    if (this.#held + (this.#data?.length ?? 0) > MAX_EVENT_CHARS)
      throw new RangeError(`an event of more than ${MAX_EVENT_CHARS} characters`)
    return events
  }

  /** @returns what a stream without a last empty line still holds. */
  end(): readonly string[] {
    const events: string[] = []
    this.#lines(`${this.#take()}\n\n`, events)
    return events
  }

  #withLineFeeds(text: string): string {
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.#afterReturn = text.endsWith('\r')
    return rest.replaceAll(/\r\n?/g, '\n')
  }

  #take(): string {
    const rest = this.#pieces.join('')
    this.#pieces = []
    this.#held = 0
    return rest
  }

  #lines(text: string, events: string[]): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end)
      from = end + 1
      if (line === '') this.#complete(events)
      else this.#line(line)
    }
  }

  #line(line: string): void {
    if (!line.startsWith('data:')) return
    const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5)
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }

  #complete(events: string[]): void {
    if (this.#data !== undefined) events.push(this.#data)
    this.#data = undefined
  }
}
