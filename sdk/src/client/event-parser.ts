/** One event as it stood in the stream. */
export interface ParsedEvent {
  /** The last `id` seen, which may be that of an earlier event. */
  readonly id: string | undefined
  /** `message` where the event does not say. */
  readonly event: string
  readonly data: string
}

/** A CR at the end may be the first half of a CRLF, so its line is not complete yet. */
const LINE_END = /\r\n|\n|\r(?!$)/

/**
 * Splits an event stream into events, wherever its chunks were cut: LF, CR and CRLF, comments, a
 * byte order mark and data of several lines, as the standard has them. It is part of every page
 * with a chat, so it is as small as that.
 *
 * @example
 * const parser = new EventParser()
 * for await (const chunk of response.body)
 *   for (const event of parser.push(decoder.decode(chunk, { stream: true }))) show(event)
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventParser {
  #rest = ''
  #isBegin = true
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** Takes text; gives the events that it completes. */
  push(text: string): readonly ParsedEvent[] {
    // a line of many chunks is searched once
    const isLineEnd = /[\r\n]/.test(text) || this.#rest.endsWith('\r')
    this.#rest += text
    if (!isLineEnd) return []
    const lines = this.#rest.split(LINE_END)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#take(line) ?? [])
  }

  /** @returns the event that a line ends */
  #take(line: string): ParsedEvent | undefined {
    if (this.#isBegin) line = line.replace(/^\uFEFF/, '')
    this.#isBegin = false
    if (line === '') return this.#end()
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#event = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #end(): ParsedEvent | undefined {
    const [event, data] = [this.#event || 'message', this.#data]
    this.#event = ''
    this.#data = []
    return data.length === 0 ? undefined : { id: this.#id, event, data: data.join('\n') }
  }
}
