import {
  isId,
  ok,
  principalId,
  tenantId,
  type Failure,
  type Identity,
  type Logger,
  type Outbound,
  type Result,
} from '@amodal/sdk'
import { jwtVerify, type JWTPayload } from 'jose'
import type { IssuerConfig } from './config.ts'
import { KeySet } from './key-set.ts'

/** Says whose a token is, for the tokens of one issuer. */
export class Issuer {
  readonly #config: IssuerConfig
  readonly #keys: KeySet

  constructor(config: IssuerConfig, outbound: Outbound, log: Logger) {
    this.#config = config
    this.#keys = new KeySet(
      { url: config.jwksUrl, refreshMs: config.refreshMs, keepMs: config.keepMs },
      outbound,
      log,
    )
  }

  /** `undefined` for a token that is not good; an `Err` where that cannot be said now. */
  async identify(token: string): Promise<Result<Identity | undefined, Failure>> {
    const ready = await this.#keys.ready()
    return ready.ok ? ok(await this.#verify(token)) : ready
  }

  async #verify(token: string): Promise<Identity | undefined> {
    const { issuer, audience, algorithms, clockToleranceSeconds, maxAgeSeconds } = this.#config
    try {
      const { payload } = await jwtVerify(token, this.#keys.keyOf, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp'],
        ...(maxAgeSeconds !== undefined && { maxTokenAge: maxAgeSeconds }),
      })
      return identityIn(payload, this.#config)
    } catch {
      return undefined // which of its many reasons it has is nobody's business but the issuer's
    }
  }
}

/** What a verified token says, or `undefined` where it says too little. */
function identityIn(
  payload: JWTPayload,
  { name: prefix, claims, roles, scopes, choosesTenant }: IssuerConfig,
): Identity | undefined {
  const subject = claimAt(payload, claims.principal)
  if (typeof subject !== 'string' || !/^[^\p{Cc}]{1,200}$/u.test(subject)) return undefined
  const tenant = claims.tenant === undefined ? undefined : claimAt(payload, claims.tenant)
  // A token that does not say whose data it is for must not be for everybody's.
  if (claims.tenant !== undefined && (typeof tenant !== 'string' || !isId(tenant))) return undefined
  const name = claimAt(payload, claims.name)
  return {
    principal: principalId(`${prefix}:${subject}`),
    roles: claims.roles === undefined ? roles : wordsOf(claimAt(payload, claims.roles)),
    scopes: claims.scopes === undefined ? scopes : wordsOf(claimAt(payload, claims.scopes)),
    ...(typeof tenant === 'string'
      ? { tenant: tenantId(tenant) }
      : choosesTenant && { choosesTenant }),
    ...(typeof name === 'string' && { name: name.slice(0, 200) }),
  }
}

/** A claim by its name, which may be an address with dots in it; else by the path to it. */
function claimAt(payload: JWTPayload, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path]
  let at: unknown = payload
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = Reflect.get(at, step)
  }
  return at
}

/** A list, or words with spaces between them, as OAuth has it. */
function wordsOf(value: unknown): readonly string[] {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
  return words
    .filter(
      (word): word is string => typeof word === 'string' && /^[^\s\p{Cc}]{1,100}$/u.test(word),
    )
    .slice(0, 100)
}
