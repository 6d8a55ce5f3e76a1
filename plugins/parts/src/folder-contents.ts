import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { err, messageOf, tryAsync, type Result } from '@amodal/sdk'
import { ContentsReader, LIMITS, type Contents } from './contents.ts'

/** Folders of other programs, which are no part of a package. */
const ELSEWHERE: ReadonlySet<string> = new Set(['.git', 'node_modules', '.amodal'])

/**
 * Reads the files of a folder as those of a package. Links, devices and more than {@link LIMITS}
 * refuse the whole folder.
 */
export async function readFolder(
  folder: string,
  signal: AbortSignal,
): Promise<Result<Contents, string>> {
  const reader = new ContentsReader()
  let bytes = 0
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      signal.throwIfAborted()
      if (ELSEWHERE.has(entry.name)) continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        await walk(path)
        continue
      }
      if (!entry.isFile()) throw new Error(`${path} is no file: links and devices are refused`)
      bytes += (await lstat(join(folder, path))).size
      if (bytes > LIMITS.unpacked)
        throw new Error(`its files have more than ${LIMITS.unpacked} bytes`)
      const added = reader.add(path, await readFile(join(folder, path)))
      if (!added.ok) throw new Error(added.error)
    }
  }
  const read = await tryAsync(() => walk(''), messageOf)
  signal.throwIfAborted()
  return read.ok ? reader.contents() : err(read.error)
}
