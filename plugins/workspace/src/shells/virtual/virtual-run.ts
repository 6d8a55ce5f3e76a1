import type { InMemoryFs } from 'just-bash'
import { KeptOutput } from '../kept-output.ts'
import type { Quota } from '../../snapshots/scan.ts'
import type { VirtualChanges, VirtualFile, VirtualFiles } from './virtual-files.ts'

/** A command for a thread. */
export interface VirtualTask {
  readonly command: string
  readonly files: VirtualFiles
  readonly quota: Quota
  readonly timeoutMs: number
  readonly outputChars: number
}

export type VirtualEnd =
  | {
      readonly kind: 'exited'
      readonly exitCode: number
      readonly stdout: string
      readonly stderr: string
      readonly changes: VirtualChanges
    }
  | { readonly kind: 'failed' | 'stopped'; readonly message: string }

/** Where a command finds the files. */
export const AT = '/workspace'
const DEFAULT_MODE = 0o644
const PERMISSIONS = 0o777
/** More than the quota, so that a command that exceeds it is known by what it has left. */
const ROOM = 2
const MOST_OUTPUT = 32 * 1_048_576
/** Needs a database in WebAssembly, and runs it in threads of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['sqlite3'])

/** Runs a command over files in memory. */
export async function runVirtually(task: VirtualTask): Promise<VirtualEnd> {
  const library = await import('just-bash').catch(reasonOf)
  if (typeof library === 'string') return { kind: 'failed', message: library }
  const { Bash, getCommandNames, InMemoryFs: Files } = library
  const { command, files, quota, timeoutMs, outputChars } = task
  const fs = new Files({}, { maxTotalBytes: ROOM * quota.bytes })
  await fs.mkdir(AT, { recursive: true })
  for (const path of files.folders) await fs.mkdir(inside(path), { recursive: true })
  for (const { path, bytes, mode } of files.files)
    fs.writeFileSync(inside(path), bytes.slice(), undefined, { mode })
  for (const { path, target } of files.links) await fs.symlink(target, inside(path))
  const bash = new Bash({
    fs,
    cwd: AT,
    env: { HOME: AT, LANG: 'C.UTF-8', TERM: 'dumb' },
    commands: getCommandNames().filter((name) => !LEFT_OUT.has(name)) as never[], // its own names
    executionLimits: { maxExecutionTimeMs: timeoutMs, maxOutputSize: MOST_OUTPUT },
  })
  const { exitCode, stdout, stderr } = await bash.exec(command, { rawScript: true })
  if (await isFull(fs, quota))
    return { kind: 'stopped', message: 'the workspace is full: it holds more than its quota' }
  return {
    kind: 'exited',
    exitCode,
    stdout: shortened(stdout, outputChars),
    stderr: shortened(stderr, outputChars),
    changes: await changesIn(fs, files),
  }
}

const inside = (path: string): string => `${AT}/${path}`

function shortened(text: string, chars: number): string {
  const output = new KeptOutput(chars)
  output.add(text)
  return String(output)
}

async function isFull(fs: InMemoryFs, quota: Quota): Promise<boolean> {
  const paths = below(fs)
  const sizes = await Promise.all(paths.map(async (path) => (await fs.lstat(inside(path))).size))
  return paths.length > quota.files || sizes.reduce((sum, size) => sum + size, 0) > quota.bytes
}

/** What is in memory and was not, and the other way around. */
async function changesIn(fs: InMemoryFs, before: VirtualFiles): Promise<VirtualChanges> {
  const oldFiles = new Map(before.files.map((file) => [file.path, file]))
  const oldFolders = new Set(before.folders)
  const oldLinks = new Map(before.links.map(({ path, target }) => [path, target]))
  const folders: string[] = []
  const files: VirtualFile[] = []
  const links: { path: string; target: string }[] = []
  /** Entries that are what they were, or a file whose content alone changed. */
  const staying = new Set<string>()
  for (const path of below(fs)) {
    const { isSymbolicLink, isDirectory, mode } = await fs.lstat(inside(path))
    if (isSymbolicLink) {
      const target = await fs.readlink(inside(path))
      if (oldLinks.get(path) === target) staying.add(path)
      else links.push({ path, target })
    } else if (isDirectory) {
      if (oldFolders.has(path)) staying.add(path)
      else folders.push(path)
    } else {
      const bytes = await fs.readFileBuffer(inside(path))
      const file = { path, bytes, mode: mode & PERMISSIONS || DEFAULT_MODE }
      const old = oldFiles.get(path)
      if (old) staying.add(path)
      if (!old || !isSame(old, file)) files.push(file)
    }
  }
  const removed = [...oldFiles.keys(), ...oldLinks.keys(), ...oldFolders].filter(
    (path) => !staying.has(path),
  )
  // what is in a folder sorts behind it
  return { folders, files, links, removed: removed.toSorted().toReversed() }
}

/** Each folder before its entries. */
const below = (fs: InMemoryFs): readonly string[] =>
  fs
    .getAllPaths()
    .filter((path) => path.startsWith(`${AT}/`))
    .map((path) => path.slice(AT.length + 1))
    .toSorted()

const isSame = (a: VirtualFile, b: VirtualFile): boolean =>
  (a.mode & PERMISSIONS) === b.mode && Buffer.compare(a.bytes, b.bytes) === 0

/** Without the SDK, which would take longer to load than most commands run. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
