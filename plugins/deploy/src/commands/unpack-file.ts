import { readFile } from 'node:fs/promises'
import { messageOf, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { SnapshotUnreadable } from '../errors.ts'
import { readArchive } from '../snapshot/archive.ts'
import { unpack } from '../snapshot/unpack.ts'

/**
 * Reads a snapshot, compares every hash, and unpacks it.
 *
 * @param file absolute path of the snapshot
 * @param folder where it is unpacked
 * @returns the folder with its files; `SNAPSHOT_UNREADABLE` or `SNAPSHOT_TAMPERED` where it is
 *   refused
 */
export async function unpackFile(
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<Result<string, Failure>> {
  const bytes = await tryAsync(
    () => readFile(file),
    (cause) => SnapshotUnreadable(`${file} cannot be read: ${messageOf(cause)}`),
  )
  if (!bytes.ok) return bytes
  const snapshot = await readArchive(bytes.value)
  return snapshot.ok ? unpack(folder, snapshot.value, signal) : snapshot
}
