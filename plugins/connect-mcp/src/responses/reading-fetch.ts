import { trySync, type Json } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { MessageReader } from './message-reader.ts'

/** A `fetch` whose messages pass through the reader, in a body or in the events of a stream. */
export function readingFetch(inner: FetchLike, reader: MessageReader): FetchLike {
  return async (input, init) => {
    if (typeof init?.body === 'string') reader.sent(parsed(init.body))
    const response = await inner(input, init)
    const type = response.headers.get('content-type') ?? ''
    if (!response.body || !response.ok) return response
    if (type.startsWith('text/event-stream'))
      return new Response(response.body.pipeThrough(eventsThrough(reader)), response)
    if (!/^application\/json\b/i.test(type)) return response
    // its length and encoding are those of another text
    const { status, statusText } = response
    const headers = new Headers(response.headers)
    for (const name of ['content-length', 'content-encoding']) headers.delete(name)
    const body = response.body.pipeThrough(bodyThrough(reader))
    return new Response(body, { status, statusText, headers })
  }
}

function parsed(text: string): Json | undefined {
  const read = trySync(
    () => parseExact(text) as Json, // it was JSON text
    () => undefined,
  )
  return read.ok ? read.value : undefined
}

type Bytes = Uint8Array<ArrayBuffer>

function bodyThrough(reader: MessageReader): TransformStream<Bytes, Bytes> {
  const decoder = new TextDecoder()
  let text = ''
  return new TransformStream({
    transform(chunk) {
      text += decoder.decode(chunk, { stream: true })
    },
    flush(controller) {
      text += decoder.decode()
      const message = parsed(text)
      const body = message === undefined ? text : JSON.stringify(reader.received(message))
      controller.enqueue(new TextEncoder().encode(body))
    },
  })
}

const LINE = /\r\n|\n|\r(?!$)/

/**
 * The same events, each with the data that the reader makes of it. A line that may go on is held
 * until its end.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
function eventsThrough(reader: MessageReader): TransformStream<Bytes, Bytes> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  let event: string[] = []
  const push = (text: string): string => {
    if (!/[\r\n]/.test(text) && !rest.endsWith('\r')) {
      rest += text
      return ''
    }
    const lines = (rest + text).split(LINE)
    rest = lines.pop() ?? ''
    let out = ''
    for (const line of lines) {
      event.push(line)
      if (line !== '') continue
      out += eventText(event, reader)
      event = []
    }
    return out
  }
  return new TransformStream({
    transform(chunk, controller) {
      const out = push(decoder.decode(chunk, { stream: true }))
      if (out !== '') controller.enqueue(encoder.encode(out))
    },
    flush(controller) {
      const out = push(decoder.decode())
      const last = [...event, rest].filter((line) => line !== '').join('\n')
      if (out + last !== '') controller.enqueue(encoder.encode(out + last))
    },
  })
}

const DATA = /^data(?:: ?|$)/

function eventText(lines: readonly string[], reader: MessageReader): string {
  const data = lines.filter((line) => DATA.test(line)).map((line) => line.replace(DATA, ''))
  const message = data.length === 0 ? undefined : parsed(data.join('\n'))
  if (message === undefined) return `${lines.join('\n')}\n`
  const others = lines.filter((line) => line !== '' && !DATA.test(line))
  return [...others, `data: ${JSON.stringify(reader.received(message))}`, '', ''].join('\n')
}
