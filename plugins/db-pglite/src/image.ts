import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompressSync, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { tarEntries } from './tar.ts'

/**
 * The image that comes with this package: a database as `initdb` makes it, without any table of
 * ours.
 */
export const SHIPPED_IMAGE = new URL('../image/base.image', import.meta.url)

/**
 * The same with the tables of the plugins that were there when it was made, by `prepareImage`:
 * where there is one, a start has nothing to migrate.
 */
export const PREPARED_IMAGE = new URL('../image/prepared.image', import.meta.url)

/** What stands in the first line of an image, before the zstd-compressed tar. */
const ImageHeader = z.object({
  /** Version of PGlite that made it. */
  pglite: z.string(),
  /** Of the compressed bytes, in hex. */
  sha256: z.string(),
  /** Length of the tar. */
  bytes: z.number().int().positive(),
  /** What was applied to it. */
  migrations: z
    .array(z.object({ plugin: z.string(), n: z.number(), name: z.string(), checksum: z.string() }))
    .readonly(),
})
export type ImageHeader = z.infer<typeof ImageHeader>

/** zstd: an image is made once and read at many starts, but an install should not wait for it. */
export type Compression = 'small' | 'quick'

export function packImage(
  tar: Uint8Array,
  facts: Pick<ImageHeader, 'pglite' | 'migrations'>,
  compression: Compression,
): Uint8Array {
  const compressed = zstdCompressSync(tar, {
    params: {
      [constants.ZSTD_c_compressionLevel]: compression === 'small' ? 19 : 3,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  })
  const header: ImageHeader = { ...facts, bytes: tar.length, sha256: sha256(compressed) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), compressed])
}

/** An image that is whole; its tar is unpacked when asked for. */
export interface Image {
  readonly header: ImageHeader
  readonly tar: () => Promise<Uint8Array>
}

/** Reads an image and checks it. Throws where it is missing, changed or cut off. */
export async function readImage(file: URL | string): Promise<Image> {
  const bytes = await readFile(file)
  const line = bytes.indexOf('\n')
  const header = headerOf(bytes.subarray(0, Math.max(0, line)).toString())
  const compressed = bytes.subarray(line + 1)
  if (!header || sha256(compressed) !== header.sha256) throw new Error('the image is damaged')
  return { header, tar: () => promisify(zstdDecompress)(compressed, { chunkSize: header.bytes }) }
}

/** Writes an image into a folder; throws where it holds no database. */
export function unpackImage(tar: Uint8Array, folder: string): void {
  let whole = false
  for (const entry of tarEntries(tar)) {
    const path = join(folder, entry.path)
    whole ||= entry.path === 'PG_VERSION'
    if (entry.kind === 'folder') mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeInto(path, entry.body)
  }
  if (!whole) throw new Error('the image holds no database')
}

function writeInto(path: string, body: Uint8Array): void {
  try {
    writeFileSync(path, body, { mode: 0o600 })
  } catch {
    // an archive need not list its folders first
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, body, { mode: 0o600 })
  }
}

function headerOf(line: string): ImageHeader | undefined {
  try {
    return ImageHeader.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
