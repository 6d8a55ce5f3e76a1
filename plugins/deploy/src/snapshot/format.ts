import { createHash } from 'node:crypto'
import { err, messageOf, ok, trySync, type Result } from '@amodal/sdk'
import type { Contents } from '@amodal/plugin-parts/tokens'
import { z } from 'zod'

/** Raised when a reader of an older release could not read a snapshot. */
export const FORMAT = 1
/** The manifest stands first in the archive, the files of the agent below `files/`. */
export const MANIFEST_PATH = 'snapshot.json'
export const FILES_PREFIX = 'files/'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** What a snapshot says of itself. */
export const SnapshotManifest = z.strictObject({
  format: z.literal(FORMAT),
  /** SHA-256 over the paths, sizes and hashes of all files. */
  id: sha256,
  agent: z.strictObject({ name: z.string(), version: z.string() }),
  files: z.array(z.strictObject({ path: z.string(), size: z.int().nonnegative(), sha256 })),
  /** Of the bundle as `repo-files` reads it. */
  bundle: z.string(),
  /** Of amodal.lock; `null` where there is none. */
  lock: sha256.nullable(),
  /** Of the compiled prompt by agent, without what servers outside contribute to it. */
  prompts: z.record(z.string(), sha256),
  /** The release that built it. */
  runtime: z.string(),
})
export type SnapshotManifest = z.output<typeof SnapshotManifest>
export type SnapshotFile = SnapshotManifest['files'][number]

/** A snapshot whose hashes have been compared. */
export interface Snapshot {
  readonly manifest: SnapshotManifest
  /** The files of the agent, sorted by path. */
  readonly contents: Contents
}

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Sizes and hashes of files. */
export const filesOf = (contents: Contents): readonly SnapshotFile[] =>
  contents.map(({ path, bytes }) => ({ path, size: bytes.byteLength, sha256: sha256Of(bytes) }))

/** The id of a snapshot with these files: equal files have equal ids, wherever they stand. */
export function idOf(files: readonly SnapshotFile[]): string {
  const hash = createHash('sha256')
  for (const { path, size, sha256: digest } of files)
    // With lengths, so that no path can pass for the next file.
    hash.update(`${Buffer.byteLength(path)}:${path}${size}:${digest}`)
  return hash.digest('hex')
}

/** @returns the manifest, or why it is none that this release reads */
export function parseManifest(bytes: Uint8Array): Result<SnapshotManifest, string> {
  const json = trySync(() => JSON.parse(new TextDecoder().decode(bytes)) as unknown, messageOf)
  if (!json.ok) return err(`${MANIFEST_PATH} is no JSON`)
  const read = SnapshotManifest.safeParse(json.value)
  if (read.success) return ok(read.data)
  const [issue] = read.error.issues
  return err(
    `${MANIFEST_PATH}: \`${issue?.path.join('.') ?? ''}\` is missing or is not as expected`,
  )
}

/** @returns which file is not as the manifest has it */
export function differenceFrom(
  manifest: Pick<SnapshotManifest, 'id' | 'files'>,
  contents: Contents,
): string | undefined {
  const found = new Map(filesOf(contents).map((file) => [file.path, file]))
  for (const { path, size, sha256: digest } of manifest.files) {
    const file = found.get(path)
    if (!file) return `${path} is missing`
    if (file.size !== size || file.sha256 !== digest) return `${path} has other contents`
    found.delete(path)
  }
  const [extra] = found.keys()
  if (extra !== undefined) return `${extra} is not in the manifest`
  return idOf(manifest.files) === manifest.id ? undefined : 'the id is not that of its files'
}
