import type { RouteHandler } from '@amodal/sdk'
import { failure } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'
import { MCP_PATH } from './tokens.ts'

/** Where clients learn who gives tokens for this server (RFC 9728). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

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
  return {
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
  }
}

function addressOf(url: string, configured: string | undefined) {
  const resource = configured ?? new URL(MCP_PATH, url).href
  const { origin, pathname } = new URL(resource)
  return { resource, metadata: `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}` }
}
