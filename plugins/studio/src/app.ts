import type { RouteHandler } from '@amodal/sdk'
import { staticRoute } from '@amodal/plugin-http/tokens'
import type { Page } from './page.ts'

/**
 * The page, at `/` and at `/studio`, where links of notices lead, and its static files, below
 * `/studio`. They contain no data, so they need no credential.
 */
export const createRoutes = (page: Page): RouteHandler =>
  staticRoute((path) => page.file(path.slice('/studio/'.length) || 'index.html'))
