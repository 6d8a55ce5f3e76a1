import { createHash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { fileFailure, keyFile } from '@amodal/sdk/files'

export const KEY_VARIABLE = 'AMODAL_MASTER_KEY'
const KEY_BYTES = 32

/** The key that every session's key is derived from. */
export interface MasterKey {
  readonly bytes: Uint8Array
  /** Identifies the key without disclosing it. */
  readonly id: string
  readonly from: 'environment' | 'file' | 'memory'
  /** The key's file may be read by others than its owner. */
  readonly exposed?: true
}

const keyOf = (bytes: Uint8Array, from: MasterKey['from'], exposed = false): MasterKey => ({
  bytes,
  from,
  id: createHash('sha256').update('amodal master key\n').update(bytes).digest('hex').slice(0, 8),
  ...(exposed && { exposed: true }),
})

/** 32 bytes in hex or base64, either alphabet. */
export function keyFromText(text: string): Result<MasterKey, Failure> {
  const trimmed = text.trim()
  let bytes: Buffer | undefined
  if (/^[0-9a-f]{64}$/i.test(trimmed)) bytes = Buffer.from(trimmed, 'hex')
  else if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) bytes = Buffer.from(trimmed, 'base64')
  if (bytes?.length === KEY_BYTES) return ok(keyOf(bytes, 'environment'))
  return err(
    failure(
      'BAD_CONFIG',
      `${KEY_VARIABLE} is not a key: it takes ${KEY_BYTES} bytes in base64 or hex, such as \`openssl rand -base64 ${KEY_BYTES}\` prints`,
    ),
  )
}

/** A key for a process whose sealed values need not outlive it. */
export const keyInMemory = (): MasterKey => keyOf(randomBytes(KEY_BYTES), 'memory')

/** Reads the key's file, or makes it with a new key. */
export function keyFromFile(file: string): Result<MasterKey, Failure> {
  try {
    const bytes = Buffer.from(
      keyFile(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`).trim(),
      'base64',
    )
    if (bytes.length === KEY_BYTES)
      return ok(
        keyOf(bytes, 'file', process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0),
      )
  } catch (cause) {
    return err(fileFailure(`the file of the master key, ${file},`, file, cause))
  }
  return err(
    failure(
      'UNREADABLE',
      `the file of the master key, ${file}, holds no key: put back the one that was there, or remove it if nothing sealed with it is needed`,
      { details: { file } },
    ),
  )
}
