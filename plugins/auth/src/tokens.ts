import { slot, type Failure, type Result } from '@amodal/sdk'

/** The facts of a stored key. Its secret is not stored. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** Whose data; left out where a request says it. */
  readonly tenant?: string
  readonly createdAt: Date
  readonly expiresAt?: Date
  readonly revokedAt?: Date
}

export interface NewApiKey {
  readonly name: string
  readonly roles?: readonly string[]
  /** `chat` and `sessions` where it is left out. */
  readonly scopes?: readonly string[]
  readonly tenant?: string
  readonly expiresAt?: Date
}

/** Keys stored in the database. `NOT_FOUND` if there is no database. */
export interface ApiKeys {
  /** `text` is the key itself, which cannot be retrieved later. */
  create(
    key: NewApiKey,
    signal: AbortSignal,
  ): Promise<Result<{ readonly key: ApiKey; readonly text: string }, Failure>>
  list(signal: AbortSignal): Promise<Result<readonly ApiKey[], Failure>>
  /** `false` where there is no such key. One that was revoked before stays so. */
  revoke(id: string, signal: AbortSignal): Promise<Result<boolean, Failure>>
}
export const ApiKeys = slot.kernel<ApiKeys>('api-keys')

/** Who gives the tokens that are good here, for clients that look for one. */
export interface TokenIssuers {
  /** Their addresses, as `iss` says them. */
  readonly issuers: readonly string[]
}
export const TokenIssuers = slot.kernel<TokenIssuers>('token-issuers')
