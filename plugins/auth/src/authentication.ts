import {
  err,
  failure,
  ok,
  type Authenticator,
  type Failure,
  type Identity,
  type Result,
} from '@amodal/sdk'
import { identityOf, isGood, DUMMY_KEY, type KnownKey, type SentKey } from './api-key.ts'
import { credentialOf, type Credential } from './credential.ts'
import type { StoredKeys } from './stored-keys.ts'

/** The sources that identify callers. */
export interface Known {
  readonly given: ReadonlyMap<string, KnownKey>
  readonly kept: StoredKeys | undefined
  /** Whether there are issuers of tokens. */
  readonly issuers: boolean
  /** The identity of a token's subject; `undefined` for an invalid token. */
  readonly identify: (token: string) => Promise<Result<Identity | undefined, Failure>>
  /** The identity of a person whom a backend has signed in; `undefined` for other tokens. */
  readonly identifyPerson: (token: string, origin: string | null) => Promise<Identity | undefined>
  /**
   * The identity of a request while there is neither key nor issuer; `undefined`: all requests
   * share one identity.
   */
  readonly locally?: (credential: Credential) => Identity
}

type Authenticated = Result<Identity | undefined, Failure>

const STARTING = failure('KERNEL_CLOSED', 'the server is starting')

/** The same failure for every invalid credential, whatever the reason. */
const BAD = failure(
  'UNAUTHENTICATED',
  'this credential is not valid: check that it is complete, and neither expired nor revoked',
)

/** Authenticates requests by API keys and tokens. */
export class Authentication implements Authenticator {
  #known: Known | undefined

  /** Requests are authenticated from now on. */
  start(known: Known): void {
    this.#known = known
  }

  isStarting(): boolean {
    return this.#known === undefined
  }

  configured(): boolean | undefined {
    if (!this.#known) return undefined
    const { given, kept, issuers } = this.#known
    if (given.size > 0 || issuers) return true
    return kept ? kept.any : false
  }

  async authenticate({ headers }: Request): Promise<Authenticated> {
    const known = this.#known
    if (!known) return err(STARTING)
    const read = known.kept?.any === undefined ? await known.kept?.read() : undefined
    const credential = credentialOf(headers)
    if (credential.kind === 'token') {
      const person = await known.identifyPerson(credential.token, headers.get('origin'))
      if (person) return ok(person)
    }
    if (this.configured() === false) return ok(known.locally?.(credential))
    switch (credential.kind) {
      case 'none':
        return this.configured() === undefined && read?.ok === false ? read : ok(undefined)
      case 'token': {
        const identified = await known.identify(credential.token)
        return identified.ok && !identified.value ? err(BAD) : identified
      }
      case 'key':
        return this.#byKey(known, credential.key, read)
      case 'bad':
        isGood(DUMMY_KEY, undefined, 0)
        return err(BAD)
      default:
        return credential satisfies never
    }
  }

  /** @param read a failure if the stored keys are not loaded */
  #byKey(
    { given, kept }: Known,
    key: SentKey,
    read: Result<void, Failure> | undefined,
  ): Authenticated {
    const there = given.get(key.id) ?? kept?.find(key.id)
    if (isGood(key, there, Date.now()) && there) return ok(identityOf(there))
    return read?.ok === false ? read : err(BAD)
  }
}
