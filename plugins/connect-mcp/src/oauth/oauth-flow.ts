import {
  createPrivateKeyJwtAuth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { OAuthClient } from './auth-spec.ts'

/** One authorization from its beginning to its tokens. The client library fills it in. */
export interface Flow {
  readonly own: OAuthClient
  /** None: nobody is asked, the client has credentials. */
  readonly redirectUrl?: string
  readonly clientMetadataUrl?: string
  readonly state?: string
  /** Registered before. */
  client?: StoredOAuthClientInformation | undefined
  verifier?: string
  discovery?: OAuthDiscoveryState
  /** Where the person has to go. */
  url?: URL
  tokens?: StoredOAuthTokens
}

/** The client that the agent's files name, bound to its issuer. */
export function givenClient(own: OAuthClient): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret, issuer } = own
  return clientId === undefined
    ? undefined
    : {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(issuer !== undefined && { issuer }),
      }
}

/** How a client with a key proves that it is that client (RFC 7523). */
export function authenticationOf({
  clientId,
  privateKey,
  algorithm,
}: OAuthClient): OAuthClientProvider['addClientAuthentication'] {
  return clientId === undefined || privateKey === undefined || algorithm === undefined
    ? undefined
    : createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm })
}

/** A flow as the client library wants it: it keeps nothing beyond the flow. */
export function providerOf(flow: Flow): OAuthClientProvider {
  const { own, redirectUrl, state, clientMetadataUrl } = flow
  const given = givenClient(own)
  const authentication = authenticationOf(own)
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Amodal',
      redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
      grant_types:
        redirectUrl === undefined
          ? ['client_credentials']
          : ['authorization_code', 'refresh_token'],
      ...(redirectUrl !== undefined && { response_types: ['code'] }),
      ...(own.scope !== undefined && { scope: own.scope }),
    },
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(state !== undefined && { state: () => state }),
    clientInformation: () => given ?? flow.client,
    // Without it a client that is bound to another issuer is an error, and not registered anew.
    ...(!given && {
      saveClientInformation: (client: StoredOAuthClientInformation) => {
        flow.client = client
      },
    }),
    // what there is, is refreshed elsewhere
    tokens: () => undefined,
    saveTokens: (tokens) => {
      flow.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      flow.url = url
    },
    saveCodeVerifier: (verifier) => {
      flow.verifier = verifier
    },
    codeVerifier: () => flow.verifier ?? '',
    saveDiscoveryState: (discovery) => {
      flow.discovery = discovery
    },
    discoveryState: () => flow.discovery,
    ...(redirectUrl === undefined && {
      prepareTokenRequest: (scope?: string) =>
        new URLSearchParams({
          grant_type: 'client_credentials',
          ...(scope !== undefined && { scope }),
        }),
    }),
    ...(authentication && { addClientAuthentication: authentication }),
  }
}
