import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  canonical,
  type Failure,
  type JsonObject,
  messageOf,
  type Result,
  trySync,
} from '@amodal/sdk'
import { fileFailure, keyFile } from '@amodal/sdk/files'

/**
 * `AMODAL_AUDIT_KEY`: an Ed25519 private key in PEM (PKCS 8), where several instances sign with
 * one.
 */
export const KEY_VARIABLE = 'AMODAL_AUDIT_KEY'

/** Public keys that may sign, one per line, as base64 of their SPKI DER. */
export const SIGNERS = 'signers'

/** Signs heads and checkpoints in the name of one folder of checkpoints. */
export class Signer {
  readonly folder: string
  /**
   * Names the file of checkpoints that this folder holds. It outlives the process, and a file that
   * was removed.
   */
  readonly writer: string
  /** Names this process among those that share the folder. */
  readonly process = randomBytes(6).toString('hex')
  /** The public key. */
  readonly key: string
  readonly #private: KeyObject

  private constructor(folder: string, key: KeyObject) {
    this.folder = folder
    this.#private = key
    this.key = publicKeyOf(key)
    this.writer = keyFile(
      join(folder, 'writer'),
      () => `${randomBytes(8).toString('hex')}\n`,
    ).trim()
  }

  /** Makes what is missing of the folder: its key, its name, its list of signers. */
  static open(folder: string, given: string | undefined): Result<Signer, Failure> {
    return trySync(
      () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const signer = new Signer(
          folder,
          createPrivateKey(given ?? keyFile(join(folder, 'signing-key.pem'), newKey)),
        )
        addSigner(folder, signer.key)
        return signer
      },
      (cause) =>
        fileFailure(`the key of the audit log in ${folder}`, join(folder, 'writer'), cause),
    )
  }

  /** @returns the signature in base64, over the canonical JSON of `content` */
  sign(content: JsonObject): string {
    return sign(null, Buffer.from(canonical(content)), this.#private).toString('base64')
  }

  /** This key, and those that the folder lists. */
  knows(key: string): boolean {
    return key === this.key || readSigners(this.folder).has(key)
  }
}

export function isSignedBy(key: string, content: JsonObject, signature: string): boolean {
  const checked = trySync(() => {
    const by = createPublicKey({ key: Buffer.from(key, 'base64'), type: 'spki', format: 'der' })
    return verify(null, Buffer.from(canonical(content)), by, Buffer.from(signature, 'base64'))
  }, messageOf)
  return checked.ok && checked.value
}

/** The public key of a private one in PEM; `undefined` where it cannot be read. */
export function signerOf(pem: string): string | undefined {
  const read = trySync(() => publicKeyOf(createPrivateKey(pem)), messageOf)
  return read.ok ? read.value : undefined
}

export function readSigners(folder: string): ReadonlySet<string> {
  const file = join(folder, SIGNERS)
  const read = trySync(() => readFileSync(file, 'utf8'), messageOf)
  return new Set(read.ok ? read.value.split('\n').filter(Boolean) : [])
}

export function addSigner(folder: string, key: string): void {
  if (!existsSync(join(folder, SIGNERS)) || !readSigners(folder).has(key))
    appendFileSync(join(folder, SIGNERS), `${key}\n`, { mode: 0o600 })
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
