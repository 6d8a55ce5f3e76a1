import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { LIMITS, readTarball, type PackageFile } from '@amodal/plugin-parts/tokens'
import { Header, Pax, type HeaderData } from 'tar'
import { SnapshotTampered, SnapshotUnreadable } from '../errors.ts'
import {
  differenceFrom,
  FILES_PREFIX,
  MANIFEST_PATH,
  parseManifest,
  type Snapshot,
} from './format.ts'

const compress = promisify(gzip)
const BLOCK = 512
/** All archives begin with the same folder, which a reader of tarballs leaves out. */
const TOP = 'snapshot/'
/** Where a gzip header names the operating system, and its value for one that is not known. */
const SYSTEM_BYTE = 9
const ANY_SYSTEM = 255
/** 1 January 2000: some programs take a time of 0 for one that is missing. */
const MTIME = new Date(946_684_800_000)

/** Bytes of the archive of a snapshot at most. */
export const MAX_PACKED = LIMITS.packed

/**
 * Writes a snapshot as tar and gzip. Equal snapshots have equal bytes: the archive has no times,
 * owners or modes of files, and its order is that of their paths.
 */
export async function writeArchive({ manifest, contents }: Snapshot): Promise<Uint8Array> {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  const files: readonly PackageFile[] = [
    { path: MANIFEST_PATH, bytes: new TextEncoder().encode(text) },
    ...contents.map(({ path, bytes }) => ({ path: `${FILES_PREFIX}${path}`, bytes })),
  ]
  const plain = Buffer.concat([...files.flatMap(entryOf), Buffer.alloc(2 * BLOCK)])
  const packed = await compress(plain, { level: 9 })
  packed[SYSTEM_BYTE] = ANY_SYSTEM
  return packed
}

function entryOf({ path, bytes }: PackageFile): readonly Uint8Array[] {
  const data: HeaderData = {
    path: `${TOP}${path}`,
    type: 'File',
    mode: 0o644,
    uid: 0,
    gid: 0,
    uname: '',
    gname: '',
    size: bytes.byteLength,
    mtime: MTIME,
  }
  const block = Buffer.alloc(BLOCK)
  const isLong = new Header(data).encode(block, 0)
  const { path: longPath, size, mtime } = data
  const before = isLong
    ? [
        new Pax({
          ...(longPath !== undefined && { path: longPath }),
          size: size ?? 0,
          mtime: mtime ?? MTIME,
          mode: 0o644,
        }).encode(),
      ]
    : []
  return [...before, block, bytes, Buffer.alloc((BLOCK - (bytes.byteLength % BLOCK)) % BLOCK)]
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
