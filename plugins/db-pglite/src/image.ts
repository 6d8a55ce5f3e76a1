import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { tarEntries } from './tar.ts'

/** The image that comes with this package: a database as `initdb` makes it, without any table of ours. */
export const SHIPPED_IMAGE = new URL('../image/base.image', import.meta.url)

/** What stands in the first line of an image, before the zstd-compressed tar. */
export interface ImageHeader {
  /** Version of PGlite that made it. */
  readonly pglite: string
  /** Of the compressed bytes, in hex. */
  readonly sha256: string
}

export function packImage(pglite: string, compressed: Uint8Array): Uint8Array {
  const header: ImageHeader = { pglite, sha256: sha256(compressed) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), compressed])
}

/** Reads an image and checks it. Throws where it is missing, changed or cut off. */
export async function readImage(file: URL | string): Promise<{ readonly header: ImageHeader; readonly tar: Uint8Array }> {
  const bytes = await readFile(file)
  const line = bytes.indexOf('\n')
  const header = headerOf(bytes.subarray(0, Math.max(0, line)).toString())
  const compressed = bytes.subarray(line + 1)
  if (!header || sha256(compressed) !== header.sha256) throw new Error('the image is damaged')
  return { header, tar: await promisify(zstdDecompress)(compressed) }
}

/** Maps of free and of visible pages: a sixth of the files, which Postgres makes anew when it first has something to note. */
const REBUILT = /_(?:fsm|vm)$/

/**
 * Writes an image into a folder. `PG_VERSION` comes last and at once: a folder without it is not a database,
 * so a process that dies half way leaves nothing that could be opened.
 */
export function unpackImage(tar: Uint8Array, folder: string): void {
  let version: Uint8Array | undefined
  for (const entry of tarEntries(tar)) {
    const path = join(folder, entry.path)
    if (REBUILT.test(entry.path)) continue
    if (entry.kind === 'folder') {
      mkdirSync(path, { recursive: true, mode: 0o700 })
    } else if (entry.path === 'PG_VERSION') {
      version = entry.body
    } else {
      writeInto(path, entry.body)
    }
  }
  if (!version) throw new Error('the image holds no database')
  const path = join(folder, 'PG_VERSION')
  writeFileSync(`${path}.new`, version, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function writeInto(path: string, body: Uint8Array): void {
  try {
    writeFileSync(path, body, { mode: 0o600 })
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) // an archive need not list its folders first
    writeFileSync(path, body, { mode: 0o600 })
  }
}

function headerOf(line: string): ImageHeader | undefined {
  try {
    const header: unknown = JSON.parse(line)
    if (typeof header !== 'object' || header === null || !('pglite' in header) || !('sha256' in header)) return undefined
    const { pglite, sha256: sum } = header
    return typeof pglite === 'string' && typeof sum === 'string' ? { pglite, sha256: sum } : undefined
  } catch {
    return undefined
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
