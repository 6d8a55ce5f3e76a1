import {
  err,
  failure,
  ok,
  trySync,
  type Failure,
  type Logger,
  type Outbound,
  type Result,
} from '@amodal/sdk'
import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose'

export interface KeySetOptions {
  readonly url: string
  /** ms after which keys are asked for again, in the background. */
  readonly refreshMs: number
  /** ms for which known keys count while the issuer cannot be reached. */
  readonly keepMs: number
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>

const FETCH_MS = 5_000
const MAX_BYTES = 1_000_000
/** ms between two questions because of a key that is not known, or because of a failure. */
const COOL_DOWN_MS = 30_000

/**
 * The public keys of an issuer. Known ones go on counting while it cannot be reached; one that is
 * not known is asked for once, and is no good if it is not there: whoever makes up ids of keys
 * makes nobody wait, nor the issuer work.
 */
export class KeySet {
  readonly #options: KeySetOptions
  readonly #outbound: Outbound
  readonly #log: Logger
  #keys: LocalKeySet | undefined
  #fetchedAt = -Infinity
  #failedAt = -Infinity
  #askedAt = -Infinity
  #fetching: Promise<Result<void, Failure>> | undefined

  constructor(options: KeySetOptions, outbound: Outbound, log: Logger) {
    this.#options = options
    this.#outbound = outbound
    this.#log = log
  }

  /** What is needed before a token can be looked at: keys that count. */
  async ready(): Promise<Result<void, Failure>> {
    const age = performance.now() - this.#fetchedAt
    if (this.#keys && age <= this.#options.refreshMs) return ok(undefined)
    const isCool = performance.now() - this.#failedAt > COOL_DOWN_MS
    if (this.#keys && age <= this.#options.refreshMs + this.#options.keepMs) {
      if (isCool) void this.#fetch()
      return ok(undefined)
    }
    return isCool || this.#fetching
      ? this.#fetch()
      : err(failure('OUTBOUND_FAILED', 'the keys of the issuer cannot be had now', { status: 503 }))
  }

  /**
   * The key that a token says it is signed with; throws where there is none. For `jwtVerify`, after
   * `ready`.
   */
  readonly keyOf = async (
    header: JWTHeaderParameters,
    token: FlattenedJWSInput,
  ): Promise<CryptoKey> => {
    if (!this.#keys) throw new errors.JWKSNoMatchingKey()
    try {
      return await this.#keys(header, token)
    } catch (cause) {
      if (
        !(cause instanceof errors.JWKSNoMatchingKey) ||
        performance.now() - this.#askedAt < COOL_DOWN_MS
      )
        throw cause
      this.#askedAt = performance.now()
      await this.#fetch()
      return this.#keys(header, token)
    }
  }

  #fetch(): Promise<Result<void, Failure>> {
    this.#fetching ??= this.#ask().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #ask(): Promise<Result<void, Failure>> {
    const { url } = this.#options
    const headers = { accept: 'application/json, application/jwk-set+json' }
    const answer = await this.#outbound.request({
      lease: undefined, // no run asks
      url,
      method: 'GET',
      headers,
      timeoutMs: FETCH_MS,
      maxBytes: MAX_BYTES,
      privateOrigin: new URL(url).origin,
    })
    const keys = answer.ok ? keysIn(answer.value.status, answer.value.text()) : answer
    if (!keys.ok) {
      this.#failedAt = performance.now()
      this.#log.warn('auth.issuer_failed', { url, message: keys.error.message })
      return err(
        failure('OUTBOUND_FAILED', 'the keys of the issuer cannot be had now', {
          status: 503,
          cause: keys.error,
        }),
      )
    }
    this.#keys = keys.value
    this.#fetchedAt = performance.now()
    return ok(undefined)
  }
}

function keysIn(status: number, text: string): Result<LocalKeySet, Failure> {
  if (status !== 200) return err(failure('OUTBOUND_FAILED', `it answers with status ${status}`))
  // `createLocalJWKSet` checks what it is given, and throws.
  return trySync(
    () => createLocalJWKSet(JSON.parse(text) as JSONWebKeySet),
    () => failure('OUTBOUND_FAILED', 'it sends no set of keys'),
  )
}
