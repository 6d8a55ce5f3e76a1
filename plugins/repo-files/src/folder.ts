import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tryAsync, type BundleFile } from '@amodal/sdk'
import {
  compare,
  EXPRESS_PROTECTION,
  isApiDocument,
  readOwnFile,
  tellUnread,
  unreadName,
  textOf,
} from '@amodal/sdk/files'
import { mapLimited } from './map-limited.ts'
import { OTHER_FOLDERS, PARTS_FOLDER } from './second-layout.ts'
import { find, list, reasonOf, type Found, type Walk } from './walk.ts'

/**
 * Folders of the format. Whatever else stands in the root belongs to somebody else and is not read.
 */
export const FOLDERS = [
  'skills',
  'knowledge',
  'stores',
  'agents',
  'connections',
  'tools',
  'automations',
  'evals',
  'experiments',
  'pages',
  'roles',
] as const

export interface FolderLimits {
  /** Bytes of one file. */
  readonly maxFileBytes: number
  readonly maxFiles: number
}

const FILES_AT_ONCE = 16

/**
 * Reads the text files below the folders of the format, side by side and in a stable order. Nothing
 * outside the root is read, whatever links say; what cannot be read is left out with an issue.
 */
export async function readFolders(
  walk: Walk,
  also: readonly string[],
  limits: FolderLimits,
): Promise<readonly BundleFile[]> {
  const folders = [...new Set<string>([...FOLDERS, ...also])]
  const read: readonly string[] = [PARTS_FOLDER, ...OTHER_FOLDERS]
  const others = (await foldersOf(walk)).filter(
    (name) => read.includes(name) && !folders.includes(name),
  )
  const [lists] = await Promise.all([
    Promise.all([...others, ...folders].map((folder) => list(walk, folder))),
    tellUnreadFolders(walk, folders),
  ])
  const found = lists.flatMap((files) =>
    files.filter(({ path }) => !isApiDocument(path)).sort((a, b) => compare(a.path, b.path)),
  )
  const [beyond] = found.slice(limits.maxFiles)
  if (beyond) {
    walk.issues.error(
      'TOO_LARGE',
      `there are ${found.length} files; from this one on, they are left out (limit ${limits.maxFiles})`,
      {
        file: beyond.path,
        fix: 'move what the agent does not need elsewhere, or raise `maxFiles` of repo-files',
      },
    )
  }
  const texts = await mapLimited(found.slice(0, limits.maxFiles), FILES_AT_ONCE, (file) =>
    readText(walk, file, limits),
  )
  return texts.filter((file) => file !== undefined)
}

/** One file by its path; `undefined` where there is none that can be read. */
export async function readOne(
  walk: Walk,
  path: string,
  limits: FolderLimits,
): Promise<BundleFile | undefined> {
  const found = await find(walk, path)
  if (found?.kind === 'folder')
    walk.issues.error('UNREADABLE', 'this is a folder, and a file is expected', {
      file: path,
      fix: 'make it a file',
    })
  return found?.kind === 'file' ? readText(walk, found, limits) : undefined
}

/**
 * Read as text here or by a plugin, so that a file of another kind is an error; elsewhere a picture
 * may stand beside a page.
 */
const isOurs = (path: string): boolean =>
  /^(?:amodal\/)?(?:skills|knowledge|agents)\/.*\.md$|^evals\/.*\.(md|ya?ml|jsonl|csv)$|^experiments\/.*\.(json|md)$|^[^/]+\.md$|^pages\/.*\.[jt]sx?$|\.json$|^\.env$/i.test(
    path,
  )

/** Secrets are often mounted, and nothing shows what stands in `.env`: it may lie anywhere. */
async function readText(
  { mounted, issues, signal }: Walk,
  { path, real }: Found,
  limits: FolderLimits,
): Promise<BundleFile | undefined> {
  const read = await tryAsync(
    () => readOwnFile(path === '.env' ? undefined : mounted, real, limits.maxFileBytes, signal),
    (cause) => cause,
  )
  if (!read.ok) {
    signal.throwIfAborted()
    issues.error('UNREADABLE', `cannot be read (${reasonOf(read.error)})`, {
      file: path,
      fix: 'make it readable',
    })
    return undefined
  }
  const file = read.value
  if (file.kind === 'elsewhere') {
    issues.error('UNREADABLE', file.why, { file: path, fix: file.fix })
    return undefined
  }
  if (file.kind === 'large') {
    const { size } = file
    const place = { file: path, fix: 'split it, or raise `maxFileBytes` of repo-files' }
    const message = `the file has ${size} bytes, more than the ${limits.maxFileBytes} allowed, and is left out`
    if (isOurs(path)) issues.error('TOO_LARGE', message, place)
    else issues.warn('TOO_LARGE', message, place)
    return undefined
  }
  const text = textOf(file.bytes)
  if (text.ok) return { path, text: text.value }
  if (isOurs(path)) issues.error('UNREADABLE', text.error, { file: path, fix: 'save it as UTF-8' })
  return undefined
}

/** Files and folders of the root that are meant as protections, and are none. */
const PROTECTION =
  /^(?:access|approvals?|guards?|hooks?|permissions?|polic(?:y|ies)|roles?)(?:\.(?:json|ya?ml|toml|[mc]?[jt]s))?$/i

/** `skill/` for `skills/` would be overlooked in silence. */
async function tellUnreadFolders(walk: Walk, folders: readonly string[]): Promise<void> {
  const { root, issues } = walk
  // Hidden folders belong to tools, `.amodal` to the server itself.
  const known: readonly string[] = [...folders, PARTS_FOLDER, ...OTHER_FOLDERS]
  const unread = (await foldersOf(walk)).filter(
    (one) => !known.includes(one) && !one.startsWith('.'),
  )
  for (const name of unread) {
    const judged = unreadName(name, folders)
    if (judged.meant !== undefined)
      tellUnread('this folder is not read', judged, { file: name }, '', issues)
    else if (PROTECTION.test(name))
      issues.error('BAD_REPO', 'this folder is not read', { file: name, fix: EXPRESS_PROTECTION })
  }
  const files = await readdir(root, { withFileTypes: true }).catch(() => [])
  for (const { name } of files.filter(
    (entry) => !entry.isDirectory() && !unread.includes(entry.name) && !known.includes(entry.name),
  )) {
    if (name.includes('.') && PROTECTION.test(name))
      issues.error('BAD_REPO', 'this file is not read', { file: name, fix: EXPRESS_PROTECTION })
  }
}

async function foldersOf({ root }: Walk): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const folders = await Promise.all(
    entries.map(async (entry) => {
      const isFolder = entry.isSymbolicLink()
        ? (await stat(join(root, entry.name)).catch(() => undefined))?.isDirectory()
        : entry.isDirectory()
      return isFolder === true ? [entry.name] : []
    }),
  )
  return folders.flat()
}
