import { randomUUID } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { lstat, mkdir, readdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { WorkspaceFileRefused } from '../errors.ts'
import { fileFailure, RefusedFile } from './file-failure.ts'
import { OpenedFolder, openUnlinked, UnsafePath, type Addressing } from './opened-folder.ts'
import { parsePath } from './workspace-path.ts'

const FOLDER_MODE = 0o755
const FILE_MODE = 0o644
/** Permissions that a file of a workspace may have: neither setuid, setgid nor sticky. */
const PERMISSIONS = 0o777
/** Names of files that are being written; no tool lists them. */
const DRAFT = '.amodal-draft-'

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

export interface EntryInfo {
  readonly kind: EntryKind
  readonly size: number
  readonly mode: number
  /** Changes whenever the content or the attributes of the entry do. */
  readonly version: string
  readonly modifiedMs: number
}

export interface FolderEntry extends EntryInfo {
  readonly name: string
}

type Outcome<T> = Promise<Result<T, Failure>>

/**
 * The only way in which the server reaches files of a workspace. Each component of a path is
 * opened without following links, so that neither `..`, an absolute path, a link nor an exchange
 * of folders during an operation leads outside; files are read only if they are regular.
 */
export class WorkspaceFiles {
  readonly #root: string
  readonly #addressing: Addressing

  /** @param root an absolute path of a folder that exists and that the server chose */
  constructor(root: string, addressing: Addressing = defaultAddressing()) {
    this.#root = root
    this.#addressing = addressing
  }

  /** The bytes of a regular file; one that has more than `maxBytes` is refused. */
  read(path: string, maxBytes: number): Outcome<{ bytes: Uint8Array; info: EntryInfo }> {
    return this.#within(path, 'read', async (folder, name) => {
      const handle = await openedFile(folder, name)
      try {
        const stats = await handle.stat({ bigint: true })
        if (stats.size > maxBytes)
          throw new RefusedFile(`has ${stats.size} bytes, more than the ${maxBytes} allowed`)
        return { bytes: await readAtMost(handle, maxBytes), info: infoOf(stats) }
      } finally {
        await handle.close()
      }
    })
  }

  /** Replaces or creates a file as a whole: a reader sees the old content or the new one. */
  write(path: string, bytes: Uint8Array, mode?: number): Outcome<void> {
    return this.#within(
      path,
      'written',
      async (folder, name) => {
        const present = await found(folder, name)
        if (present) assertWritable(present, folder)
        const draft = `${DRAFT}${randomUUID()}`
        try {
          const permissions = mode ?? (present ? Number(present.mode) : FILE_MODE)
          await writeNew(folder, draft, bytes, permissions & PERMISSIONS)
          await folder.verify()
          await rename(folder.entry(draft), folder.entry(name))
        } catch (cause) {
          await unlink(folder.entry(draft)).catch(() => undefined) // it may not exist
          throw cause
        }
      },
      { creates: true },
    )
  }

  info(path: string): Outcome<EntryInfo> {
    return this.#within(path, 'read', async (folder, name) => infoOf(await known(folder, name)), {
      root: async (root) => infoOf(await lstat(root.own() + '/.', { bigint: true })),
    })
  }

  /** The entries of a folder, by name. */
  list(path: string): Outcome<readonly FolderEntry[]> {
    return this.#within(
      path,
      'listed',
      async (folder, name) => {
        const listed = await folder.folder(name)
        try {
          return await entriesOf(listed)
        } finally {
          await listed.close()
        }
      },
      { root: entriesOf },
    )
  }

  /** Creates a folder and those above it; one that exists is left as it is. */
  makeFolder(path: string): Outcome<void> {
    return this.#within(path, 'created', (folder, name) => ensureFolder(folder, name), {
      creates: true,
      root: () => Promise.resolve(),
    })
  }

  /** Removes a file, a link (never its target) or a folder with all that is in it. */
  remove(path: string): Outcome<void> {
    return this.#within(path, 'removed', removeEntry)
  }

  /** Moves an entry; a file that is at the new path is replaced. */
  async rename(from: string, to: string): Outcome<void> {
    const outcome = await this.#within(from, 'moved', async (source, sourceName) => {
      await known(source, sourceName)
      return this.#within(
        to,
        'moved',
        async (target, targetName) => {
          await Promise.all([source.verify(), target.verify()])
          await rename(source.entry(sourceName), target.entry(targetName))
        },
        { creates: true },
      )
    })
    return outcome.ok ? outcome.value : outcome
  }

  /** Creates a link, which is stored and restored but never followed by the server. */
  link(path: string, target: string): Outcome<void> {
    return this.#within(
      path,
      'created',
      async (folder, name) => {
        await folder.verify()
        await symlink(target, folder.entry(name))
      },
      { creates: true },
    )
  }

  linkTarget(path: string): Outcome<string> {
    return this.#within(path, 'read', (folder, name) => readlink(folder.entry(name)))
  }

  setMode(path: string, mode: number): Outcome<void> {
    return this.#within(path, 'changed', async (folder, name) => {
      const handle = await openedFile(folder, name)
      try {
        assertWritable(await handle.stat({ bigint: true }), folder)
        await handle.chmod(mode & PERMISSIONS)
      } finally {
        await handle.close()
      }
    })
  }

  /** Runs `work` in the folder of a path, and closes every folder on the way. */
  async #within<T>(
    path: string,
    verb: string,
    work: (folder: OpenedFolder, name: string) => Promise<T>,
    options: {
      readonly creates?: boolean
      readonly root?: (root: OpenedFolder) => Promise<T>
    } = {},
  ): Outcome<T> {
    const names = parsePath(path)
    if (!names.ok) return names
    const name = names.value.at(-1)
    const opened: OpenedFolder[] = []
    try {
      let folder = await OpenedFolder.open(this.#root, this.#addressing)
      opened.push(folder)
      if (name === undefined) {
        if (!options.root)
          return err(WorkspaceFileRefused(`the workspace itself cannot be ${verb}: name a file`))
        return ok(await options.root(folder))
      }
      for (const component of names.value.slice(0, -1)) {
        if (options.creates === true) await ensureFolder(folder, component)
        folder = await folder.folder(component)
        opened.push(folder)
      }
      const outcome = await work(folder, name)
      await folder.verify()
      return ok(outcome)
    } catch (cause) {
      return err(fileFailure(path, verb, cause))
    } finally {
      await Promise.all(opened.map((folder) => folder.close()))
    }
  }
}

