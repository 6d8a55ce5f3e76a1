import { sha256 } from '@amodal/sdk'
import { z } from 'zod'

const FileEntry = z.strictObject({
  kind: z.literal('file'),
  hash: z.string(),
  mode: z.int(),
  size: z.int(),
})
const Entry = z.discriminatedUnion('kind', [
  FileEntry,
  z.strictObject({ kind: z.literal('link'), target: z.string() }),
  /** A folder that has no entries. */
  z.strictObject({ kind: z.literal('folder') }),
])
/** What a workspace holds: entries by their path, sorted. */
export const Manifest = z.record(z.string(), Entry)
export type ManifestEntry = z.output<typeof Entry>
export type Manifest = Readonly<Record<string, ManifestEntry>>

export const EMPTY: Manifest = {}

/** By path: a database returns the keys of an object in an order of its own. */
export const sorted = (manifest: Manifest): Manifest =>
  Object.fromEntries(Object.entries(manifest).toSorted(([a], [b]) => (a < b ? -1 : 1)))

export const isSame = (a: ManifestEntry | undefined, b: ManifestEntry | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Equal contents have equal hashes. */
export const hashOfManifest = (manifest: Manifest): string => sha256(JSON.stringify(manifest))

export const hashesOf = (manifest: Manifest): readonly string[] => [
  ...new Set(
    Object.values(manifest).flatMap((entry) => (entry.kind === 'file' ? [entry.hash] : [])),
  ),
]

export interface Sums {
  readonly files: number
  readonly bytes: number
}

export function sumsOf(manifest: Manifest): Sums {
  const files = Object.values(manifest).flatMap((entry) => (entry.kind === 'file' ? [entry] : []))
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
}

/** Paths that differ, sorted. */
export const changedPaths = (before: Manifest, after: Manifest): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => !isSame(before[path], after[path]))
    .toSorted()
