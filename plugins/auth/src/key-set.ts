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
import { IssuerUnavailable } from './errors.ts'

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
/** ms between two fetches because of an unknown key or a failure. */
const COOL_DOWN_MS = 30_000

/**
 * The public keys of an issuer. Known keys stay valid while it cannot be reached. An unknown key id
 * triggers one fetch and is refused if it is still missing, so that made-up key ids neither delay
 * other requests nor load the issuer.
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

  /** Resolves once valid keys are loaded, which verifying a token needs. */
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
      : err(IssuerUnavailable('the keys of the issuer cannot be had now'))
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
      lease: undefined, // not on behalf of a run
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
        IssuerUnavailable('the keys of the issuer cannot be had now', { cause: keys.error }),
      )
    }
    this.#keys = keys.value
    this.#fetchedAt = performance.now()
    return ok(undefined)
  }
}

function keysIn(status: number, text: string): Result<LocalKeySet, Failure> {
  if (status !== 200) return err(failure('OUTBOUND_FAILED', `it responds with status ${status}`))
  // `createLocalJWKSet` checks what it is given, and throws.
  return trySync(
    () => createLocalJWKSet(JSON.parse(text) as JSONWebKeySet),
    () => failure('OUTBOUND_FAILED', 'it sends no set of keys'),
  )
}
