import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { LIMITS, readTarball, writeTarball } from '@amodal/plugin-parts/tokens'
import { SnapshotTampered, SnapshotUnreadable } from '../errors.ts'
import {
  differenceFrom,
  FILES_PREFIX,
  MANIFEST_PATH,
  parseManifest,
  type Snapshot,
} from './format.ts'

/** The first folder of all archives. */
const TOP = 'snapshot'

/** Bytes of the archive of a snapshot at most. */
export const MAX_PACKED = LIMITS.packed

/**
 * Writes a snapshot as tar and gzip. Equal snapshots have equal bytes: the archive has no times,
 * owners or modes of files, and its order is that of their paths.
 */
export function writeArchive({ manifest, contents }: Snapshot): Promise<Uint8Array> {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  return writeTarball(TOP, [
    { path: MANIFEST_PATH, bytes: new TextEncoder().encode(text) },
    ...contents.map(({ path, bytes }) => ({ path: `${FILES_PREFIX}${path}`, bytes })),
  ])
}

/**
 * Reads the archive of a snapshot, and compares every hash. Nothing is written.
 *
 * @returns `SNAPSHOT_UNREADABLE` where it is none, `SNAPSHOT_TAMPERED` where a file is not that of
 *   the manifest
 */
export async function readArchive(bytes: Uint8Array): Promise<Result<Snapshot, Failure>> {
  if (bytes.byteLength > MAX_PACKED)
    return err(SnapshotUnreadable(`it has more than ${MAX_PACKED} bytes`))
  const read = await readTarball(bytes)
  if (!read.ok) return err(SnapshotUnreadable(read.error))
  const manifestFile = read.value.find(({ path }) => path === MANIFEST_PATH)
  if (!manifestFile) return err(SnapshotUnreadable(`it has no ${MANIFEST_PATH}`))
  const manifest = parseManifest(manifestFile.bytes)
  if (!manifest.ok) return err(SnapshotUnreadable(manifest.error))
  const others = read.value.filter((file) => file !== manifestFile)
  const stray = others.find(({ path }) => !path.startsWith(FILES_PREFIX))
  if (stray) return err(SnapshotTampered(`${stray.path} is not in the manifest`))
  const contents = others.map((file) => ({
    ...file,
    path: file.path.slice(FILES_PREFIX.length),
  }))
  const difference = differenceFrom(manifest.value, contents)
  return difference === undefined
    ? ok({ manifest: manifest.value, contents })
    : err(SnapshotTampered(difference))
}
