import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
  type Sealer,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import type { MasterKey } from './master-key.ts'

interface SessionScope {
  readonly tenant: TenantId
  readonly session: SessionId
}

const FORMAT = 'v1'
const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/**
 * Seals texts with AES-256-GCM under a key per session, derived from the master key by HKDF-SHA-256
 * (RFC 5869). A sealed text says `v1.<id of the master key>.<nonce, cipher text and tag in
 * base64url>`, and opens only for the session it was sealed for. A random nonce is safe for 2^32
 * texts of one session (NIST SP 800-38D, 8.3).
 */
export class KeySealer implements Sealer {
  readonly #key: () => Result<MasterKey, Failure>

  constructor(key: () => Result<MasterKey, Failure>) {
    this.#key = key
  }

  seal(at: SessionScope, text: string): Result<string, Failure> {
    const key = this.#key()
    if (!key.ok) return key
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, sessionKey(key.value, at), nonce)
    const sealed = Buffer.concat([
      nonce,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return ok(`${FORMAT}.${key.value.id}.${sealed.toString('base64url')}`)
  }

  open(at: SessionScope, sealed: string): Result<string, Failure> {
    const key = this.#key()
    if (!key.ok) return key
    const [format, id, body] = sealed.split('.')
    if (format !== FORMAT || id === undefined || body === undefined)
      return unreadable(`it is not of the format ${FORMAT}`)
    if (id !== key.value.id)
      return unreadable(
        `it was sealed with another master key (${id}, and this is ${key.value.id}): start with the key it was sealed with`,
      )
    const bytes = Buffer.from(body, 'base64url')
    if (bytes.length < NONCE + TAG) return unreadable('it is cut off')
    try {
      const decipher = createDecipheriv(
        CIPHER,
        sessionKey(key.value, at),
        bytes.subarray(0, NONCE),
      ).setAuthTag(bytes.subarray(-TAG))
      return ok(
        decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8'),
      )
    } catch (cause) {
      return unreadable('it was changed, or belongs to another session', cause)
    }
  }

  key(purpose: string): Result<Uint8Array, Failure> {
    const key = this.#key()
    return key.ok ? ok(purposeKey(key.value, purpose)) : key
  }
}

/** No session's key can be one of these: the first line differs. */
const purposeKey = ({ bytes }: MasterKey, purpose: string): Uint8Array =>
  new Uint8Array(
    hkdfSync('sha256', bytes, new Uint8Array(), `amodal key ${FORMAT}\n${purpose}`, 32),
  )

/** No id contains a line break, so the derivation input is unique to a session. */
function sessionKey({ bytes }: MasterKey, { tenant, session }: SessionScope): Uint8Array {
  return new Uint8Array(
    hkdfSync('sha256', bytes, new Uint8Array(), `amodal seal ${FORMAT}\n${tenant}\n${session}`, 32),
  )
}

const unreadable = (why: string, cause?: unknown): Result<never, Failure> =>
  err(failure('UNREADABLE', `a sealed text cannot be opened: ${why}`, { cause }))
