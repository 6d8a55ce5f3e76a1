import { messageOf, trySync } from '@amodal/kernel'
import { BodyReader } from './body-reader.ts'
import { EventStream } from './event-stream.ts'

/**
 * What an event of a stream says of the end of the reply: `last`: nothing of it follows;
 * `finished`: only counts and end marks may follow.
 */
export type ReplyEnd = 'last' | 'finished'

/** What an event of a stream comes to. */
export interface ReadEvent {
  /**
   * The events that the package of the provider gets in its place, as the protocol has them; none
   * where it has no part in the reply.
   */
  readonly events: readonly string[]
  readonly end?: ReplyEnd | undefined
}

/**
 * Reads the events of one reply as services and gateways write them, for a package that is strict
 * about them.
 */
export interface EventReader {
  read(data: string): ReadEvent
  /** The stream is over: the events that were left out at its end. */
  end?(): readonly string[]
}

/** A reader that passes events on as they stand, for a protocol that only needs its end found. */
export const endingWith =
  (endOf: (data: string) => ReplyEnd | undefined): (() => EventReader) =>
  () => ({ read: (data) => ({ events: [data], end: endOf(data) }) })

/**
 * The answer of an endpoint up to the end of the reply in it, whether or not the endpoint closes
 * its connection then. Other bytes behind the end are dropped. Only the data of events is sent on,
 * one line feed behind each line.
 *
 * @param read how the data of an event is read, before anything looks at it
 */
export function upToTheEnd(
  response: Response,
  reader: EventReader,
  read: (data: string) => string = (data) => data,
): Response {
  const body = new BodyReader(response.body)
  const events = new EventStream()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let isOver = false

  function received(found: readonly string[]): string {
    let text = ''
    for (const data of found) {
      const { events: passedOn, end } = reader.read(read(data))
      text += passedOn.map(frameOf).join('')
      if (end === 'finished') body.finishing()
      if (end !== 'last') continue
      isOver = true
      break
    }
    return text
  }

  async function next(): Promise<string> {
    const bytes = await body.read()
    if (bytes !== undefined) return received(events.push(decoder.decode(bytes, { stream: true })))
    const text = received([...events.push(decoder.decode()), ...events.end()])
    if (isOver) return text
    isOver = true
    return text + (reader.end?.() ?? []).map(frameOf).join('')
  }

  const cut = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let text = ''
        while (text === '' && !isOver) text = await next()
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (!isOver) return
        controller.close()
        body.leave()
      },
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(cut, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}

const frameOf = (data: string): string =>
  `data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`

/** The fields of a JSON object; none where the text is something else. */
export function jsonFields(data: string): Readonly<Record<string, unknown>> {
  const parsed = trySync((): unknown => JSON.parse(data), messageOf)
  return parsed.ok && isFields(parsed.value) ? parsed.value : {}
}

/** Whether a value of JSON is an object. */
export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
