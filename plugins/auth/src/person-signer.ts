import { randomBytes } from 'node:crypto'
import {
  err,
  failure,
  ok,
  type Failure,
  type Identity,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import type { PersonTokens } from './person-tokens.ts'

export const SECRET_VARIABLE = 'AMODAL_TOKEN_SECRET'
const LEAST_LETTERS = 32

/** Makes and reads the tokens of people. The library for that is loaded with the first of them. */
export class PersonSigner {
  readonly #secret: string | undefined
  #tokens: Promise<PersonTokens> | undefined

  constructor(secret: string | undefined) {
    this.#secret = secret
  }

  /**
   * @param isOpen whether requests are not authenticated: a secret of this process will do then,
   *   since only this machine can connect
   * @returns `ENV_NOT_SET` where there is no secret
   */
  async signer(isOpen: boolean): Promise<Result<PersonTokens, Failure>> {
    if (this.#secret === undefined && !isOpen)
      return err(
        failure(
          'ENV_NOT_SET',
          `tokens of people are signed, and there is no secret for that: set ${SECRET_VARIABLE} to ${LEAST_LETTERS} random characters or more, the same for all instances`,
        ),
      )
    return ok(await this.#load())
  }

  /** @returns `undefined` for every token that is not a valid one of a person */
  async identify(token: string, origin: string | null): Promise<Identity | undefined> {
    if (this.#secret === undefined && !this.#tokens) return undefined
    return (await this.#load()).identify(token, origin)
  }

  #load(): Promise<PersonTokens> {
    this.#tokens ??= import('./person-tokens.ts').then(
      ({ PersonTokens }) =>
        new PersonTokens(
          this.#secret === undefined ? randomBytes(32) : new TextEncoder().encode(this.#secret),
        ),
    )
    return this.#tokens
  }
}

/** The secret of the configuration, or of `AMODAL_TOKEN_SECRET`. */
export function tokenSecret(
  configured: string | undefined,
  secrets: Secrets,
): Result<string | undefined, Failure> {
  const found =
    configured === undefined
      ? ok(secrets.get(SECRET_VARIABLE) || undefined)
      : secrets.resolve(configured, 'tokens.secret')
  if (found.ok && found.value !== undefined && found.value.length < LEAST_LETTERS)
    return err(
      failure(
        'BAD_CONFIG',
        `the secret of tokens has ${found.value.length} characters; it needs ${LEAST_LETTERS} random ones or more`,
      ),
    )
  return found
}
