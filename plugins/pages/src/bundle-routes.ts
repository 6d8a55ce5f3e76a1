import { failure, type RouteHandler } from '@amodal/sdk'
import { describeRoutes, failed } from '@amodal/plugin-http/tokens'
import type { Catalogue } from './catalogue.ts'
import { FRAME_POLICY, type Frame } from './frame.ts'

const SCRIPT = /^\/pages-bundle\/[\w-]+-([0-9a-f]{32})\.js$/
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * `/pages-bundle`: scripts of pages and the document that shows them, named after their content. A
 * browser sends no credential with them, so whoever knows the name gets them: they hold no data,
 * and the names stand in the list of pages alone.
 */
export const bundleRoutes = (catalogue: Catalogue, frame: () => Promise<Frame>): RouteHandler =>
  describeRoutes(
    {
      async fetch(request) {
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return failed(failure('NOT_ALLOWED', `${request.method} is not offered here; GET is`), {
            allow: 'GET',
          })
        const { pathname } = new URL(request.url)
        const { path, html, scriptPath, script } = await frame()
        const shown = (body: string, headers: Readonly<Record<string, string>>): Response =>
          new Response(request.method === 'HEAD' ? null : body, {
            headers: { 'cache-control': FOREVER, ...headers },
          })
        if (pathname === path)
          return shown(html, {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': FRAME_POLICY,
            'x-frame-options': 'SAMEORIGIN',
          })
        // A sandboxed document has no origin, so its script comes from another one.
        if (pathname === scriptPath)
          return shown(script, {
            'content-type': 'text/javascript; charset=utf-8',
            'cross-origin-resource-policy': 'cross-origin',
          })
        const [, hash = ''] = SCRIPT.exec(pathname) ?? []
        const built = hash === '' ? undefined : await catalogue.script(hash)
        return built
          ? shown(built.code, { 'content-type': 'text/javascript; charset=utf-8' })
          : failed(failure('NOT_FOUND', 'there is no such script: ask for the list of pages again'))
      },
    },
    {
      'GET /pages-bundle/:file': {
        summary: 'scripts of pages and the frame that runs them, named by their content',
        responses: { 200: { about: 'The file.', types: ['text/javascript', 'text/html'] } },
      },
    },
  )

/**
 * `/pages/NAME`: opens the page in the studio, with the parameters of the address.
 *
 * @param hasStudio whether this server has one
 */
export const openRoutes = (hasStudio: () => boolean): RouteHandler =>
  describeRoutes(
    {
      fetch(request) {
        if (!hasStudio())
          return failed(
            failure(
              'NOT_FOUND',
              'this server has no studio to show pages in: add "studio" to `plugins` in amodal.json',
            ),
          )
        const { pathname, search } = new URL(request.url)
        return new Response(null, { status: 302, headers: { location: `/#${pathname}${search}` } })
      },
    },
    {
      'GET /pages/:name': {
        summary: 'opens a page in the studio',
        responses: { 302: { about: 'The address of the page in the studio.' } },
      },
    },
  )
