import { err, messageOf, ok, type Failure, type Result } from '@amodal/sdk'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AssetStorageFailed } from './errors.ts'
import type { AssetBytes, StoredFile } from './tokens.ts'

/** Folder of files that are being written: no tenant's name has a dot. */
const DRAFTS = '.drafts'
/** ms after which no process writes a draft any more. */
const OLD_DRAFT_MS = 3_600_000
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]

/**
 * Bytes of files in a folder, as `TENANT/AB/ABCDEF…`: hashes of the tenant and of the bytes, so
 * that no part of a path comes from a request. A file is moved to its place once all of it is on
 * the disk.
 */
export class FolderBytes implements AssetBytes {
  readonly place: string
  readonly #folder: string

  /** @param folder an absolute path; created with the first file */
  constructor(folder: string) {
    this.#folder = folder
    this.place = `the folder ${folder}`
  }

  async write(
    file: StoredFile,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const path = this.#pathOf(file)
    const draft = join(this.#folder, DRAFTS, randomUUID())
    try {
      await mkdir(dirname(draft), { recursive: true, mode: FOLDER_MODE })
      await writeSynced(draft, bytes, signal)
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
      await rename(draft, path)
      await this.#syncFolders(dirname(path))
      return ok(undefined)
    } catch (cause) {
      return err(this.#failure('written', cause))
    } finally {
      await rm(draft, { force: true }).catch(() => undefined) // removed by a later start
    }
  }

  async read(
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<Result<Uint8Array | undefined, Failure>> {
    try {
      return ok(await readFile(this.#pathOf(file), { signal }))
    } catch (cause) {
      return isMissing(cause) ? ok(undefined) : err(this.#failure('read', cause))
    }
  }

  async remove(file: StoredFile): Promise<Result<void, Failure>> {
    try {
      await rm(this.#pathOf(file), { force: true })
      return ok(undefined)
    } catch (cause) {
      return err(this.#failure('removed', cause))
    }
  }

  /** Removes what processes that were killed did not finish. */
  async removeDrafts(): Promise<void> {
    const folder = join(this.#folder, DRAFTS)
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined) // its writer may have moved it
      if (found && found.mtimeMs < Date.now() - OLD_DRAFT_MS) await rm(path, { force: true })
    }
  }

  #pathOf({ tenant, asset }: StoredFile): string {
    const owner = createHash('sha256').update(tenant).digest('hex').slice(0, 32)
    return join(this.#folder, owner, asset.slice(0, 2), asset)
  }

  #failure(what: string, cause: unknown): Failure {
    return AssetStorageFailed(
      `a file cannot be ${what} in ${this.#folder} (folder): ${messageOf(cause)}`,
      { cause },
    )
  }

  /** Each folder that may be new, so that its name outlives a power failure. */
  async #syncFolders(innermost: string): Promise<void> {
    if (process.platform === 'win32') return // cannot open folders
    for (let at = innermost; at.length >= this.#folder.length; at = dirname(at)) {
      const handle = await open(at, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
  }
}

async function writeSynced(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE)
  try {
    await file.writeFile(bytes, { signal })
    await file.sync()
  } finally {
    await file.close()
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
