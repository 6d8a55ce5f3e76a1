import { principalId, tenantId, type Identity } from '@amodal/sdk'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { PERSON_ISSUER } from './credential.ts'

const claims = z.object({
  sub: z.string(),
  name: z.string().optional(),
  roles: z.array(z.string()),
  scopes: z.array(z.string()),
  tenant: z.string().optional(),
  origin: z.string().optional(),
  /** Why its holder decides nothing. */
  undecided: z.string().optional(),
  exp: z.number(),
})
export type PersonClaims = Omit<z.output<typeof claims>, 'exp'>

/** Short-lived tokens for people whom a backend has signed in, signed with a secret of the server. */
export class PersonTokens {
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** @param expires seconds since the epoch */
  sign({ sub, ...facts }: PersonClaims, expires: number): Promise<string> {
    return new SignJWT(facts)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(PERSON_ISSUER)
      .setSubject(sub)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(this.#secret)
  }

  /**
   * @param origin of the page that sends it, where the request says so
   * @returns `undefined` for every token that is not a valid one of ours
   */
  async identify(token: string, origin: string | null): Promise<Identity | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#secret, {
        issuer: PERSON_ISSUER,
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
      })
      const facts = claims.parse(payload)
      const isElsewhere = facts.origin !== undefined && origin !== null && facts.origin !== origin
      return isElsewhere ? undefined : identityOf(facts)
    } catch {
      return undefined // the reason is not disclosed
    }
  }
}

const identityOf = ({ sub, name, roles, scopes, tenant, undecided }: PersonClaims): Identity => ({
  principal: principalId(`person:${sub}`),
  roles,
  scopes,
  ownSessionsOnly: true,
  ...(name !== undefined && { name }),
  ...(tenant !== undefined && { tenant: tenantId(tenant) }),
  ...(undecided !== undefined && { mayNotDecide: undecided }),
})
