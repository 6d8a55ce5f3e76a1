import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { principalId, tenantId, type Identity } from '@amodal/sdk'

/** A known key: its id, facts and digest, without the secret. */
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

/** `amodal_<id>_<secret>`: an id of 60 bits and a secret of 256 bits. */
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
 * Keyed with the id, so that a digest copied to another key does not verify. The secret is
 * random, so it needs no slow hash.
 */
export const digestOf = ({ id, secret }: SentKey): Uint8Array =>
  createHmac('sha256', `amodal api key\n${id}`).update(secret).digest()

/** A digest of no key: compared if no key has that id. */
const NONE = new Uint8Array(32)

/**
 * Whether the secret matches and the key is neither expired nor revoked. Takes the same time for
 * every outcome.
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

/** Compared in place of a malformed key, so that refusing it takes as long. */
export const DUMMY_KEY: SentKey = { id: 'a'.repeat(12), secret: 'a'.repeat(43) }

export const identityOf = ({ id, name, roles, scopes, tenant }: KnownKey): Identity => ({
  principal: principalId(`key:${id}`),
  name,
  roles,
  scopes,
  ...(tenant === undefined ? { choosesTenant: true } : { tenant: tenantId(tenant) }),
})
