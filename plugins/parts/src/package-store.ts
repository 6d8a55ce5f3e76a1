import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { err, type Failure, type Result } from '@amodal/sdk'
import { treeHash, type Contents } from './contents.ts'
import { PartsTampered } from './errors.ts'
import { readFolder } from './folder-contents.ts'
import type { LockedPackage } from './locked.ts'

/** Below the agent folder; restored from amodal.lock where it is missing. */
export const STORE = '.amodal/packages'
/** Folders that are being written begin with it. */
const DRAFT = '.draft-'
/** A draft that is older belongs to no process. */
const ABANDONED_MS = 60 * 60_000

type Identity = Pick<LockedPackage, 'version' | 'tree'>

/**
 * The folder of a package, from the agent folder. Its name has the hash of its files, so that a new
 * version never stands where an older one is in use.
 */
export const storedFolder = (name: string, { version, tree }: Identity): string =>
  `${STORE}/${name}@${version}-${tree.slice('sha256-'.length, 'sha256-'.length + 12)}`

/** Where the files of a package stand, from the agent folder: those of a link elsewhere. */
export const folderOf = (name: string, locked: LockedPackage): string =>
  locked.link === true ? locked.from.replace(/^file:/, '') : storedFolder(name, locked)

/** Reads the files of a package where it is stored, and compares them with the lock. */
export async function readStored(
  root: string,
  name: string,
  locked: Identity,
  signal: AbortSignal,
): Promise<Result<Contents, Failure>> {
  const folder = storedFolder(name, locked)
  const read = await readFolder(join(root, folder), signal)
  if (!read.ok) return err(PartsTampered(`${name} cannot be read in ${folder}: ${read.error}`))
  return treeHash(read.value) === locked.tree
    ? read
    : err(PartsTampered(`files of ${name} in ${folder} are not those of version ${locked.version}`))
}

/** Whether something is stored where a package belongs. */
export const isStored = (root: string, name: string, locked: Identity): Promise<boolean> =>
  stat(join(root, storedFolder(name, locked))).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Writes the files of a package into a draft and moves that to its place, so that a process that is
 * killed leaves a complete package or none.
 */
export async function storePackage(
  root: string,
  name: string,
  locked: Identity,
  contents: Contents,
  signal: AbortSignal,
): Promise<void> {
  const target = join(root, storedFolder(name, locked))
  if ((await readStored(root, name, locked, signal)).ok) return
  const draft = join(root, STORE, `${DRAFT}${randomBytes(8).toString('hex')}`)
  try {
    await mkdir(draft, { recursive: true })
    for (const { path, bytes } of contents) {
      signal.throwIfAborted()
      const file = join(draft, path)
      await mkdir(dirname(file), { recursive: true })
      // without a right to execute it, whatever an archive says
      await writeFile(file, bytes, { flag: 'wx', mode: 0o644 })
    }
    await mkdir(dirname(target), { recursive: true })
    // What stands there is not what the lock has.
    await rm(target, { recursive: true, force: true })
    await rename(draft, target)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Removes what no lock names, and drafts of processes that were killed. */
export async function sweepStore(
  root: string,
  locked: ReadonlyMap<string, Identity>,
): Promise<void> {
  const used = new Set([...locked].map(([name, entry]) => storedFolder(name, entry)))
  const store = join(root, STORE)
  const folders = await readdir(store, { withFileTypes: true }).catch(() => [])
  for (const { name } of folders) {
    const path = join(store, name)
    if (name.startsWith(DRAFT)) {
      const found = await stat(path).catch(() => undefined)
      if (found && found.mtimeMs < Date.now() - ABANDONED_MS)
        await rm(path, { recursive: true, force: true })
      continue
    }
    const stored = name.startsWith('@')
      ? (await readdir(path).catch(() => [])).map((below) => join(path, below))
      : [path]
    for (const folder of stored)
      if (!used.has(relative(root, folder).split(sep).join('/')))
        await rm(folder, { recursive: true, force: true })
  }
}
