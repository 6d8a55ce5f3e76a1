import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import {
  ContentsReader,
  LIMITS,
  readTarball,
  type Contents,
  type PackageFile,
} from '@amodal/plugin-parts/tokens'
import { Header, Pax, type HeaderData } from 'tar'
import { ToolProjectInvalid } from '../errors.ts'

const compress = promisify(gzip)
const BLOCK = 512
/** All archives begin with the same folder, which a reader of tarballs leaves out. */
const TOP = 'tool/'
/** 1 January 2000: some programs take a time of 0 for one that is missing. */
const MTIME = new Date(946_684_800_000)
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
  const plain = Buffer.concat([...contents.flatMap(entryOf), Buffer.alloc(2 * BLOCK)])
  const packed = await compress(plain)
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

function entryOf({ path, bytes }: PackageFile): readonly Uint8Array[] {
  const longPath = `${TOP}${path}`
  const size = bytes.byteLength
  const data: HeaderData = {
    path: longPath,
    type: 'File',
    mode: 0o644,
    uid: 0,
    gid: 0,
    uname: '',
    gname: '',
    size,
    mtime: MTIME,
  }
  const block = Buffer.alloc(BLOCK)
  const isLong = new Header(data).encode(block, 0)
  const before = isLong
    ? [new Pax({ path: longPath, size, mtime: MTIME, mode: 0o644 }).encode()]
    : []
  return [...before, block, bytes, Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)]
}
