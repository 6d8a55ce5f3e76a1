import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file that its owner alone may read: a reader, and a process that is killed meanwhile,
 * see the old text or the new one. Folders that are missing are made, for their owner alone.
 *
 * @param file its absolute path
 * @throws what the file system says where it cannot be written
 * @example
 * writePrivateFile('/home/olga/.config/amodal/credentials.json', '{}')
 */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
