import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import {
  ContentsReader,
  LIMITS,
  readTarball,
  writeTarball,
  type Contents,
} from '@amodal/plugin-parts/tokens'
import { ToolProjectInvalid } from '../errors.ts'

/** The first folder of all archives. */
const TOP = 'tool'
const LOCK_FILES = [
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'uv.lock',
  'poetry.lock',
  'requirements.txt',
] as const

/** Reads the files of a folder; links and special files are refused. */
export async function readFolder(folder: string): Promise<Result<Contents, Failure>> {
  const reader = new ContentsReader()
  let bytes = 0
  const walk = async (below: string): Promise<string | undefined> => {
    for (const name of (await readdir(join(folder, below))).sort()) {
      const path = below === '' ? name : `${below}/${name}`
      const found = await lstat(join(folder, path))
      bytes += found.size
      if (bytes > LIMITS.unpacked) return `its files have more than ${LIMITS.unpacked} bytes`
      const problem = found.isDirectory() ? await walk(path) : await add(path, found.isFile())
      if (problem !== undefined) return problem
    }
    return undefined
  }
  const add = async (path: string, isFile: boolean): Promise<string | undefined> => {
    if (!isFile) return `${JSON.stringify(path)} is no file`
    const added = reader.add(path, await readFile(join(folder, path)))
    return added.ok ? undefined : added.error
  }
  const problem = await tryAsync(() => walk(''), messageOf)
  if (!problem.ok) return err(ToolProjectInvalid(`its files cannot be read: ${problem.error}`))
  if (problem.value !== undefined) return err(ToolProjectInvalid(problem.value))
  const contents = reader.contents()
  return contents.ok ? contents : err(ToolProjectInvalid(contents.error))
}

/** SHA-256 over the paths and bytes of files: equal files have equal hashes. */
export function hashOfFiles(contents: Contents): string {
  const hash = createHash('sha256')
  for (const { path, bytes } of contents) {
    // With lengths, so that no text can pass for a path or for the next file.
    hash.update(`${Buffer.byteLength(path)}:${path}${bytes.byteLength}:`)
    hash.update(bytes)
  }
  return hash.digest('hex')
}

/** Of the files that lock what the tool depends on; `null` where there are none. */
export function lockHash(contents: Contents): string | null {
  const locks = contents.filter(({ path }) => LOCK_FILES.some((name) => name === path))
  return locks.length === 0 ? null : hashOfFiles(locks)
}

/** Writes files as tar and gzip, without times, owners or modes. */
export async function pack(contents: Contents): Promise<Result<Uint8Array, Failure>> {
  const packed = await writeTarball(TOP, contents)
  return packed.byteLength > LIMITS.packed
    ? err(ToolProjectInvalid(`its archive has more than ${LIMITS.packed} bytes`))
    : ok(packed)
}

/** Reads an archive, and compares its files with their hash. */
export async function unpack(packed: Uint8Array, hash: string): Promise<Result<Contents, string>> {
  const read = await readTarball(packed)
  if (!read.ok) return read
  return hashOfFiles(read.value) === hash ? read : err('its files are not those of its hash')
}
