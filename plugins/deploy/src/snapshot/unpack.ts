import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { err, failure, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { compare } from '@amodal/sdk/files'
import type { Contents, PackageFile } from '@amodal/plugin-parts/tokens'
import { filesOf, idOf, type Snapshot } from './format.ts'

const DRAFT = '.draft-'
/** A draft that is older belongs to no process. */
const ABANDONED_MS = 60 * 60_000
/** Of `.amodal`, the only part of a snapshot. */
const PACKAGES = '.amodal/packages'

/** Where a snapshot is unpacked. */
export const folderOf = (folder: string, id: string): string => join(folder, id)

/**
 * Unpacks a snapshot into a folder that is named by its id, unless it stands there already, byte
 * for byte. It is written as a draft and moved to its place, so that a process that is killed
 * leaves a complete snapshot or none, and two processes do not meet.
 *
 * @returns the folder; `NOT_WRITABLE` where it cannot be written
 */
export async function unpack(
  folder: string,
  { manifest, contents }: Snapshot,
  signal: AbortSignal,
): Promise<Result<string, Failure>> {
  const target = folderOf(folder, manifest.id)
  if (await isUnpacked(folder, manifest.id, signal)) return ok(target)
  const draft = join(folder, `${DRAFT}${randomBytes(8).toString('hex')}`)
  const done = await tryAsync(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeDrafts(folder)
    for (const { path, bytes } of contents) {
      signal.throwIfAborted()
      const file = join(draft, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes, { flag: 'wx', mode: 0o444 })
    }
    await replace(target, draft)
  }, messageOf)
  await rm(draft, { recursive: true, force: true })
  signal.throwIfAborted()
  // Another process may have put it there meanwhile.
  if (done.ok || (await isUnpacked(folder, manifest.id, signal))) return ok(target)
  return err(failure('NOT_WRITABLE', `a snapshot cannot be written to ${folder}: ${done.error}`))
}

/** Whether a snapshot stands in its folder, byte for byte. */
export async function isUnpacked(
  folder: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const contents = await tryAsync(() => readUnpacked(folderOf(folder, id), signal), messageOf)
  signal.throwIfAborted()
  return contents.ok && idOf(filesOf(contents.value)) === id
}

/** The files of a folder, sorted by path. */
async function readUnpacked(root: string, signal: AbortSignal): Promise<Contents> {
  const contents: PackageFile[] = []
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
      signal.throwIfAborted()
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      // what a server writes there is no part of the snapshot
      if (below === '.amodal' && path !== PACKAGES) continue
      if (entry.isDirectory()) await walk(path)
      else contents.push({ path, bytes: await readFile(join(root, path)) })
    }
  }
  await walk('')
  return contents.toSorted((a, b) => compare(a.path, b.path))
}

/** What stands there is not what it should be: it is set aside, since a rename replaces no folder. */
async function replace(target: string, draft: string): Promise<void> {
  const old = `${draft}-old`
  await rename(target, old).catch(() => undefined)
  await rename(draft, target)
  await rm(old, { recursive: true, force: true })
}

async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS)
      await rm(path, { recursive: true, force: true })
  }
}
