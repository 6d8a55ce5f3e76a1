import { copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/** Not the agent's: its history, its packages, what it has stored. */
const ELSEWHERE: ReadonlySet<string> = new Set(['.git', 'node_modules', '.amodal'])

/**
 * Of `.amodal`: the manifest of older folders, documents that connections have loaded, and packages
 * of parts.
 */
const OF_AMODAL = ['config.json', 'cache', 'packages'] as const

/**
 * Copies an agent folder, without its history, its packages and its data. Links that stay in the
 * folder lead to the same place of the copy; those that leave it are not copied. `.env` is copied,
 * wherever it lies.
 *
 * @param root a real path
 */
export async function copyFolder(root: string, copy: string, signal: AbortSignal): Promise<void> {
  await copyEntries({ root, copy, signal }, '', (name) => !ELSEWHERE.has(name))
  for (const name of OF_AMODAL)
    await copyEntry({ root, copy, signal }, join('.amodal', name)).catch(ignoreMissing)
  await copyEnvironment(root, copy)
}

/** The values that the folder's `.env` has, for a copy that was not taken from the folder. */
export const copyEnvironment = (root: string, copy: string): Promise<void> =>
  copyFile(join(root, '.env'), join(copy, '.env')).catch(ignoreMissing)

interface Copying {
  readonly root: string
  readonly copy: string
  readonly signal: AbortSignal
}

async function copyEntries(
  copying: Copying,
  path: string,
  wanted: (name: string) => boolean,
): Promise<void> {
  await mkdir(join(copying.copy, path), { recursive: true, mode: 0o700 })
  for (const name of await readdir(join(copying.root, path)))
    if (wanted(name)) await copyEntry(copying, join(path, name))
}

async function copyEntry(copying: Copying, path: string): Promise<void> {
  const { copy, root, signal } = copying
  signal.throwIfAborted()
  const from = join(root, path)
  const to = join(copy, path)
  const entry = await lstat(from)
  if (entry.isDirectory())
    return copyEntries(copying, path, (name) => name !== '.git' && name !== 'node_modules')
  if (entry.isSymbolicLink()) return copyLink(root, from, to)
  if (!entry.isFile()) return
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
}

/** As it is written from where it stands, so that it stays in the copy. */
async function copyLink(root: string, from: string, to: string): Promise<void> {
  const target = await realpath(from).catch(() => undefined)
  if (target === undefined || !isInside(root, target)) return
  const written = relative(await realpath(dirname(from)), target)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await symlink(written === '' ? await readlink(from) : written, to)
}

/** Whether a real path is that of the folder or of something in it. */
export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

export function ignoreMissing(cause: unknown): void {
  if (!isMissing(cause)) throw cause
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
