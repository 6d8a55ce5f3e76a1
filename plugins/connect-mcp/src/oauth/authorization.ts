import {
  hashOf,
  messageOf,
  sleep,
  type Failure,
  type JsonObject,
  type Logger,
  type Outbound,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  type FetchLike,
  isStrictScopeSuperset,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  type AuthProvider,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { shown } from '../untrusted.ts'
import { MemoryVault, type Vault } from '../vault.ts'
import { authFetch } from './auth-fetch.ts'
import type { OAuthClient } from './auth-spec.ts'
import { grantOf, type Grant } from './grant.ts'
import { Grants, type KeptGrant } from './grants.ts'
import { authenticationOf, givenClient, providerOf, type Flow } from './oauth-flow.ts'
import { revoke } from './revoke.ts'
import { howToSignIn, SignInNeededError } from './sign-in-needed.ts'

export interface AuthorizationParts {
  /** Of the connection. */
  readonly name: string
  readonly url: URL
  readonly own: OAuthClient
  readonly vault: Vault
  readonly outbound: Outbound
  readonly secrets: Pick<Secrets, 'protect' | 'mask'>
  readonly log: Logger
}

/** What a server has said when it refused: what is asked for next. */
export interface Challenge {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
}

/** Tokens are refreshed this long before they end, ms; or a tenth of their life. */
const EARLY_MS = 30_000
/** Seconds for which one instance alone refreshes. */
const HOLD_SECONDS = 30
/** ms between two looks whether another instance has refreshed. */
const LOOK_MS = 150

/** What a server may be sent, and what it still wants. One for each connection and address. */
export class Authorization implements AuthProvider {
  readonly name: string
  readonly url: URL
  readonly own: OAuthClient
  readonly grants: Grants
  readonly fetch: FetchLike
  readonly #log: Logger
  readonly #mask: (text: string) => string
  #challenge: Challenge = {}
  #missing: string | undefined
  #isNeeded = false
  #given: string | undefined
  #renewing: Promise<KeptGrant | undefined> | undefined

  constructor({ name, url, own, vault, outbound, secrets, log }: AuthorizationParts) {
    this.name = name
    this.url = url
    this.own = own
    const isMachine = own.grant === 'client_credentials'
    const key = hashOf({ name, url: url.href, client: own.clientId ?? null, grant: own.grant })
    // A client with credentials gets tokens at any time: there is nothing to keep.
    this.grants = new Grants(`grant:${key}`, isMachine ? new MemoryVault() : vault, secrets)
    this.fetch = authFetch(outbound, [
      url.origin,
      ...(own.issuer === undefined ? [] : [new URL(own.issuer).origin]),
    ])
    this.#log = log
    this.#mask = (text) => secrets.mask(text)
  }

  get challenge(): Challenge {
    return this.#challenge
  }
  /** All that is needed, where the server wants more than was allowed. */
  get missingScope(): string | undefined {
    return this.#missing
  }

  /** Why the server does not serve this agent, if it is for want of a person. */
  get problem(): string | undefined {
    if (this.#missing !== undefined)
      return `it wants more rights (${this.#mask(this.#missing)}): ${howToSignIn(this.name)}`
    return this.#isNeeded ? `somebody has to sign in: ${howToSignIn(this.name)}` : undefined
  }

  /** For people who look; without secrets. */
  describe(): JsonObject {
    const { known } = this.grants
    const issuer = known?.tokens?.issuer ?? this.own.issuer
    return {
      status: this.#status(known),
      grant: this.own.grant,
      ...(issuer !== undefined && { issuer }),
      ...(known?.scope !== undefined && { scope: known.scope }),
      ...(this.#missing !== undefined && { missing_scope: this.#missing }),
      ...(known?.expiresAt !== undefined &&
        known.tokens && { expires_at: new Date(known.expiresAt).toISOString() }),
      ...(known?.tokens && { refreshes: known.tokens.refresh_token !== undefined }),
      lasting: this.grants.lasting,
    }
  }

  #status(known: Grant | undefined): string {
    if (this.#missing !== undefined) return 'more_rights_needed'
    if (this.#isNeeded) return 'sign_in_needed'
    return known?.tokens ? 'signed_in' : 'not_needed'
  }

  async token(): Promise<string | undefined> {
    const kept = thrown(await this.grants.current()) // nothing was sent
    const fresh = kept && isEnding(kept.grant) ? await this.#renewEarly(kept) : kept
    this.#given = fresh?.grant.tokens?.access_token
    return this.#given
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    this.#challenge = extractWWWAuthenticateParams(response)
    const isOther = await this.#replaced(this.#given).catch((cause: unknown) => {
      // The server has refused the request: it was not carried out, whatever comes of this.
      throw new SignInNeededError(`there is no token for it now: ${messageOf(cause)}`, { cause })
    })
    if (isOther) return
    this.#isNeeded = true
    throw new SignInNeededError(`${this.problem}`)
  }

  /** Whether there is another token than the one that was refused. */
  async #replaced(given: string | undefined): Promise<boolean> {
    // Another instance may have refreshed it, or somebody may have signed in.
    const kept = thrown(await this.grants.read())
    const token = kept?.grant.tokens?.access_token
    return (token !== undefined && token !== given) || (await this.#renew(kept)) !== undefined
  }

  /**
   * Where the server has refused something for want of rights: whether there are more of them now,
   * so that it may be asked again.
   */
  async rightsAfter(cause: unknown): Promise<'more' | 'too few' | undefined> {
    if (!(cause instanceof InsufficientScopeError)) return undefined
    try {
      return (await this.#widen(cause)) ? 'more' : 'too few'
    } catch (error) {
      this.#warn('mcp.no_more_rights', error)
      return 'too few'
    }
  }

  async #widen({ requiredScope, resourceMetadataUrl }: InsufficientScopeError): Promise<boolean> {
    const kept = thrown(await this.grants.read())
    const isOther = kept?.grant.tokens?.access_token !== this.#given
    const union = computeScopeUnion(kept?.grant.scope, requiredScope)
    this.#challenge = {
      scope: union,
      resourceMetadataUrl: resourceMetadataUrl ?? this.#challenge.resourceMetadataUrl,
    }
    if (!isStrictScopeSuperset(union, kept?.grant.scope)) return isOther
    if (this.own.grant === 'client_credentials') return (await this.#renew(kept)) !== undefined
    this.#missing = union
    return false
  }

  /** Somebody has signed in. */
  async signedIn(grant: Grant): Promise<Result<KeptGrant, Failure>> {
    const kept = await this.grants.put(grant)
    if (kept.ok) this.#settle()
    return kept
  }

  /** It is forgotten here first, whatever the authorization server says to that. */
  async signOut(): Promise<Result<void, Failure>> {
    const kept = await this.grants.read()
    const removed = await this.grants.remove()
    if (!removed.ok) return removed
    this.#settle()
    const grant = kept.ok ? kept.value?.grant : undefined
    const client = grant && this.#client(grant)
    if (client)
      await revoke(grant, client, this.own, this.fetch).catch((cause: unknown) =>
        this.#warn('mcp.not_revoked', cause),
      )
    return removed
  }

  /** Another instance has changed it. */
  forget(): void {
    this.grants.forget()
    this.#settle()
  }

  close(): void {
    this.grants.close()
  }

  #warn(event: string, cause: unknown): void {
    this.#log.warn(event, { server: this.name, error: shown(messageOf(cause), 500, this.#mask) })
  }

  #settle(): void {
    this.#isNeeded = false
    this.#missing = undefined
  }

  /** Before it ends: where that fails, what there is serves until it does. */
  async #renewEarly(kept: KeptGrant): Promise<KeptGrant | undefined> {
    try {
      return await this.#renew(kept)
    } catch (cause) {
      this.#warn('mcp.refresh_failed', cause)
      return kept
    }
  }

  /** Once for all callers. `undefined`: nobody but a person can get a new token. */
  #renew(kept: KeptGrant | undefined): Promise<KeptGrant | undefined> {
    const renewed = (): Promise<KeptGrant | undefined> => {
      if (this.own.grant === 'client_credentials') return this.#fetchToken()
      return kept?.grant.tokens?.refresh_token === undefined
        ? Promise.resolve(undefined)
        : this.#refresh(kept)
    }
    this.#renewing ??= renewed().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #fetchToken(): Promise<KeptGrant> {
    const flow: Flow = { own: this.own }
    const { scope, resourceMetadataUrl } = this.#challenge
    const asked = computeScopeUnion(this.own.scope, scope)
    await auth(providerOf(flow), {
      serverUrl: this.url,
      fetchFn: this.fetch,
      ...(asked !== undefined && { scope: asked }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    })
    if (!flow.tokens) throw new Error(`no token came for "${this.name}"`)
    const more = { ...(asked !== undefined && { scope: asked }) }
    return thrown(await this.grants.put(grantOf(flow.tokens, more)))
  }

  /**
   * A refresh token may be good for one use, so one instance alone uses it, and the others take
   * what it got.
   */
  async #refresh(kept: KeptGrant): Promise<KeptGrant | undefined> {
    let now: KeptGrant | undefined = kept
    const until = performance.now() + HOLD_SECONDS * 1_000
    while (now?.version === kept.version && performance.now() < until) {
      if (thrown(await this.grants.hold(now.version, HOLD_SECONDS))) return this.#refreshHeld(now)
      await sleep(LOOK_MS)
      now = thrown(await this.grants.read())
    }
    return now?.grant.tokens ? now : undefined
  }

  async #refreshHeld({ version, grant }: KeptGrant): Promise<KeptGrant | undefined> {
    const { tokens, discovery, scope } = grant
    const client = this.#client(grant)
    if (!client || !discovery || tokens?.refresh_token === undefined) return undefined
    const authentication = authenticationOf(this.own)
    try {
      const { authorizationServerMetadata: metadata, resourceMetadata } = discovery
      const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
        ...(metadata && { metadata }),
        clientInformation: client,
        refreshToken: tokens.refresh_token,
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
        ...(authentication && { addClientAuthentication: authentication }),
        fetchFn: this.fetch,
      })
      const issuer = tokens.issuer
      const stamped = { ...fresh, ...(issuer !== undefined && { issuer }) }
      const { expiresAt: _, ...rest } = grant
      return await this.#keep(
        version,
        grantOf(stamped, { ...rest, ...(scope !== undefined && { scope }) }),
      )
    } catch (cause) {
      if (!isTakenBack(cause)) {
        await this.grants.release(version)
        throw cause
      }
      this.#warn('mcp.signed_out', cause)
      const { tokens: _, expiresAt: _until, client: _client, ...rest } = grant
      const isClient = cause.code !== INVALID_GRANT
      const left = isClient || !grant.client ? rest : { ...rest, client: grant.client }
      const now = thrown(await this.grants.replace(version, left))
      return now?.grant.tokens ? now : undefined
    }
  }

  /** The old token may be worth nothing now: a database that fails once is tried again. */
  async #keep(version: number, grant: Grant): Promise<KeptGrant | undefined> {
    const kept = await this.grants.replace(version, grant)
    if (kept.ok) return kept.value
    await sleep(LOOK_MS)
    return thrown(await this.grants.replace(version, grant))
  }

  #client({ client }: Grant): StoredOAuthClientInformation | undefined {
    return givenClient(this.own) ?? client
  }
}

const INVALID_GRANT: string = OAuthErrorCode.InvalidGrant
const TAKEN_BACK: readonly string[] = [
  INVALID_GRANT,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]

/** The authorization server has taken back what it gave. */
const isTakenBack = (cause: unknown): cause is OAuthError =>
  cause instanceof OAuthError && TAKEN_BACK.includes(cause.code)

function isEnding({ tokens, expiresAt }: Grant): boolean {
  if (expiresAt === undefined) return false
  const life = (tokens?.expires_in ?? 0) * 1_000
  return Date.now() > expiresAt - Math.min(EARLY_MS, life / 10)
}

/** At the edge to the client library, which knows exceptions only. */
function thrown<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  const { error } = result
  const details = { ...error.details, sent: false }
  throw new Error(error.message, { cause: { ...error, details } })
}
