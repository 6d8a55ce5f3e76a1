import { quoteNumbers, repairEscapes, reviveNumbers } from '../data/exact-number.ts'

/** JSON as a library may read it that knows doubles only. */
const readable = (json: string): string => quoteNumbers(repairEscapes(json))

/**
 * A body that a library reads with `JSON.parse`, and that keeps numbers which no double holds:
 * {@link keepingDigits} turns them back in the messages of the library.
 *
 * @param form `events`: a stream of them, each line of which goes on once it has come
 */
export function quotedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  form: 'document' | 'events',
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(form === 'events' ? byLine() : asOne())
    .pipeThrough(new TextEncoderStream())
}

function byLine(): TransformStream<string, string> {
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const text = rest + chunk
      const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
      rest = text.slice(end)
      if (end > 0) controller.enqueue(readable(text.slice(0, end)))
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(readable(rest))
    },
  })
}

function asOne(): TransformStream<string, string> {
  const chunks: string[] = []
  return new TransformStream({
    transform(chunk) {
      chunks.push(chunk)
    },
    flush: (controller) => controller.enqueue(readable(chunks.join(''))),
  })
}

/** What receives messages, as transports of MCP do. */
interface Receives<M, E extends readonly unknown[]> {
  onmessage?: ((message: M, ...extra: E) => void) | undefined
}

/** The transport, with the messages as they were before {@link quotedBody}. */
export function keepingDigits<M, E extends readonly unknown[], T extends Receives<M, E>>(
  transport: T & Receives<M, E>,
  then: (message: M) => M = (message) => message,
): T {
  let receive: Receives<M, E>['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set: (handler: Receives<M, E>['onmessage']) => {
      // a message of the same shape
      receive =
        handler && ((message, ...extra) => handler(then(reviveNumbers(message) as M), ...extra))
    },
    configurable: true,
  })
}
