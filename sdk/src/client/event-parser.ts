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
  #rest = ''
  #begun = false
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** Takes text; gives the events that it completes. */
  push(text: string): readonly ParsedEvent[] {
    let buffer = this.#rest + text
    if (!this.#begun && buffer !== '') {
      this.#begun = true
      if (buffer.startsWith('\ufeff')) buffer = buffer.slice(1)
    }
    // A CR at the end may be half of a CRLF.
    const whole = buffer.endsWith('\r') ? buffer.slice(0, -1) : buffer
    const lines = whole.split(/\r\n|\n|\r/)
    this.#rest = (lines.pop() ?? '') + buffer.slice(whole.length)
    return lines.flatMap((line) => this.#line(line))
  }

  #line(line: string): readonly ParsedEvent[] {
    if (line === '') return this.#complete()
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    switch (field) {
      case 'data':
        this.#data.push(value)
        break
      case 'event':
        this.#event = value
        break
      case 'id':
        if (!value.includes('\0')) this.#id = value
        break
      default:
        break // a comment, `retry`, or something newer than this
    }
    return []
  }

  #complete(): readonly ParsedEvent[] {
    const [data, event] = [this.#data, this.#event]
    this.#data = []
    this.#event = ''
    return data.length === 0
      ? []
      : [{ id: this.#id, event: event || 'message', data: data.join('\n') }]
  }
}
