import { onAbort } from '@amodal/kernel'
import type { FrameCursor } from '../ports/agent.ts'
import type { Frame } from '../ports/frame.ts'
import { frameText } from './wire-event.ts'

/** Where the text of a stream goes. */
export interface EventSink {
  /** Takes text; `false`: wait for `drained` before the next. */
  write(text: string): boolean
  /** Resolves when there is room, or when the reader has left. */
  drained(): Promise<void>
  /** The reader has disconnected. */
  readonly closed: boolean
  /** Calls `listener` once when the reader has left. */
  onClosed(listener: () => void): void
  end(): void
}

/**
 * A stream that a server may write straight to its connection instead of reading the response's
 * body.
 */
export interface StreamSource {
  /** Bytes that may wait for a reader before `write` says so; 1 MiB where it is not given. */
  readonly maxPendingBytes?: number
  /**
   * Writes every frame and ends the sink. Rejects where frames cannot be read or written; the sink
   * is not ended then.
   */
  send(sink: EventSink): Promise<void>
}

const EVENT_STREAM = Symbol.for('amodal.event-stream')
const HEARTBEAT = ':\n\n'
/** Bytes that may wait in a response body before the frames are no longer read. */
const MAX_PENDING_BYTES = 1_048_576

export interface EventStreamOptions {
  /** Ends the stream early; a reader that leaves ends it as well. */
  readonly signal?: AbortSignal
  /**
   * ms between two comment lines that keep proxies from closing a quiet stream; 15,000 where it is
   * not given.
   */
  readonly heartbeatMs?: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How a frame is written; {@link frameText} where it is not given. An empty text leaves it out.
   */
  readonly text?: (frame: Frame) => string
}

/**
 * Answers with frames as server-sent events, and ends with them. The response is a standard one and
 * works on any host; the HTTP plugin finds its source with {@link streamSourceOf} and writes it to
 * the socket without a web stream.
 *
 * @param frames read to their end; closed when the reader leaves
 * @returns status 200, `text/event-stream`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * @example
 * const sent = await agent.send({ text: 'hello' })
 * return sent.ok ? eventStream(sent.value.frames) : failed(sent.error)
 */
export function eventStream(frames: FrameCursor, options: EventStreamOptions = {}): Response {
  return streamResponse(
    { send: (sink) => send(frames, sink, options) },
    { unread: () => frames.close(), ...(options.headers && { headers: options.headers }) },
  )
}

export interface StreamResponseOptions {
  /** Called if the body is never read. */
  readonly unread?: () => void
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Answers with whatever a source writes, as server-sent events: what {@link eventStream} is made
 * of.
 */
export function streamResponse(
  source: StreamSource,
  { unread = () => undefined, headers }: StreamResponseOptions = {},
): Response {
  const response = new Response(body(source, unread), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
  return Object.defineProperty(response, EVENT_STREAM, { value: source })
}

/** The source behind a response of {@link eventStream}, also of another copy of this package. */
export function streamSourceOf(response: Response): StreamSource | undefined {
  return EVENT_STREAM in response && isSource(response[EVENT_STREAM])
    ? response[EVENT_STREAM]
    : undefined
}

const isSource = (value: unknown): value is StreamSource =>
  typeof value === 'object' && value !== null && 'send' in value && typeof value.send === 'function'

async function send(
  frames: FrameCursor,
  sink: EventSink,
  { signal, heartbeatMs = 15_000, text = frameText }: EventStreamOptions,
): Promise<void> {
  const close = (): void => frames.close()
  sink.onClosed(close)
  if (sink.closed) close()
  const leave = onAbort(signal, close)
  const heartbeat = setInterval(() => sink.write(HEARTBEAT), heartbeatMs)
  heartbeat.unref?.()
  try {
    while (!sink.closed && (await frames.wait())) {
      if (!sink.write(frames.take().map(text).join(''))) await sink.drained()
    }
    sink.end()
  } finally {
    clearInterval(heartbeat)
    leave()
    close()
  }
}

/** The same for hosts that read the body: nothing is read from the frames before the body is. */
function body(source: StreamSource, unread: () => void): ReadableStream<Uint8Array> {
  let sink: BodySink | undefined
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sink) return sink.resume()
        const bodySink = new BodySink(controller, source.maxPendingBytes ?? MAX_PENDING_BYTES)
        sink = bodySink
        source.send(bodySink).catch((cause: unknown) => bodySink.fail(cause))
      },
      cancel: () => (sink ? sink.close() : unread()),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  )
}

class BodySink implements EventSink {
  closed = false
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #maxPendingBytes: number
  readonly #encoder = new TextEncoder()
  readonly #listeners: (() => void)[] = []
  #waiting: (() => void) | undefined

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, maxPendingBytes: number) {
    this.#controller = controller
    this.#maxPendingBytes = maxPendingBytes
  }

  write(text: string): boolean {
    if (this.closed) return false
    this.#controller.enqueue(this.#encoder.encode(text))
    return (this.#controller.desiredSize ?? 0) > -this.#maxPendingBytes
  }

  drained(): Promise<void> {
    return this.closed
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiting = resolve
        })
  }

  onClosed(listener: () => void): void {
    this.#listeners.push(listener)
  }

  resume(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }

  close(): void {
    this.closed = true
    this.resume()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  end(): void {
    if (!this.closed) this.#controller.close()
    this.closed = true
  }

  fail(cause: unknown): void {
    if (!this.closed) this.#controller.error(cause)
    this.closed = true
  }
}
