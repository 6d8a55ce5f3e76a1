import { within, type Outbound, type OutboundResponse, type Secrets } from '@amodal/sdk'
import { callError, jsonFields, refusedCall } from '@amodal/sdk/model'
import type { ServiceAccount } from './service-account.ts'

/** What a token may do; which models that includes is up to the roles of the account. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** ms that a request for a token may take. */
const TIMEOUT_MS = 10_000
/** ms before its end at which a token is renewed: a call may be on its way for as long. */
const MARGIN_MS = 300_000
/** ms that a token counts for at least, however short its own time is. */
const SHORTEST_MS = 1_000
/** Of accounts: as many as models are kept ready. */
const MAX_ACCOUNTS = 64
/** Of what the endpoint says, in an error. */
const MAX_CHARS = 500

interface AccessToken {
  readonly value: string
  /** ms since the epoch. */
  readonly renewAt: number
  /** Ends its protection from being shown. */
  readonly release: () => void
}

interface AccountState {
  token?: AccessToken
  /** The request that all calls wait for which need a token. */
  requested?: Promise<AccessToken>
  /** Ends the protection of the private key. */
  readonly release: () => void
}

/**
 * Tokens of service accounts, by the JWT grant (RFC 7523): kept until shortly before they end, and
 * requested once for all calls that wait for one. They and the private keys are masked wherever
 * something is shown.
 *
 * @example
 * const tokens = new AccessTokens(deps)
 * const token = await tokens.of(account, signal)
 */
export class AccessTokens {
  readonly #secrets: Secrets
  readonly #outbound: Outbound
  readonly #accounts = new Map<string, AccountState>()

  constructor({ secrets, outbound }: { readonly secrets: Secrets; readonly outbound: Outbound }) {
    this.#secrets = secrets
    this.#outbound = outbound
  }

  /**
   * The token of an account.
   *
   * @param signal ends the waiting; the request itself has a deadline of 10 seconds, and goes on
   *   for others
   * @returns a token that is good for a call. Rejects with an `APICallError` where there is none:
   *   not retryable where the account was refused, otherwise retryable
   */
  async of(account: ServiceAccount, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    const state = this.#stateOf(account)
    const { token } = state
    if (token !== undefined && Date.now() < token.renewAt) return token.value
    state.requested ??= this.#renew(account, state).finally(() => {
      delete state.requested
    })
    const { value } = await (signal ? within(state.requested, signal) : state.requested)
    return value
  }

  /** A token was refused before its time: the next call requests another one. */
  forget(account: ServiceAccount, refused: string): void {
    const state = this.#accounts.get(identityOf(account))
    if (state?.token?.value !== refused) return
    state.token.release()
    delete state.token
  }

  #stateOf(account: ServiceAccount): AccountState {
    const identity = identityOf(account)
    const known = this.#accounts.get(identity)
    if (known) return known
    const state: AccountState = { release: this.#secrets.protect(account.private_key) }
    for (const [oldest, { token, release }] of this.#accounts) {
      if (this.#accounts.size < MAX_ACCOUNTS) break
      token?.release()
      release()
      this.#accounts.delete(oldest)
    }
    this.#accounts.set(identity, state)
    return state
  }

  async #renew(account: ServiceAccount, state: AccountState): Promise<AccessToken> {
    const url = account.token_uri
    const assertion = await signedAssertion(account)
    const response = await this.#outbound.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
      timeoutMs: TIMEOUT_MS,
      maxBytes: 1_000_000,
      privateOrigin: url,
      lease: undefined,
    })
    if (!response.ok) {
      const { message } = response.error
      throw callError(new Error(message, { cause: response.error }), url)
    }
    const token = this.#tokenIn(response.value, url)
    state.token?.release()
    state.token = token
    return token
  }

  #tokenIn(response: OutboundResponse, url: string): AccessToken {
    const { access_token: value, expires_in: seconds } = jsonFields(response.text())
    if (response.status !== 200 || typeof value !== 'string' || value === '')
      throw refusal(response, url)
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : 0
    return {
      value,
      renewAt: Date.now() + Math.max(SHORTEST_MS, lifetime - MARGIN_MS),
      release: this.#secrets.protect(value),
    }
  }
}

const identityOf = ({ client_email: email, private_key: key, token_uri: uri }: ServiceAccount) =>
  JSON.stringify([email, key, uri])

/** What the account says of itself, signed with its private key. */
async function signedAssertion(account: ServiceAccount): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose')
  const key = await importPKCS8(account.private_key, 'RS256').catch(() => {
    throw refusedCall(
      'invalid credentials: `private_key` of the service account is no PKCS #8 key',
      account.token_uri,
    )
  })
  const { private_key_id: kid, client_email: issuer, token_uri: audience } = account
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(key)
}

/** An answer without a token. Its status is not that of a model, so that it is only in the text. */
function refusal(response: OutboundResponse, url: string): Error {
  const { status } = response
  const { error, error_description: description } = jsonFields(response.text())
  const reason = [error, description].filter((one) => typeof one === 'string').join(': ')
  const message = `${url} answered ${status}: ${reason.slice(0, MAX_CHARS) || 'no token, and no reason given'}`
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  return isFinal
    ? refusedCall(`unauthorized: the service account got no token: ${message}`, url)
    : callError(new Error(message), url)
}
