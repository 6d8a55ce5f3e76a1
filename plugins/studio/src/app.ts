import type { RouteHandler } from '@amodal/sdk'
import { describeRoutes, staticRoute } from '@amodal/plugin-http/tokens'
import type { Page } from './page.ts'

/**
 * The page, at `/` and at `/studio`, where links of notices lead, and its static files, below
 * `/studio`. They contain no data, so they need no credential.
 */
export const createRoutes = (page: Page): RouteHandler =>
  describeRoutes(
    staticRoute((path) => page.file(path.slice('/studio/'.length) || 'index.html')),
    {
      'GET /': { summary: 'the page of the studio', responses: PAGE },
      'GET /studio': { summary: 'the same page', responses: PAGE },
      'GET /studio/*': {
        summary: 'what the page loads',
        responses: { 200: { about: 'The file.', types: ['*/*'] }, ...UNCHANGED },
      },
    },
  )

const UNCHANGED = { 304: { about: 'It has not changed.' } }
const PAGE = { 200: { about: 'The page.', types: ['text/html'] }, ...UNCHANGED }
