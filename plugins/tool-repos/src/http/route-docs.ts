import type { RouteDoc, RouteDocs } from '@amodal/plugin-http/tokens'

const ERRORS = ['REPO_BUSY', 'REPO_GIT_UNUSABLE', 'REPO_UNAVAILABLE'] as const
const HEADERS = { 'git-protocol': '`version=2` for version 2 of the protocol of git' }

const posted = (name: string, summary: string): RouteDoc => ({
  summary,
  headers: HEADERS,
  bodyTypes: [`application/x-git-${name}-request`],
  responses: {
    200: { about: 'In the protocol of git.', types: [`application/x-git-${name}-result`] },
  },
  errors: ERRORS,
})

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /v1/:org/tool/git/:repo/info/refs': {
    summary: 'begins a clone, fetch or push of git',
    headers: HEADERS,
    responses: {
      200: {
        about: 'In the protocol of git.',
        types: [
          'application/x-git-upload-pack-advertisement',
          'application/x-git-receive-pack-advertisement',
        ],
      },
    },
    errors: ERRORS,
  },
  'POST /v1/:org/tool/git/:repo/git-upload-pack': posted(
    'upload-pack',
    'sends a client of git what it clones or fetches',
  ),
  'POST /v1/:org/tool/git/:repo/git-receive-pack': posted(
    'receive-pack',
    'takes what a client of git pushes',
  ),
}
