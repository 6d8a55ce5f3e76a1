import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { decoderOf } from './content-encoding.ts'
import { BodyTooLarge } from './read-json.ts'

/**
 * Limits the body of a request to `limit` bytes, as it is sent and as it is decoded. A declared
 * length is compared (the parser ensures that it is true); an undeclared one and a decoded body are
 * counted while they are read, so that a small body which decodes to a huge one is stopped at the
 * limit.
 *
 * @returns the request, its body decoded; `TOO_LARGE`, or `UNSUPPORTED_MEDIA` for an encoding that
 *   is not decoded
 */
export function limitBody(request: Request, limit: number): Result<Request, Failure> {
  if (request.method === 'GET' || request.method === 'HEAD') return ok(request)
  const decoder = decoderOf(request.headers)
  if (!decoder.ok) return decoder
  const declared = request.headers.get('content-length')
  const isDeclared = declared !== null && !request.headers.has('transfer-encoding')
  if (isDeclared && Number(declared) > limit) return err(new BodyTooLarge(limit).failure)
  if (isDeclared && !decoder.value) return ok(request)
  const { body } = request
  if (body === null) return ok(request)
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  if (decoder.value) for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  const counted = (
    decoder.value ? body.pipeThrough(counter(limit)).pipeThrough(decoder.value) : body
  ).pipeThrough(counter(limit))
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers,
    signal,
    body: counted,
    duplex: 'half',
  }
  return ok(new Request(url, init))
}

function counter(limit: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > limit) controller.error(new BodyTooLarge(limit))
      else controller.enqueue(chunk)
    },
  })
}
