import { err, failure, ok, type Failure, type OutboundResponse, type Result } from '@amodal/sdk'
import { displayUrl } from './address.ts'
import { discardBody } from './send.ts'

/**
 * Reads a response, and stops at the first chunk beyond the limit, so that memory stays bounded.
 *
 * @returns the response, or `TOO_LARGE`. Rejects when the connection breaks.
 */
export async function readResponse(
  response: Response,
  url: URL,
  maxBytes: number,
): Promise<Result<OutboundResponse, Failure>> {
  const tooLarge = err(
    failure('TOO_LARGE', `the response of ${displayUrl(url)} is larger than ${maxBytes} bytes`, {
      details: { sent: true, status: response.status },
    }),
  )
  if (isLonger(response.headers.get('content-length'), maxBytes)) {
    await discardBody(response)
    return tooLarge
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // leaving the loop cancels the body and frees the connection
    if (size > maxBytes) return tooLarge
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks, size)
  return ok({
    status: response.status,
    headers: plain(response.headers),
    body,
    url: url.href,
    text: () => new TextDecoder().decode(body),
  })
}

/**
 * `content-length` counts the bytes on the wire, so it can only show that a response is too long.
 */
function isLonger(contentLength: string | null, maxBytes: number): boolean {
  return contentLength !== null && Number(contentLength) > maxBytes
}

function plain(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...new Set(headers.keys())].map((name) => [name, headers.get(name) ?? '']),
  )
}
