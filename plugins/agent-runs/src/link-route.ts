import { failure, type RouteHandler } from '@amodal/sdk'
import { describeRoutes, failed, fileHeaders } from '@amodal/plugin-http/tokens'
import { LINK_PATH } from './artifact-links.ts'
import type { ArtifactService, Download } from './artifact-service.ts'

/** One answer for every link that opens nothing: it says neither what is wrong nor what exists. */
const nothing = (): Response => failed(failure('NOT_FOUND', 'there is nothing at this path'))

/** `GET /artifact-links/TOKEN`, for people who have a link and no credential. */
export const linkRoute = (artifacts: ArtifactService): RouteHandler =>
  describeRoutes(
    {
      async fetch(request) {
        if (request.method !== 'GET' && request.method !== 'HEAD') return nothing()
        const token = new URL(request.url).pathname.slice(`${LINK_PATH}/`.length)
        const found = await artifacts.download(token)
        if (!found.ok) return failed(found.error)
        return found.value ? fileResponse(found.value, request.method === 'HEAD') : nothing()
      },
    },
    {
      [`GET ${LINK_PATH}/:token`]: {
        summary: 'what a link to an artifact opens, as a download, until it expires',
        responses: {
          200: { about: 'The artifact.', types: ['text/markdown', 'application/json'] },
        },
      },
    },
  )

const fileResponse = ({ name, type, text }: Download, isHead: boolean): Response =>
  new Response(isHead ? null : text, { headers: fileHeaders(name, `${type}; charset=utf-8`) })
