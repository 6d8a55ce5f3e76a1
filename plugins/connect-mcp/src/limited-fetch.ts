import type { FetchLike } from '@modelcontextprotocol/client'
import { TooLargeError } from './too-large-error.ts'

const BOUNDARIES = ['\n\n', '\r\n\r\n', '\r\r']

/**
 * A `fetch` whose answers hold at most `maxBytes`: the whole of one, or each event of a stream,
 * which may go on for ever.
 *
 * @param tooLarge told of an answer that was cut off, since a library may take the end of a stream
 *   for something else
 */
export function limitedFetch(
  inner: FetchLike,
  maxBytes: number,
  tooLarge: (error: TooLargeError) => void,
): FetchLike {
  return async (input, init) => {
    const response = await inner(input, init)
    if (!response.body) return response
    const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    let held = 0
    const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        held = streams ? heldAfter(chunk, held) : held + chunk.byteLength
        if (held <= maxBytes) return controller.enqueue(chunk)
        const error = new TooLargeError(maxBytes)
        tooLarge(error)
        controller.error(error)
      },
    })
    return new Response(response.body.pipeThrough(counted), response)
  }
}

/** Bytes of the event that has not ended yet. */
function heldAfter(chunk: Uint8Array, held: number): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const last = Math.max(...BOUNDARIES.map((boundary) => bytes.lastIndexOf(boundary)))
  return last === -1 ? held + bytes.length : bytes.length - last
}
