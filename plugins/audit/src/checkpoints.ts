import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canonical, err, failure, type Failure, messageOf, ok, type Result, trySync } from '@amodal/sdk'
import { keyFile } from '@amodal/sdk/files'
import type { AuditLine } from './line.ts'

/** A place in a chain, signed and kept elsewhere: who cuts or rewrites the chain cannot rewrite this too. */
export interface Checkpoint { readonly tenant: string; readonly n: number; readonly hash: string; readonly at: string; readonly key: string; readonly signature: string }

/** `AMODAL_AUDIT_KEY`: an Ed25519 private key in PEM (PKCS 8), where several instances sign with one. */
export const KEY_VARIABLE = 'AMODAL_AUDIT_KEY'

/** Signs places of chains, and keeps them in a file beside the public keys that may sign. */
export class Checkpoints {
  readonly #folder: string
  readonly #private: KeyObject
  readonly #public: string

  private constructor(folder: string, key: KeyObject) {
    this.#folder = folder
    this.#private = key
    this.#public = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
  }

  static open(folder: string, given: string | undefined): Result<Checkpoints, Failure> {
    const opened = trySync(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const made = new Checkpoints(folder, createPrivateKey(given ?? keyFile(join(folder, 'signing-key.pem'), newKey)))
      const signers = join(folder, 'signers')
      if (!(existsSync(signers) ? readFileSync(signers, 'utf8') : '').includes(made.#public)) appendFileSync(signers, `${made.#public}\n`)
      return made
    }, messageOf)
    return opened.ok ? opened : err(failure('UNREADABLE', `checkpoints of the audit log cannot be signed in ${folder}: ${opened.error}`))
  }

  /** Signs the end of a chain. Throws where the file cannot be written. */
  sign(tenant: string, { n, hash }: AuditLine, at: number): void {
    const said = { tenant, n, hash, at: new Date(at).toISOString(), key: this.#public }
    const signature = sign(null, Buffer.from(canonical(said)), this.#private).toString('base64')
    appendFileSync(fileIn(this.#folder), `${JSON.stringify({ ...said, signature })}\n`)
  }
}

const newKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const fileIn = (folder: string): string => join(folder, 'checkpoints.jsonl')

/** The checkpoints of a folder and what is wrong with them; both empty where there are none. */
export function readCheckpoints(folder: string): Result<{ readonly checkpoints: readonly Checkpoint[]; readonly problems: readonly string[] }, Failure> {
  const file = fileIn(folder)
  if (!existsSync(file)) return ok({ checkpoints: [], problems: [] })
  const read = trySync(() => ({ lines: readFileSync(file, 'utf8').split('\n').filter(Boolean), signers: new Set(readFileSync(join(dirname(file), 'signers'), 'utf8').split('\n').filter(Boolean)) }), messageOf)
  if (!read.ok) return err(failure('UNREADABLE', `${file}: ${read.error}`))
  const checkpoints: Checkpoint[] = []
  const problems: string[] = []
  for (const [index, line] of read.value.lines.entries()) {
    const parsed = trySync(() => JSON.parse(line) as Checkpoint, messageOf) // its signature is checked next
    if (parsed.ok && read.value.signers.has(parsed.value.key) && isSigned(parsed.value)) checkpoints.push(parsed.value)
    else problems.push(`checkpoint in line ${index + 1} of ${file} is not signed by a known key`)
  }
  return ok({ checkpoints, problems })
}

function isSigned({ signature, ...said }: Checkpoint): boolean {
  const checked = trySync(() => {
    const key = createPublicKey({ key: Buffer.from(said.key, 'base64'), type: 'spki', format: 'der' })
    return verify(null, Buffer.from(canonical({ ...said })), key, Buffer.from(signature, 'base64'))
  }, messageOf)
  return checked.ok && checked.value
}
