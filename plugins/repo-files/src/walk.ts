import type { Dirent } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { messageOf, tryAsync } from '@amodal/sdk'
import type { Issues, Mounted } from '@amodal/sdk/files'

/** Where a walk goes and whom it tells. `root` is a real path. */
export interface Walk {
  readonly root: string
  readonly mounted: Mounted
  readonly issues: Issues
  readonly signal: AbortSignal
}

/** A file below the root: its path as written, with `/`, and the real one it is read from. */
export interface Found {
  readonly path: string
  readonly real: string
  readonly kind: 'file' | 'folder'
}

/**
 * What stands at a path once links are followed; `undefined` where there is nothing that may be
 * read.
 */
export async function find(walk: Walk, path: string): Promise<Found | undefined> {
  const { root, issues } = walk
  const here = join(root, path)
  const real = await tryAsync(
    () => realpath(here),
    (cause) => cause,
  )
  if (!real.ok) {
    if (!isMissing(real.error) || (await isLink(here))) unreadable(walk, path, real.error)
    return undefined
  }
  if (!isInside(root, real.value)) {
    issues.error('UNREADABLE', 'the link leads out of the agent folder and is not followed', {
      file: path,
      fix: 'copy what it leads to into the folder',
    })
    return undefined
  }
  if (!staysWithItsOwn(path, relative(root, real.value))) {
    issues.error(
      'UNREADABLE',
      'the link leads to a file that is not of the same kind and is not followed: what a skill may show is not what a connection or a hidden file holds',
      {
        file: path,
        fix: 'copy what it leads to into the folder',
      },
    )
    return undefined
  }
  const entry = await tryAsync(
    () => stat(real.value),
    (cause) => cause,
  )
  if (!entry.ok) {
    unreadable(walk, path, entry.error)
    return undefined
  }
  return classify(walk, path, real.value, entry.value)
}

/**
 * The files below a folder. `above` holds the real paths on the way down: a link cannot lead in a
 * circle.
 */
export async function list(walk: Walk, folder: string): Promise<readonly Found[]> {
  const top = await find(walk, folder)
  if (!top) return []
  if (top.kind === 'folder') return listFolder(walk, top, [])
  walk.issues.error('UNREADABLE', 'this is a file, and a folder is expected', {
    file: folder,
    fix: 'make it a folder, or give the file another name',
  })
  return []
}

async function listFolder(
  walk: Walk,
  folder: Found,
  above: readonly string[],
): Promise<readonly Found[]> {
  walk.signal.throwIfAborted()
  if (above.includes(folder.real)) return []
  const entries = await tryAsync(
    () => readdir(folder.real, { withFileTypes: true }),
    (cause) => cause,
  )
  if (!entries.ok) {
    unreadable(walk, folder.path, entries.error)
    return []
  }
  const wanted = entries.value.filter(
    ({ name }) => !name.startsWith('.') && name !== 'node_modules',
  )
  const below = await Promise.all(
    wanted.map(async (entry) => {
      const found = await childOf(walk, folder, entry)
      if (found?.kind === 'folder') return listFolder(walk, found, [...above, folder.real])
      return found ? [found] : []
    }),
  )
  return below.flat()
}

async function childOf(walk: Walk, folder: Found, entry: Dirent): Promise<Found | undefined> {
  const path = `${folder.path}/${entry.name}`
  return entry.isSymbolicLink()
    ? find(walk, path)
    : classify(walk, path, join(folder.real, entry.name), entry)
}

function classify(
  walk: Walk,
  path: string,
  real: string,
  entry: Pick<Dirent, 'isFile' | 'isDirectory'>,
): Found | undefined {
  if (entry.isDirectory()) return { path, real, kind: 'folder' }
  if (entry.isFile()) return { path, real, kind: 'file' }
  walk.issues.error('UNREADABLE', 'this is neither a file nor a folder', {
    file: path,
    fix: 'remove it',
  })
  return undefined
}

function unreadable({ issues }: Walk, path: string, cause: unknown): void {
  issues.error('UNREADABLE', `cannot be read (${reasonOf(cause)})`, {
    file: path,
    fix: 'make it readable',
  })
}

/** The system's word for it (`EACCES`), without the machine's paths. */
export function reasonOf(cause: unknown): string {
  return errorCode(cause) ?? messageOf(cause)
}

/**
 * Each is read as something else: what stands in one of them is nothing for another one to show.
 */
const PARTS: ReadonlySet<string> = new Set([
  'connections',
  'skills',
  'knowledge',
  'tools',
  'stores',
  'pages',
  'automations',
  'evals',
  'experiments',
  'agents',
  'roles',
  'amodal.json',
])

/** Whether a link leads to something that could as well stand where the link does. */
function staysWithItsOwn(path: string, real: string): boolean {
  const [own, target] = [path.split('/'), real.split(sep)]
  const isHidden = (parts: readonly string[]): boolean =>
    parts.some((part) => /^\.[^.]/.test(part) || part === 'node_modules')
  if (isHidden(target) && !isHidden(own)) return false
  // The files beside a skill are the model's to read: they are its own.
  if (own[0] === 'skills' && own.length > 2) return target[0] === 'skills' && target[1] === own[1]
  return own.length === 1 || target[0] === own[0] || !PARTS.has(target[0] ?? '')
}

const isInside = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
export const isMissing = (cause: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')

async function isLink(path: string): Promise<boolean> {
  const entry = await tryAsync(
    () => lstat(path),
    () => undefined,
  )
  return entry.ok && entry.value.isSymbolicLink()
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined
}
