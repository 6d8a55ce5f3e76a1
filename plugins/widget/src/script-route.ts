import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { failure, type RouteHandler } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'
import { widgetScript } from '@amodal/widget/server'

/** The script as it is sent. */
interface Script {
  readonly etag: string
  readonly encodings: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

/** Seconds for which a browser uses the script without asking. */
const MAX_AGE = 300

/** `GET /widget.js`: it has no data, so it needs no credential, and every page may load it. */
export function scriptRoute(): RouteHandler {
  let script: Promise<Script> | undefined
  return {
    async fetch(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return failed(failure('NOT_ALLOWED', `${request.method} is not offered here; GET is`), {
          allow: 'GET',
        })
      script ??= readScript()
      try {
        return answer(request, await script)
      } catch (cause) {
        script = undefined
        throw cause
      }
    },
  }
}

async function readScript(): Promise<Script> {
  const bytes = await widgetScript()
  return {
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    encodings: new Map([
      ['br', new Uint8Array(await promisify(brotliCompress)(bytes))],
      ['gzip', new Uint8Array(await promisify(gzip)(bytes, { level: 9 }))],
      ['identity', bytes],
    ]),
  }
}

function answer({ method, headers: sent }: Request, { etag, encodings }: Script): Response {
  const headers = new Headers({
    'content-type': 'text/javascript; charset=utf-8',
    etag,
    vary: 'accept-encoding',
    'cache-control': `public, max-age=${MAX_AGE}`,
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  })
  if (sent.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  const accepted = sent.get('accept-encoding') ?? ''
  const encoding = ['br', 'gzip'].find((name) => new RegExp(`\\b${name}\\b`).test(accepted))
  if (encoding !== undefined) headers.set('content-encoding', encoding)
  const body = encodings.get(encoding ?? 'identity')
  return new Response(method === 'HEAD' ? null : body, { headers })
}
