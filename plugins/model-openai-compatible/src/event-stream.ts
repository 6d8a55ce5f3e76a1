/** More than this in one event is no reply of a model. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/**
 * Splits a server-sent event stream into the data of its events, however the bytes were cut.
 * Everything but `data` is of no use here: comments, names, ids and retry times are dropped.
 *
 * Source: WHATWG HTML, "Server-sent events", with lines that end in LF or CRLF.
 *
 * @example
 * const events = new EventStream()
 * events.push('data: {"a":') // []
 * events.push('1}\n\n')      // ['{"a":1}']
 */
export class EventStream {
  #rest = ''
  #data: string | undefined

  /** @returns the data of the events that `text` completes. Throws a RangeError on an event past 16 M characters. */
  push(text: string): readonly string[] {
    const events: string[] = []
    const all = this.#rest === '' ? text : this.#rest + text
    let from = 0
    for (let end = all.indexOf('\n'); end !== -1; end = all.indexOf('\n', from)) {
      const line = all.charCodeAt(end - 1) === 13 && end > from ? all.slice(from, end - 1) : all.slice(from, end)
      from = end + 1
      if (line === '') this.#complete(events)
      else this.#line(line)
    }
    this.#rest = all.slice(from)
    if (this.#rest.length + (this.#data?.length ?? 0) > MAX_EVENT_CHARS) throw new RangeError(`an event of more than ${MAX_EVENT_CHARS} characters`)
    return events
  }

  /** @returns what a stream without a last empty line still holds. */
  end(): readonly string[] {
    const events: string[] = []
    this.#line(this.#rest)
    this.#rest = ''
    this.#complete(events)
    return events
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
