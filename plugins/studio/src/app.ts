import { failure, type RouteHandler } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'
import type { File, Page } from './page.ts'

/**
 * Scripts, styles and requests of this server alone; nothing inline, nothing framed, no form that
 * leaves.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // blob: of files that were fetched with the credentials of the person
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // Pages of the agent, in a frame that is sandboxed; it leads nowhere else, so it carries no data
  // away.
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * `GET /` and the static files of the page, below `/studio`. They contain no data, so they need no
 * credential.
 */
export function createRoutes(page: Page): RouteHandler {
  return {
    async fetch(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return failed(failure('NOT_ALLOWED', `${request.method} is not offered here; GET is`), {
          allow: 'GET',
        })
      const { pathname } = new URL(request.url)
      const file = await page.file(
        pathname === '/' ? 'index.html' : pathname.slice('/studio/'.length),
      )
      return file
        ? answer(request, file)
        : failed(failure('NOT_FOUND', 'there is nothing at this path'))
    },
  }
}

/**
 * Files named after their content are kept for good; the page, which names them, is asked for each
 * time.
 */
function answer(request: Request, file: File): Response {
  const headers = new Headers({
    'content-type': file.type,
    etag: file.etag,
    vary: 'accept-encoding',
    'content-security-policy': POLICY,
    'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  if (request.headers.get('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers })
  const zipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  if (zipped) headers.set('content-encoding', 'gzip')
  const body = zipped ? file.gzip : file.bytes
  headers.set('content-length', String(body.byteLength))
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}
