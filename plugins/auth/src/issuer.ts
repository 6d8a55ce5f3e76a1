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
import { textStart } from '@amodal/sdk/data'
import { jwtVerify, type JWTPayload } from 'jose'
import type { IssuerConfig } from './config.ts'
import { KeySet } from './key-set.ts'

/** Verifies the tokens of one issuer and returns their identity. */
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

  /** `undefined` for an invalid token; an `Err` if it cannot be verified now. */
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
      return undefined // the reason is not disclosed
    }
  }
}

/** The identity in a verified token, or `undefined` if a needed claim is missing. */
function identityIn(
  payload: JWTPayload,
  { name: prefix, claims, roles, scopes, choosesTenant }: IssuerConfig,
): Identity | undefined {
  const subject = claimAt(payload, claims.principal)
  if (typeof subject !== 'string' || !/^[^\p{Cc}]{1,200}$/u.test(subject)) return undefined
  const tenant = claims.tenant === undefined ? undefined : claimAt(payload, claims.tenant)
  // A token without a tenant must not give access to the data of all tenants.
  if (claims.tenant !== undefined && (typeof tenant !== 'string' || !isId(tenant))) return undefined
  const name = claimAt(payload, claims.name)
  return {
    principal: principalId(`${prefix}:${subject}`),
    roles: claims.roles === undefined ? roles : wordsOf(claimAt(payload, claims.roles)),
    scopes: claims.scopes === undefined ? scopes : wordsOf(claimAt(payload, claims.scopes)),
    ...(typeof tenant === 'string'
      ? { tenant: tenantId(tenant) }
      : choosesTenant && { choosesTenant }),
    ...(typeof name === 'string' && { name: textStart(name, 200) }),
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
  const list: unknown = typeof value === 'string' ? value.split(' ') : value
  const words: readonly unknown[] = Array.isArray(list) ? list : []
  return words
    .filter(
      (word): word is string => typeof word === 'string' && /^[^\s\p{Cc}]{1,100}$/u.test(word),
    )
    .slice(0, 100)
}
