import {
  err,
  failure,
  ok,
  type Authenticator,
  type Failure,
  type Identity,
  type Result,
} from '@amodal/sdk'
import { identityOf, isGood, NO_KEY, type KnownKey, type SentKey } from './api-key.ts'
import { credentialOf, type Credential } from './credential.ts'
import type { KeptKeys } from './kept-keys.ts'

/** What somebody may be known by. */
export interface Known {
  readonly given: ReadonlyMap<string, KnownKey>
  readonly kept: KeptKeys | undefined
  /** Whether there are issuers of tokens. */
  readonly issuers: boolean
  /** Whose a token is; `undefined` where it is not good. */
  readonly identify: (token: string) => Promise<Result<Identity | undefined, Failure>>
  /** Who it is while there is neither key nor issuer; `undefined`: everybody is let in as one. */
  readonly locally?: (credential: Credential) => Identity
}

type Said = Result<Identity | undefined, Failure>

const STARTING = failure('KERNEL_CLOSED', 'the server is starting', { status: 503 })

/** One answer for whatever is wrong with a credential. */
const BAD = failure(
  'UNAUTHENTICATED',
  'this credential is not good: check that it is whole, and neither expired nor revoked',
)

/** Knows people by their keys and tokens. */
export class Authentication implements Authenticator {
  #known: Known | undefined

  /** From now on requests are answered. */
  start(known: Known): void {
    this.#known = known
  }

  configured(): boolean | undefined {
    if (!this.#known) return undefined
    const { given, kept, issuers } = this.#known
    return given.size > 0 || issuers ? true : kept ? kept.any : false
  }

  async authenticate({ headers }: Request): Promise<Said> {
    const known = this.#known
    if (!known) return err(STARTING)
    const read = known.kept?.any === undefined ? await known.kept?.read() : undefined
    const credential = credentialOf(headers)
    if (this.configured() === false) return ok(known.locally?.(credential))
    switch (credential.kind) {
      case 'none':
        return this.configured() === undefined && read?.ok === false ? read : ok(undefined)
      case 'token': {
        const said = await known.identify(credential.token)
        return said.ok && !said.value ? err(BAD) : said
      }
      case 'key':
        return this.#byKey(known, credential.key, read)
      case 'bad':
        isGood(NO_KEY, undefined, 0)
        return err(BAD)
      default:
        return credential satisfies never
    }
  }

  /** @param read a failure where the kept keys are not known */
  #byKey({ given, kept }: Known, key: SentKey, read: Result<void, Failure> | undefined): Said {
    const there = given.get(key.id) ?? kept?.find(key.id)
    if (isGood(key, there, Date.now()) && there) return ok(identityOf(there))
    return read?.ok === false ? read : err(BAD)
  }
}
