import type { RouteHandler } from '@amodal/sdk'
import { staticRoute } from '@amodal/plugin-http/tokens'
import type { Page } from './page.ts'

/**
 * `GET /` and the static files of the page, below `/studio`. They contain no data, so they need no
 * credential.
 */
export const createRoutes = (page: Page): RouteHandler =>
  staticRoute((path) => page.file(path === '/' ? 'index.html' : path.slice('/studio/'.length)))
