import type { LanguageModelV4StreamResult, SharedV4Warning } from '@ai-sdk/provider'
import type { StreamPart } from '@amodal/sdk'
import {
  BodyReader,
  callError,
  EventStream,
  isWholeBody,
  replyError,
  wholeText,
} from '@amodal/sdk/model'
import { Reply } from './reply.ts'

export interface ReplyStreamOptions {
  /** As it may be shown. */
  readonly url: string
  readonly warnings: SharedV4Warning[]
  readonly signal: AbortSignal | undefined
  /** Masks secrets in a text: endpoints often quote the key that they refuse. */
  readonly mask: (text: string) => string
}

/**
 * The parts of a reply as they are asked for: one stage between the socket and the reader. Reading
 * stops when nobody asks, so back-pressure reaches the endpoint; leaving closes the connection.
 * A connection that breaks becomes an `error` part; only the caller's own abort rejects.
 */
export function replyStream(
  response: Response,
  { url, warnings, signal, mask }: ReplyStreamOptions,
): LanguageModelV4StreamResult['stream'] {
  const isWhole = isWholeBody(response)
  const body = new BodyReader(isWhole ? null : response.body)
  const decoder = new TextDecoder()
  const events = new EventStream()
  const parts: StreamPart[] = [{ type: 'stream-start', warnings }]
  const reply = new Reply(url, (part) => {
    add(parts, part)
  })
  let heard = false

  const take = (data: readonly string[]): void => {
    for (const event of data) {
      heard = true
      reply.push(event.includes('"error"') ? mask(event) : event)
    }
  }

  async function readOn(): Promise<void> {
    const bytes = await body.read()
    if (bytes === undefined) {
      take(events.push(decoder.decode()))
      take(events.end())
      reply.end(heard ? '' : `: ${kindOf(response)}`)
    } else take(events.push(decoder.decode(bytes, { stream: true })))
    if (reply.finished) body.finishing()
  }

  /** One document in place of a stream: some gateways know no streams. */
  async function readWhole(): Promise<void> {
    const text = await wholeText(response)
    if (text === undefined) return reply.fail(replyError('The reply is longer than any reply', url))
    take([text])
    reply.end()
  }

  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        while (parts.length === 0) {
          try {
            await (isWhole ? readWhole() : readOn())
          } catch (cause) {
            signal?.throwIfAborted()
            reply.fail(callError(cause, url))
          }
        }
        for (const part of parts.splice(0)) controller.enqueue(part)
        if (!reply.ended) return
        controller.close()
        body.leave()
      },
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Appends a part to those that wait to be read. Text that arrived in the same read of the socket
 * becomes one delta: it reaches the client at the same moment, and every stage behind does its work
 * once. The busier the server, the more arrives between two reads.
 */
function add(parts: StreamPart[], part: StreamPart): void {
  const last = parts.at(-1)
  if (
    (part.type === 'text-delta' || part.type === 'reasoning-delta') &&
    last?.type === part.type &&
    last.id === part.id
  )
    parts[parts.length - 1] = { ...part, delta: last.delta + part.delta }
  else parts.push(part)
}

/** The beginning of a body that is no event stream: mostly the page of a wrong `baseUrl`. */
function kindOf(response: Response): string {
  return `it holds no event; its content type is ${response.headers.get('content-type') ?? 'not given'}`
}
