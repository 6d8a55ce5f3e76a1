import type { RouteHandler } from '@amodal/sdk'
import { failure } from '@amodal/sdk'
import { z } from 'zod'
import { type RouteDoc, type RouteDocs, describeRoutes, failed } from '@amodal/plugin-http/tokens'
import { MCP_PATH } from './tokens.ts'

/** Where clients learn who gives tokens for this server (RFC 9728). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

const Metadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
})
const METADATA_DOC: RouteDoc = {
  summary: 'for MCP clients: who gives tokens for `/mcp`, where `auth` has an issuer',
  responses: { 200: { about: 'The metadata (RFC 9728).', body: Metadata } },
  errors: ['NOT_FOUND', 'NOT_ALLOWED'],
}
const METADATA_DOCS: RouteDocs = {
  [`GET ${METADATA_PATH}`]: METADATA_DOC,
  [`GET ${METADATA_PATH}${MCP_PATH}`]: METADATA_DOC,
}

/** What a refused client is told beside `WWW-Authenticate: Bearer`. */
export const challengeFor =
  (resource: string | undefined, issuers: () => readonly string[]) =>
  ({ url }: Request): string =>
    issuers().length === 0 ? '' : `resource_metadata="${addressOf(url, resource).metadata}"`

/** The metadata of `/mcp`; 404 where no issuer gives tokens. */
export function metadataRoute(
  resource: string | undefined,
  issuers: () => readonly string[],
): RouteHandler {
  return describeRoutes(
    {
      fetch(request) {
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return failed(failure('NOT_ALLOWED', 'this is read with GET'), { allow: 'GET, HEAD' })
        const below = new URL(request.url).pathname.slice(METADATA_PATH.length)
        const known = issuers()
        if (known.length === 0 || (below !== '' && below !== MCP_PATH))
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        return Response.json(
          {
            resource: addressOf(request.url, resource).resource,
            authorization_servers: known,
            scopes_supported: ['chat', 'sessions', 'stores'],
            bearer_methods_supported: ['header'],
          },
          { headers: { 'access-control-allow-origin': '*', 'cache-control': 'max-age=300' } },
        )
      },
    },
    METADATA_DOCS,
  )
}

function addressOf(url: string, configured: string | undefined) {
  const resource = configured ?? new URL(MCP_PATH, url).href
  const { origin, pathname } = new URL(resource)
  return { resource, metadata: `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}` }
}
