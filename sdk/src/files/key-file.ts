import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The text of a file that holds a key. Where there is none it is made: whole or not at all,
 * readable by its owner alone, in a folder kept out of git. Of several processes that begin at once
 * one makes it, and all of them read that one.
 *
 * @param file its absolute path; folders that are missing are made
 * @param make the text of a new key
 * @returns what the file holds
 * @throws what the file system says where it cannot be read or made
 * @example
 * keyFile(join(folder, 'signing-key.pem'), () =>
 *   generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
 * )
 */
export function keyFile(file: string, make: () => string): string {
  return textOf(file) ?? created(file, make())
}

/**
 * Whether a file is a regular one that only its owner can read and that has no other hard link;
 * also `true` if it does not exist yet.
 */
export function isPrivate(file: string): boolean {
  try {
    const stat = lstatSync(file)
    return (
      stat.isFile() &&
      stat.nlink === 1 &&
      (process.platform === 'win32' || (stat.mode & 0o077) === 0)
    )
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return true
    throw cause
  }
}

function created(file: string, text: string): string {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeOnce(join(folder, '.gitignore'), '*\n')
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file) // fails where another process was quicker, whose key then counts
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') writeOnce(file, text) // a file system without links
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause
  }
}

const codeOf = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined
