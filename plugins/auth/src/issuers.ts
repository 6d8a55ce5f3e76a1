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

/** Says whose a token is. Loaded only where there is an issuer. */
export class Issuers {
  readonly #issuers: ReadonlyMap<string, Issuer>

  constructor(configs: readonly IssuerConfig[], outbound: Outbound, log: Logger) {
    this.#issuers = new Map(
      configs.map((config) => [config.issuer, new Issuer(config, outbound, log)]),
    )
  }

  /** `undefined` for a token that is not good; an `Err` where that cannot be said now. */
  async identify(token: string): Promise<Result<Identity | undefined, Failure>> {
    const issuer = this.#issuers.get(claimedIssuer(token) ?? '')
    return issuer ? issuer.identify(token) : ok(undefined)
  }
}

/** Who is said to have made a token: that decides only by whose keys it is checked. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
