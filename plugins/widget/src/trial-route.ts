import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RouteHandler } from '@amodal/sdk'
import { describeRoutes, staticFile, staticRoute } from '@amodal/plugin-http/tokens'
import { PAGE } from './starter.ts'

/** Scripts and requests of this server alone; styles as a person tries them in the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
}

/**
 * `GET /widget.html`: the page that `amodal init --with widget` writes, read each time, so that an
 * edit shows with a reload. It is of the server's own origin, so nothing has to be allowed.
 *
 * @param dir the agent folder; `undefined`: no page is served
 */
export const trialRoute = (dir: string | undefined): RouteHandler =>
  describeRoutes(
    staticRoute(async () => {
      const bytes = dir === undefined ? undefined : await read(join(dir, PAGE))
      return bytes && staticFile(bytes, HEADERS)
    }),
    {
      'GET /widget.html': {
        summary: 'the page to try the widget on, with the preset `dev`',
        responses: {
          200: { about: 'The page.', types: ['text/html'] },
          304: { about: 'It has not changed.' },
        },
        errors: ['NOT_FOUND'],
      },
    },
  )

/** @returns nothing where the folder has no such file */
async function read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(path))
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}
