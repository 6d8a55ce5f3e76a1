import type { EventStreamCodec } from '@smithy/eventstream-codec'
import { err, messageOf, ok, trySync, type Result } from '@amodal/sdk'
import { BodyReader, jsonFields } from '@amodal/sdk/model'

/** More than this in one frame is no reply of a model, bytes. */
const MAX_FRAME = 16 * 1024 * 1024
/** Lengths, their checksum, and that of the frame. */
const MIN_FRAME = 16

/** What the stream is over with, and passed on as it stands: the package knows these. */
const LAST: ReadonlySet<string | undefined> = new Set([
  'metadata',
  'internalServerException',
  'modelStreamErrorException',
  'serviceUnavailableException',
  'throttlingException',
  'validationException',
])

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The answer of ConverseStream up to the end of the reply in it, frame by frame and with its
 * checksums verified, whether or not the connection is closed then. What ends it otherwise, such as
 * an exception that the package does not know or a frame that breaks off, comes as an exception
 * that it does know: what was sent before is not lost then.
 */
export async function upToLastFrame(response: Response): Promise<Response> {
  const { EventStreamCodec } = await import('@smithy/eventstream-codec')
  const codec = new EventStreamCodec(
    (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
    (text) => Buffer.from(text),
  )
  const body = new BodyReader(response.body)
  const reader = new FrameReader(codec)
  let isOver = false

  const cut = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isPassedOn = false
        while (!isOver && !isPassedOn) {
          const received = await body.read()
          for (const { bytes, type } of reader.read(received)) {
            controller.enqueue(bytes)
            isPassedOn = true
            if (type === 'messageStop') body.finishing()
            isOver = LAST.has(type)
            if (isOver) break
          }
          isOver ||= received === undefined
        }
        if (!isOver) return
        controller.close()
        body.leave()
      },
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(cut, { status: response.status, headers: response.headers })
}

interface Frame {
  readonly bytes: Bytes
  /** Of the event, or of the exception. */
  readonly type: string | undefined
}

/** Puts frames together, however their bytes were cut, and verifies them. */
class FrameReader {
  #rest: Bytes = new Uint8Array(0)
  readonly #codec: EventStreamCodec

  constructor(codec: EventStreamCodec) {
    this.#codec = codec
  }

  /**
   * @param received `undefined` at the end of the body
   * @returns the frames that are complete now; the last one is an exception where one is none
   */
  *read(received: Uint8Array | undefined): Generator<Frame, void> {
    if (received === undefined) {
      if (this.#rest.length > 0) yield this.#exception('The stream broke off in a frame')
      return
    }
    const bytes = joined(this.#rest, received)
    const view = new DataView(bytes.buffer)
    let at = 0
    while (bytes.length - at >= 4) {
      const length = view.getUint32(at)
      if (length < MIN_FRAME || length > MAX_FRAME) {
        yield this.#exception(`The stream holds a frame that is damaged: it has ${length} bytes`)
        return
      }
      if (bytes.length - at < length) break
      const frame = this.#frameOf(bytes.slice(at, at + length))
      yield frame.ok ? frame.value : this.#exception(frame.error)
      at += length
    }
    this.#rest = bytes.slice(at)
  }

  #frameOf(bytes: Bytes): Result<Frame, string> {
    const decoded = trySync(() => this.#codec.decode(bytes), messageOf)
    if (!decoded.ok) return err(`The stream holds a frame that is damaged: ${decoded.error}`)
    const { headers, body } = decoded.value
    const header = (name: string): string | undefined => {
      const value: unknown = headers[name]?.value
      return typeof value === 'string' ? value : undefined
    }
    const kind = header(':message-type')
    if (kind === 'event') return ok({ bytes, type: header(':event-type') })
    const type = header(':exception-type') ?? header(':error-code')
    if (kind === 'exception' && LAST.has(type)) return ok({ bytes, type })
    const { message } = jsonFields(Buffer.from(body).toString('utf8'))
    const reason = typeof message === 'string' ? message : header(':error-message')
    return err(`The stream ended with ${type ?? 'an error'}: ${reason ?? 'no reason given'}`)
  }

  #exception(message: string): Frame {
    const type = 'modelStreamErrorException'
    const text = (value: string): { type: 'string'; value: string } => ({ type: 'string', value })
    const headers = {
      ':message-type': text('exception'),
      ':exception-type': text(type),
      ':content-type': text('application/json'),
    }
    const body = Buffer.from(JSON.stringify({ message }))
    return { bytes: new Uint8Array(this.#codec.encode({ headers, body })), type }
  }
}

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
