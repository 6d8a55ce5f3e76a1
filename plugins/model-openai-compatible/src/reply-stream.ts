import type { LanguageModelV4StreamResult, SharedV4Warning } from '@ai-sdk/provider'
import type { StreamPart } from '@amodal/sdk'
import { callError } from '@amodal/sdk/models'
import { EventStream } from './event-stream.ts'
import { Reply } from './reply.ts'

export interface ReplyStreamOptions {
  /** As it may be shown. */
  readonly url: string
  readonly warnings: SharedV4Warning[]
  readonly signal: AbortSignal | undefined
  /** Hides the values of secrets in a text: endpoints like to repeat the key that they refuse. */
  readonly mask: (text: string) => string
}

/**
 * The parts of a reply as they are asked for: one stage between the socket and the reader. Reading
 * stops when nobody asks, so back-pressure reaches the endpoint; leaving closes the connection.
 * A connection that breaks becomes an `error` part; only the caller's own abort rejects.
 */
export function replyStream(response: Response, { url, warnings, signal, mask }: ReplyStreamOptions): LanguageModelV4StreamResult['stream'] {
  const body = response.body?.getReader()
  const decoder = new TextDecoder()
  const events = new EventStream()
  const parts: StreamPart[] = [{ type: 'stream-start', warnings }]
  const reply = new Reply(url, (part) => { parts.push(part) })
  let heard = false

  const take = (data: readonly string[]): void => {
    for (const event of data) {
      heard = true
      reply.push(event.includes('"error"') ? mask(event) : event)
    }
  }

  async function readOn(): Promise<void> {
    const read = await body?.read()
    if (read === undefined || read.done) {
      take(events.push(decoder.decode()))
      take(events.end())
      reply.end(heard ? '' : `: ${kindOf(response)}`)
    } else take(events.push(decoder.decode(read.value, { stream: true })))
  }

  return new ReadableStream<StreamPart>({
    async pull(controller) {
      while (parts.length === 0) {
        try {
          await readOn()
        } catch (cause) {
          signal?.throwIfAborted()
          reply.fail(callError(cause, url))
        }
      }
      for (const part of parts.splice(0)) controller.enqueue(part)
      if (!reply.ended) return
      controller.close()
      void body?.cancel().catch(() => undefined)
    },
    cancel: (reason) => body?.cancel(reason),
  }, { highWaterMark: 0 })
}

/** What stands where a stream of events was expected: mostly the page of a wrong `baseUrl`. */
function kindOf(response: Response): string {
  return `it holds no event; its content type is ${response.headers.get('content-type') ?? 'not given'}`
}
