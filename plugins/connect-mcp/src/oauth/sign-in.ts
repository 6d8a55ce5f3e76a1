import { createHash, randomBytes } from 'node:crypto'
import {
  err,
  failure,
  messageOf,
  ok,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import {
  auth,
  computeScopeUnion,
  OAuthClientFlowError,
  StreamableHTTPClientTransport,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { Vault } from '../vault.ts'
import type { Authorization } from './authorization.ts'
import { grantOf, readLogin, type Grant, type Login } from './grant.ts'
import { providerOf, type Flow } from './oauth-flow.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** 32 bytes in base64url. */
const STATE = /^[\w-]{43}$/
const NO_LOGIN = failure(
  'NOT_FOUND',
  'no such login has begun, or it has taken too long, or it is over: begin again',
)
/** Seconds that somebody has for the pages of the authorization server. */
const LOGIN_SECONDS = 600

export interface BegunLogin {
  /** Where the person has to go. */
  readonly url: string
  readonly expiresInSeconds: number
}

export interface LoginOptions {
  readonly redirectUrl: string
  /** A document at this address that describes this agent, and that names the redirect. */
  readonly clientMetadataUrl?: string | undefined
  /** Who signs in. */
  readonly by: string
}

/** Asks the authorization server of a connection where a person has to go. */
export async function beginLogin(
  authorization: Authorization,
  vault: Vault,
  { redirectUrl, clientMetadataUrl, by }: LoginOptions,
): Outcome<BegunLogin> {
  const { own, url, name, challenge, grants } = authorization
  if (own.grant !== 'authorization_code')
    return err(
      failure('VALIDATION_ERROR', `"${name}" has credentials of its own: nobody signs in to it`),
    )
  const kept = await grants.current()
  if (!kept.ok) return kept
  const state = randomBytes(32).toString('base64url')
  const metadataUrl = own.clientMetadataUrl ?? clientMetadataUrl
  const flow: Flow = {
    own,
    redirectUrl,
    state,
    client: reusable(kept.value?.grant.client, redirectUrl),
    ...(metadataUrl !== undefined && { clientMetadataUrl: metadataUrl }),
  }
  const scope = computeScopeUnion(own.scope, authorization.missingScope ?? challenge.scope)
  try {
    await auth(providerOf(flow), {
      serverUrl: url,
      fetchFn: authorization.fetch,
      forceReauthorization: true,
      ...(scope !== undefined && { scope }),
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    })
  } catch (cause) {
    return failed(name, cause)
  }
  const { url: page, verifier, discovery } = flow
  if (!page || verifier === undefined || !discovery)
    return err(failure('TARGET_ERROR', `"${name}" does not say where to sign in`))
  const asked = page.searchParams.get('scope')
  const login: Login = {
    connection: name,
    grant: grants.name,
    redirectUrl,
    verifier,
    discovery,
    by,
    ...(flow.client && { client: flow.client }),
    ...(asked !== null && { scope: asked }),
  }
  const put = await vault.put(loginName(state), JSON.stringify(login), LOGIN_SECONDS)
  return put.ok ? ok({ url: page.href, expiresInSeconds: LOGIN_SECONDS }) : put
}

/** @returns the login that a person comes back from; it is gone then */
export async function takeLogin(vault: Vault, params: URLSearchParams): Outcome<Login> {
  const state = params.get('state') ?? ''
  // anybody may come: what cannot be one of ours costs nothing
  if (!STATE.test(state)) return err(NO_LOGIN)
  const kept = await vault.take(loginName(state))
  if (!kept.ok) return kept
  const login = kept.value && readLogin(kept.value.text)
  return login ? ok(login) : err(NO_LOGIN)
}

/** Gets tokens for the code that a person comes back with. */
export async function finishLogin(
  authorization: Authorization,
  login: Login,
  params: URLSearchParams,
): Outcome<JsonObject> {
  const { own, url, name, grants } = authorization
  if (login.grant !== grants.name)
    return err(failure('NOT_FOUND', `"${name}" is another server since: begin again`))
  const { verifier, discovery, redirectUrl, scope } = login
  const flow: Flow = { own, redirectUrl, verifier, discovery, client: login.client }
  const transport = new StreamableHTTPClientTransport(url, {
    authProvider: providerOf(flow),
    fetch: authorization.fetch,
  })
  try {
    await transport.finishAuth(params)
  } catch (cause) {
    return failed(name, cause)
  }
  if (!flow.tokens) return err(failure('TARGET_ERROR', `no token came for "${name}"`))
  const grant: Grant = grantOf(flow.tokens, {
    discovery,
    ...(flow.client && { client: flow.client }),
    ...(scope !== undefined && { scope }),
  })
  const kept = await authorization.signedIn(grant)
  return kept.ok ? ok(authorization.describe()) : kept
}

/** The state is a secret: whoever reads the table cannot come back with it. */
const loginName = (state: string): string =>
  `login:${createHash('sha256').update(state).digest('hex')}`

/** A client is registered for its addresses, and its secret may end. */
function reusable(
  client: StoredOAuthClientInformation | undefined,
  redirectUrl: string,
): StoredOAuthClientInformation | undefined {
  if (!client) return undefined
  const redirects: unknown = 'redirect_uris' in client ? client.redirect_uris : undefined
  const ends: unknown = 'client_secret_expires_at' in client ? client.client_secret_expires_at : 0
  const isOver = typeof ends === 'number' && ends > 0 && ends * 1_000 < Date.now()
  return Array.isArray(redirects) && redirects.includes(redirectUrl) && !isOver ? client : undefined
}

/** What went wrong may be quoted from a stranger: callers mask and cut it. */
const failed = (name: string, cause: unknown): Result<never, Failure> =>
  err(
    failure(
      cause instanceof TypeError ? 'OUTBOUND_FAILED' : 'TARGET_ERROR',
      `nobody can sign in to "${name}": ${cause instanceof OAuthClientFlowError ? cause.message : messageOf(cause)}`,
    ),
  )
