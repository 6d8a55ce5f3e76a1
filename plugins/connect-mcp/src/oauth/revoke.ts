import {
  assertSecureTokenEndpoint,
  selectClientAuthMethod,
  type FetchLike,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { Grant } from './grant.ts'
import { authenticationOf } from './oauth-flow.ts'
import type { OAuthClient } from './auth-spec.ts'

/**
 * Tells the authorization server that a grant is not needed any more (RFC 7009): the refresh token,
 * with which the access tokens of it end. Does nothing where the server takes no such requests.
 */
export async function revoke(
  { tokens, discovery }: Grant,
  client: StoredOAuthClientInformation,
  own: OAuthClient,
  fetch: FetchLike,
): Promise<void> {
  const metadata = discovery?.authorizationServerMetadata
  const endpoint: unknown =
    metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  if (!tokens || typeof endpoint !== 'string') return
  const url = assertSecureTokenEndpoint(endpoint)
  const { access_token: access, refresh_token: refresh } = tokens
  const params = new URLSearchParams({
    token: refresh ?? access,
    token_type_hint: refresh === undefined ? 'access_token' : 'refresh_token',
  })
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
  const authenticate = authenticationOf(own)
  if (authenticate) await authenticate(headers, params, url, metadata)
  else identify(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, params)
  const response = await fetch(url, { method: 'POST', headers, body: params })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the authorization server answered ${response.status}`)
}

function identify(
  client: StoredOAuthClientInformation,
  methods: string[],
  headers: Headers,
  params: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret = '' } = client
  const method = selectClientAuthMethod(client, methods)
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
    return
  }
  params.set('client_id', id)
  if (method === 'client_secret_post') params.set('client_secret', secret)
}
