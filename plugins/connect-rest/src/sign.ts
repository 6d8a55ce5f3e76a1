import { ok, type Failure, type RestAuth, type Result, type TenantId } from '@amodal/sdk'
import type { Credentials } from './credentials.ts'
import type { OAuthTokens } from './oauth-tokens.ts'

/** The credentials of a request. Set last, so that they override other values. */
export interface Signature {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The access token, which may have to be renewed. */
  readonly token?: string
}

/** Who signs, for whom. `not`: a token that the target did not take. */
export interface Signing {
  readonly name: string
  readonly auth: RestAuth | undefined
  readonly tenant: TenantId
  readonly not: string | undefined
  readonly signal: AbortSignal
}

const NOTHING: Signature = { headers: {}, query: {} }

/** The credentials of a connection. */
export async function sign(
  { name, auth, tenant, not, signal }: Signing,
  credentials: Credentials,
  tokens: OAuthTokens,
): Promise<Result<Signature, Failure>> {
  if (!auth) return ok(NOTHING)
  const where = `auth of "${name}"`
  switch (auth.kind) {
    case 'header': {
      const value = credentials.resolve(auth.value, where, tenant)
      return value.ok
        ? ok({
            ...NOTHING,
            headers: { [auth.header.toLowerCase()]: prefixed(auth.prefix, value.value) },
          })
        : value
    }
    case 'query': {
      const value = credentials.resolve(auth.value, where, tenant)
      return value.ok ? ok({ ...NOTHING, query: { [auth.param]: value.value } }) : value
    }
    case 'basic': {
      const [username, password] = [
        credentials.resolve(auth.username, where, tenant),
        credentials.resolve(auth.password, where, tenant),
      ]
      if (!username.ok) return username
      if (!password.ok) return password
      return ok({
        ...NOTHING,
        headers: {
          authorization: `Basic ${Buffer.from(`${username.value}:${password.value}`).toString('base64')}`,
        },
      })
    }
    case 'oauth2': {
      const token = await tokens.get(name, auth, tenant, not, signal)
      return token.ok
        ? ok({
            headers: { [auth.header.toLowerCase()]: prefixed(auth.prefix, token.value) },
            query: {},
            token: token.value,
          })
        : token
    }
  }
}

/** A variable may hold `Bearer …` already. */
const prefixed = (prefix: string, value: string): string =>
  prefix.trim() !== '' && value.toLowerCase().startsWith(prefix.toLowerCase())
    ? value
    : `${prefix}${value}`
