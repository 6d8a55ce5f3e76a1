import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { principalId, tenantId, type Identity } from '@amodal/sdk'

/** A key as it is known here: its secret is not. */
export interface KnownKey {
  readonly id: string
  /** HMAC-SHA-256 of the secret. */
  readonly digest: Uint8Array
  readonly name: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly tenant?: string
  /** ms since the epoch. */
  readonly expiresAt?: number
  readonly revoked: boolean
}

/** A key as it is sent. */
export interface SentKey {
  readonly id: string
  readonly secret: string
}

const KEY = /^amodal_([a-z2-7]{12})_([\w-]{43})$/
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** `amodal_<id>_<secret>`: 60 bits to be found by, 256 to be let in by. */
export function makeKey(): SentKey & { readonly text: string } {
  const id = [...randomBytes(12)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const secret = randomBytes(32).toString('base64url')
  return { id, secret, text: `amodal_${id}_${secret}` }
}

export function parseKey(text: string): SentKey | undefined {
  const [, id, secret] = KEY.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/**
 * Keyed with the id, so that a digest that was copied to another key opens nothing. The secret is
 * random, so it needs no slow hash.
 */
export const digestOf = ({ id, secret }: SentKey): Uint8Array =>
  createHmac('sha256', `amodal api key\n${id}`).update(secret).digest()

/** Nobody's: compared where there is no key of that id. */
const NONE = new Uint8Array(32)

/**
 * Whether it is the key that is known, and still counts. The same work whatever is wrong with it.
 */
export function isGood(sent: SentKey, known: KnownKey | undefined, now: number): boolean {
  const same = timingSafeEqual(digestOf(sent), known?.digest ?? NONE)
  return (
    known !== undefined &&
    same &&
    !known.revoked &&
    (known.expiresAt === undefined || known.expiresAt > now)
  )
}

/** Stands for a key that is none, so that it costs what a good one does. */
export const NO_KEY: SentKey = { id: 'a'.repeat(12), secret: 'a'.repeat(43) }

export const identityOf = ({ id, name, roles, scopes, tenant }: KnownKey): Identity => ({
  principal: principalId(`key:${id}`),
  name,
  roles,
  scopes,
  ...(tenant === undefined ? { choosesTenant: true } : { tenant: tenantId(tenant) }),
})
