import {
  ok,
  type Failure,
  type Identity,
  type Logger,
  type Outbound,
  type Result,
} from '@amodal/sdk'
import { decodeJwt } from 'jose'
import type { IssuerConfig } from './config.ts'
import { Issuer } from './issuer.ts'

/** Verifies tokens by their issuer. Loaded only if there is an issuer. */
export class Issuers {
  readonly #issuers: ReadonlyMap<string, Issuer>

  constructor(configs: readonly IssuerConfig[], outbound: Outbound, log: Logger) {
    this.#issuers = new Map(
      configs.map((config) => [config.issuer, new Issuer(config, outbound, log)]),
    )
  }

  /** `undefined` for an invalid token; an `Err` if it cannot be verified now. */
  async identify(token: string): Promise<Result<Identity | undefined, Failure>> {
    const issuer = this.#issuers.get(claimedIssuer(token) ?? '')
    return issuer ? issuer.identify(token) : ok(undefined)
  }
}

/** The issuer that a token claims. It only decides which keys the token is verified with. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
