import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PackageFile } from './contents.ts'
import { tar } from './libraries.ts'

const compress = promisify(gzip)
const BLOCK = 512
/** Where a gzip header names the operating system, and its value for one that is not known. */
const SYSTEM_BYTE = 9
const ANY_SYSTEM = 255
/** 1 January 2000: some programs take a time of 0 for one that is missing. */
const MTIME = new Date(946_684_800_000)

/**
 * Writes files as tar and gzip. Equal files have equal bytes: the archive has no times, owners or
 * modes, and its order is that of the list.
 *
 * @param top the folder that all paths begin with, which `readTarball` leaves out
 * @example const packed = await writeTarball('tool', [{ path: 'tool.json', bytes }])
 */
export async function writeTarball(
  top: string,
  files: readonly PackageFile[],
): Promise<Uint8Array> {
  const entries = files.flatMap(({ path, bytes }) => entryOf(`${top}/${path}`, bytes))
  const packed = await compress(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 })
  packed[SYSTEM_BYTE] = ANY_SYSTEM
  return packed
}

function entryOf(path: string, bytes: Uint8Array): readonly Uint8Array[] {
  const facts = { path, mode: 0o644, size: bytes.byteLength, mtime: MTIME }
  const block = Buffer.alloc(BLOCK)
  const { Header, Pax } = tar()
  const header = new Header({ ...facts, type: 'File', uid: 0, gid: 0, uname: '', gname: '' })
  const isLong = header.encode(block, 0)
  const before = isLong ? [new Pax(facts).encode()] : []
  const padding = Buffer.alloc((BLOCK - (bytes.byteLength % BLOCK)) % BLOCK)
  return [...before, block, bytes, padding]
}
