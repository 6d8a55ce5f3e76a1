import { createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/sdk'

export const KEY_VARIABLE = 'AMODAL_MASTER_KEY'
const KEY_BYTES = 32

/** The key that every session's key is derived from. */
export interface MasterKey {
  readonly bytes: Uint8Array
  /** Tells two keys apart without telling the key. */
  readonly id: string
  readonly from: 'environment' | 'file' | 'memory'
  /** The key's file may be read by others than its owner. */
  readonly exposed?: true
}

const keyOf = (bytes: Uint8Array, from: MasterKey['from'], exposed = false): MasterKey => ({
  bytes, from, id: createHash('sha256').update('amodal master key\n').update(bytes).digest('hex').slice(0, 8), ...(exposed && { exposed: true }),
})

/** 32 bytes in hex or base64, either alphabet. */
export function keyFromText(text: string): Result<MasterKey, Failure> {
  const trimmed = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined
  if (bytes?.length === KEY_BYTES) return ok(keyOf(bytes, 'environment'))
  return err(failure('BAD_CONFIG', `${KEY_VARIABLE} is not a key: it takes ${KEY_BYTES} bytes in base64 or hex, such as \`openssl rand -base64 ${KEY_BYTES}\` prints`))
}

/** For a process that keeps nothing sealed beyond its own life. */
export const keyInMemory = (): MasterKey => keyOf(randomBytes(KEY_BYTES), 'memory')

/** Reads the key's file, or makes it with a new key: whole or not at all, readable by its owner alone, kept out of git. */
export function keyFromFile(file: string): Result<MasterKey, Failure> {
  try {
    return readKey(file) ?? makeKey(file)
  } catch (cause) {
    return err(failure('UNREADABLE', `the file of the master key, ${file}, cannot be used: ${messageOf(cause)}`, { details: { file }, cause }))
  }
}

function readKey(file: string): Result<MasterKey, Failure> | undefined {
  try {
    const bytes = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    if (bytes.length === KEY_BYTES) return ok(keyOf(bytes, 'file', process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0))
    return err(failure('UNREADABLE', `the file of the master key, ${file}, holds no key: put back the one that was there, or remove it if nothing sealed with it is needed`, { details: { file } }))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

function makeKey(file: string): Result<MasterKey, Failure> {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeOnce(join(folder, '.gitignore'), '*\n')
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file) // fails where another process was quicker, whose key then counts
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') writeOnce(file, readFileSync(draft, 'utf8')) // a file system without links
  } finally {
    rmSync(draft, { force: true })
  }
  const made = readKey(file)
  if (!made) throw new Error('it vanished while it was made')
  return made
}

function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause
  }
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && 'code' in cause ? cause.code : undefined)
