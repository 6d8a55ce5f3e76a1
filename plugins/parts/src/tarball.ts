import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { createHash } from 'node:crypto'
import { err, messageOf, tryAsync, type Result } from '@amodal/sdk'
import type { ReadEntry } from 'tar'
import { ContentsReader, LIMITS, type Contents } from './contents.ts'
import { tar } from './libraries.ts'

const inflate = promisify(gunzip)
const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])
const FOLDERS: ReadonlySet<string> = new Set(['Directory', 'GNUDumpDir'])
/** Headers and padding of an archive, for each file. */
const OVERHEAD = 4_096

/** `sha512-…` of a tarball, as registries have it. */
export const tarballIntegrity = (bytes: Uint8Array): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/**
 * Reads the files of a tarball without writing any of them. What is neither a file nor a folder
 * (links, devices), a path that leads out of the package, and more than {@link LIMITS} refuse the
 * whole tarball.
 *
 * @returns the files below the first folder of the archive, as npm takes them
 */
export async function readTarball(packed: Uint8Array): Promise<Result<Contents, string>> {
  const maxOutputLength = LIMITS.unpacked + LIMITS.files * OVERHEAD
  const isGzip = packed[0] === 0x1f && packed[1] === 0x8b
  const plain = isGzip
    ? await tryAsync(() => inflate(packed, { maxOutputLength }), messageOf)
    : ({ ok: true, value: packed } as const)
  if (!plain.ok) return err(`it cannot be unpacked: ${plain.error}`)
  const entries = await tryAsync(() => entriesOf(plain.value), messageOf)
  if (!entries.ok) return err(`it is no readable archive: ${entries.error}`)
  const reader = new ContentsReader()
  for (const { path, type, bytes } of entries.value) {
    const isFolder = FOLDERS.has(type)
    if (!isFolder && !FILES.has(type))
      return err(`${JSON.stringify(path)} is no file: links and devices (${type}) are refused`)
    const inside = withoutFirstFolder(isFolder ? path.replace(/\/+$/, '') : path)
    if (inside === undefined) return err(`${JSON.stringify(path)} leads out of the package`)
    if (isFolder || inside === '') continue
    const added = reader.add(inside, bytes)
    if (!added.ok) return added
  }
  return reader.contents()
}

/** `package/skills/a.md` → `skills/a.md`; `undefined` where the path leads elsewhere. */
function withoutFirstFolder(path: string): string | undefined {
  if (path.startsWith('/') || path.split('/').includes('..')) return undefined
  return path.replace(/^\.\//, '').replace(/^[^/]*(?:\/|$)/, '')
}

interface Entry {
  readonly path: string
  readonly type: string
  readonly bytes: Uint8Array
}

function entriesOf(archive: Uint8Array): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    const parser = new (tar().Parser)({
      strict: true,
      onReadEntry: (entry: ReadEntry) => {
        const chunks: Uint8Array[] = []
        entry.on('data', (chunk) => chunks.push(chunk))
        entry.on('end', () => {
          entries.push({ path: entry.path, type: entry.type, bytes: Buffer.concat(chunks) })
        })
        entry.resume()
      },
    })
    parser.on('end', () => resolve(entries))
    parser.on('error', reject)
    parser.end(Buffer.from(archive))
  })
}