function defaultAddressing(): Addressing {
  return process.platform === 'linux' ? 'descriptor' : 'checked'
}

const found = (folder: OpenedFolder, name: string): Promise<BigIntStats | undefined> =>
  lstat(folder.entry(name), { bigint: true }).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  })

const known = (folder: OpenedFolder, name: string): Promise<BigIntStats> =>
  lstat(folder.entry(name), { bigint: true })

/** A second name of the file may be outside of the workspace. */
function assertWritable(stats: BigIntStats, folder: OpenedFolder): void {
  if (stats.isDirectory()) throw new RefusedFile('is a folder')
  if (!stats.isFile()) throw new UnsafePath('is no regular file')
  if (stats.dev !== folder.device) throw new UnsafePath('is another file system')
  if (stats.nlink !== 1n) throw new UnsafePath('has a second name (hard link)')
}

/** Opens a regular file; a FIFO or device neither blocks nor is read. */
async function openedFile(folder: OpenedFolder, name: string): Promise<FileHandle> {
  assertReadable(await known(folder, name), folder)
  await folder.verify()
  const handle = await openUnlinked(
    folder.entry(name),
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
  )
  try {
    assertReadable(await handle.stat({ bigint: true }), folder)
    await folder.verify()
    return handle
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

/** A second name is refused here too: its first one may be a file outside. */
const assertReadable = assertWritable

async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536, null)
    if (bytesRead === 0) return Buffer.concat(chunks)
    total += bytesRead
    if (total > maxBytes) throw new RefusedFile(`has more than the ${maxBytes} bytes allowed`)
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

async function writeNew(
  folder: OpenedFolder,
  name: string,
  bytes: Uint8Array,
  mode: number,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  const handle = await openUnlinked(folder.entry(name), flags, 0o600)
  try {
    await folder.verify()
    await handle.writeFile(bytes)
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

async function ensureFolder(folder: OpenedFolder, name: string): Promise<void> {
  const present = await found(folder, name)
  if (present?.isDirectory() === true) return
  if (present?.isSymbolicLink() === true) throw new UnsafePath('is a link')
  if (present) throw new RefusedFile('is a file, and a folder is needed')
  await folder.verify()
  await mkdir(folder.entry(name), FOLDER_MODE)
}

async function entriesOf(folder: OpenedFolder): Promise<readonly FolderEntry[]> {
  const names = await readdir(folder.own())
  const entries: FolderEntry[] = []
  for (const name of names.toSorted()) {
    if (name.startsWith(DRAFT)) continue
    const stats = await found(folder, name) // it may have been removed meanwhile
    if (stats) entries.push({ name, ...infoOf(stats) })
  }
  await folder.verify()
  return entries
}

async function removeEntry(folder: OpenedFolder, name: string): Promise<void> {
  const stats = await known(folder, name)
  await folder.verify()
  if (!stats.isDirectory()) return unlink(folder.entry(name))
  const inner = await folder.folder(name)
  try {
    for (const entry of await readdir(inner.own())) await removeEntry(inner, entry)
  } finally {
    await inner.close()
  }
  await folder.verify()
  await rmdir(folder.entry(name))
}

const infoOf = (stats: BigIntStats): EntryInfo => ({
  kind: kindOf(stats),
  size: Number(stats.size),
  mode: Number(stats.mode) & PERMISSIONS,
  version: `${stats.ino}.${stats.size}.${stats.mtimeNs}.${stats.ctimeNs}`,
  modifiedMs: Number(stats.mtimeMs),
})

function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}
