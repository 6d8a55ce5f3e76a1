import {
  deadline,
  err,
  failure,
  ok,
  within,
  type Credential,
  type Failure,
  type Outbound,
  type OutboundRequest,
  type RestAuth,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import type { Credentials } from './credentials.ts'

type OAuth = Extract<RestAuth, { kind: 'oauth2' }>
interface Token {
  readonly value: string
  /** Of the monotonic clock. */ readonly until: number
}
interface Entry {
  token?: Token
  flight?: Promise<Result<Token, Failure>>
  /** The newest one, where the server changes it with each use. */ refresh?: string
}

const FETCH_MS = 15_000
/** Without `expires_in` (RFC 6749, 5.1, only recommends it). */
const UNSAID_MS = 5 * 60_000

/** Access tokens by connection and tenant. Many callers of one that is missing make one request. */
export class OAuthTokens {
  readonly #entries = new Map<string, Entry>()
  readonly #outbound: Outbound
  readonly #credentials: Credentials
  readonly #now: () => number

  constructor(outbound: Outbound, credentials: Credentials, now: () => number) {
    this.#outbound = outbound
    this.#credentials = credentials
    this.#now = now
  }

  /** @param not a token that the target did not take */
  async get(
    connection: string,
    auth: OAuth,
    tenant: TenantId,
    not: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<string, Failure>> {
    const entry = this.#entry(JSON.stringify([connection, tenant, auth]))
    if (entry.token && entry.token.value !== not && this.#now() < entry.token.until)
      return ok(entry.token.value)
    // Whoever began it may leave: it goes on for the others, with a deadline of its own.
    entry.flight ??= this.#fetch(connection, auth, tenant, entry).finally(() => {
      delete entry.flight
    })
    const fetched = await within(entry.flight, signal)
    return fetched.ok ? ok(fetched.value.value) : fetched
  }

  /** Tokens that are known now: they must not be shown. */
  values(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ token, refresh }) => [
      ...(token ? [token.value] : []),
      ...(refresh === undefined ? [] : [refresh]),
    ])
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key)
    if (known) return known
    const made: Entry = {}
    this.#entries.set(key, made)
    return made
  }

  async #fetch(
    connection: string,
    auth: OAuth,
    tenant: TenantId,
    entry: Entry,
  ): Promise<Result<Token, Failure>> {
    const limit = deadline(undefined, FETCH_MS)
    try {
      const request = this.#request(connection, auth, tenant, entry)
      if (!request.ok) return request
      const begun = this.#now()
      const answer = await this.#outbound.request({
        ...request.value,
        timeoutMs: FETCH_MS,
        maxBytes: 100_000,
        signal: limit.signal,
      })
      if (!answer.ok)
        return err(
          failure('OUTBOUND_FAILED', `no token for "${connection}": ${answer.error.message}`),
        )
      const read = readToken(answer.value.text())
      if (answer.value.status >= 400 || read?.token === undefined) {
        const why = read?.error ?? `the token endpoint answered ${answer.value.status}`
        return err(
          failure('TARGET_ERROR', `no token for "${connection}": ${why}`, {
            details: { status: answer.value.status },
          }),
        )
      }
      const life = read.expiresMs ?? UNSAID_MS
      entry.token = { value: read.token, until: begun + life - Math.min(60_000, life / 10) }
      if (read.refresh !== undefined) entry.refresh = read.refresh
      return ok(entry.token)
    } finally {
      limit.clear()
    }
  }

  #request(
    connection: string,
    auth: OAuth,
    tenant: TenantId,
    entry: Entry,
  ): Result<OutboundRequest, Failure> {
    const value = (text: Credential | undefined, field: string): Result<string, Failure> =>
      text === undefined
        ? ok('')
        : this.#credentials.resolve(text, `auth.${field} of "${connection}"`, tenant)
    const url = this.#credentials.address(auth.tokenUrl, `auth.tokenUrl of "${connection}"`)
    const id = value(auth.clientId, 'clientId')
    const secret = value(auth.clientSecret, 'clientSecret')
    const refresh =
      entry.refresh === undefined ? value(auth.refreshToken, 'refreshToken') : ok(entry.refresh)
    for (const one of [url, id, secret, refresh]) if (!one.ok) return one
    if (!url.ok || !id.ok || !secret.ok || !refresh.ok)
      return err(failure('INTERNAL', 'a credential was lost'))
    const origin = URL.parse(url.value)?.origin
    if (origin === undefined)
      return err(failure('ENV_NOT_SET', `auth.tokenUrl of "${connection}" is no address`))
    const form = new URLSearchParams({ grant_type: auth.grant })
    if (auth.grant === 'refresh_token') form.set('refresh_token', refresh.value)
    if (auth.scopes.length > 0) form.set('scope', auth.scopes.join(' '))
    if (auth.audience !== undefined) form.set('audience', auth.audience)
    const basic = auth.clientAuth === 'basic' && auth.clientSecret !== undefined
    if (!basic) form.set('client_id', id.value)
    if (!basic && auth.clientSecret !== undefined) form.set('client_secret', secret.value)
    return ok({
      lease: undefined, // a token is the connection's, and no run's
      url: url.value,
      method: 'POST',
      body: form.toString(),
      privateOrigin: origin,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(basic && {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(id.value)}:${encodeURIComponent(secret.value)}`).toString('base64')}`,
        }),
      },
    })
  }
}

/** RFC 6749, 5.1 and 5.2. */
function readToken(text: string):
  | {
      readonly token?: string
      readonly expiresMs?: number
      readonly refresh?: string
      readonly error?: string
    }
  | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return undefined
    const {
      access_token: token,
      expires_in: expires,
      refresh_token: refresh,
      error,
    } = parsed as Readonly<Record<string, unknown>>
    const seconds = Number(expires)
    return {
      ...(typeof token === 'string' && token !== '' && { token }),
      ...(Number.isFinite(seconds) && seconds > 0 && { expiresMs: seconds * 1_000 }),
      ...(typeof refresh === 'string' && refresh !== '' && { refresh }),
      ...(typeof error === 'string' && { error: textStart(error, 100) }),
    }
  } catch {
    return undefined
  }
}
