import { messageOf, trySync } from '@amodal/kernel'
import { BodyReader } from './body-reader.ts'
import { EventStream } from './event-stream.ts'

/**
 * What an event of a stream says of the end of the reply: `last`: nothing of it follows;
 * `finished`: only counts and end marks may follow.
 */
export type EndOf = (data: string) => 'last' | 'finished' | undefined

/**
 * The answer of an endpoint up to the end of the reply in it, whether or not the endpoint closes
 * its connection then. Other bytes behind the end are dropped. Only the data of events is kept, one
 * line feed behind each line.
 */
export function upToTheEnd(response: Response, endOf: EndOf): Response {
  const body = new BodyReader(response.body)
  const events = new EventStream()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let isOver = false

  async function next(): Promise<string> {
    const bytes = await body.read()
    isOver = bytes === undefined
    const found =
      bytes === undefined
        ? [...events.push(decoder.decode()), ...events.end()]
        : events.push(decoder.decode(bytes, { stream: true }))
    let text = ''
    for (const data of found) {
      text += `data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`
      const end = endOf(data)
      if (end === 'finished') body.finishing()
      if (end !== 'last') continue
      isOver = true
      break
    }
    return text
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

/** The `type` of an event whose data is a JSON object. */
export function eventType(data: string): string | undefined {
  const { type } = jsonFields(data)
  return typeof type === 'string' ? type : undefined
}

/** The fields of a JSON object; none where the text is something else. */
export function jsonFields(data: string): Readonly<Record<string, unknown>> {
  const parsed = trySync((): unknown => JSON.parse(data), messageOf)
  return parsed.ok && typeof parsed.value === 'object' && parsed.value !== null
    ? { ...parsed.value }
    : {}
}
