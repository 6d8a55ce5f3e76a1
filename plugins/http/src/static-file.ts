import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { failure, type RouteHandler } from '@amodal/sdk'
import { failed } from './failed.ts'

/** A file as it is sent, as it is and compressed. */
export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

const compressed = promisify(gzip)

/**
 * Compresses a file once, for {@link staticRoute}.
 *
 * @param headers its `content-type`, and what else it is sent with
 */
export const staticFile = async (
  bytes: Uint8Array<ArrayBuffer>,
  headers: StaticFile['headers'],
): Promise<StaticFile> => ({
  headers,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  bytes,
  gzip: new Uint8Array(await compressed(bytes, { level: 9 })),
})

/**
 * Serves files that are the same for everybody: `GET` and `HEAD`, `304` for one that the browser
 * has, compressed where it takes that.
 *
 * @param find the file of a path; `undefined` where there is none
 * @example
 * const script = await staticFile(bytes, { 'content-type': 'text/javascript; charset=utf-8' })
 * table.mount('/script.js', staticRoute(() => script), { open: true, exact: true })
 */
export const staticRoute = (
  find: (path: string) => StaticFile | undefined | Promise<StaticFile | undefined>,
): RouteHandler => ({
  async fetch(request) {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return failed(failure('NOT_ALLOWED', `${request.method} is not offered here; GET is`), {
        allow: 'GET',
      })
    const file = await find(new URL(request.url).pathname)
    return file
      ? answer(request, file)
      : failed(failure('NOT_FOUND', 'there is nothing at this path'))
  },
})

function answer(
  request: Request,
  { headers: own, etag, bytes, gzip: packed }: StaticFile,
): Response {
  const headers = new Headers({ ...own, etag, vary: 'accept-encoding' })
  if (request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers })
  const isPacked = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  if (isPacked) headers.set('content-encoding', 'gzip')
  const body = isPacked ? packed : bytes
  headers.set('content-length', String(body.byteLength))
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}
