import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { BodyTooLarge } from './read-json.ts'

/**
 * Holds a request to `limit` bytes of body. A declared length is compared (the parser sees to it that it is true);
 * an undeclared one is counted while it is read.
 */
export function limitBody(request: Request, limit: number): Result<Request, Failure> {
  if (request.method === 'GET' || request.method === 'HEAD') return ok(request)
  const declared = request.headers.get('content-length')
  if (declared !== null && !request.headers.has('transfer-encoding')) {
    return Number(declared) > limit ? err(new BodyTooLarge(limit).failure) : ok(request)
  }
  const { body } = request
  if (body === null) return ok(request)
  const { url, method, headers, signal } = request
  const init: RequestInit & { readonly duplex: 'half' } = { method, headers, signal, body: body.pipeThrough(counter(limit)), duplex: 'half' }
  return ok(new Request(url, init))
}

function counter(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > limit) controller.error(new BodyTooLarge(limit))
      else controller.enqueue(chunk)
    },
  })
}
