import { slot, type Failure, type Result } from '@amodal/sdk'

/** What is known of a kept key. Its secret is kept nowhere. */
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

/** Keys that are kept in the database. `NOT_FOUND` where there is none. */
export interface ApiKeys {
  /** `text` is the key itself, which nobody can tell later. */
  create(
    key: NewApiKey,
    signal: AbortSignal,
  ): Promise<Result<{ readonly key: ApiKey; readonly text: string }, Failure>>
  list(signal: AbortSignal): Promise<Result<readonly ApiKey[], Failure>>
  /** `false` where there is no such key. One that was revoked before stays so. */
  revoke(id: string, signal: AbortSignal): Promise<Result<boolean, Failure>>
}
export const ApiKeys = slot.kernel<ApiKeys>('api-keys')
