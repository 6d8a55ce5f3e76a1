import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { err, failure, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import type { Contents } from '@amodal/plugin-parts/tokens'
import { hashOfFiles, readFolder, unpack } from '../publish/archive.ts'

const DRAFT = '.draft-'
/** A draft that is older belongs to no process. */
const ABANDONED_MS = 60 * 60_000
/** Code that no process has used for so long is unpacked once more when it is needed. */
const UNUSED_MS = 7 * 24 * 60 * 60_000

/** Code of versions, unpacked into one folder each that is named by the hash of its files. */
export class CodeFolders {
  readonly #root: string
  readonly #unpacked = new Map<string, Promise<Result<string, Failure>>>()

  constructor(root: string) {
    this.#root = root
  }

  /**
   * The folder of code, which is written where it is not there or was changed.
   *
   * @param archive reads the archive of the code
   */
  folder(
    hash: string,
    archive: () => Promise<Result<Uint8Array, Failure>>,
  ): Promise<Result<string, Failure>> {
    const known = this.#unpacked.get(hash)
    if (known) return known
    const folder = this.#prepare(hash, archive)
    this.#unpacked.set(hash, folder)
    void folder.then((prepared) => {
      if (!prepared.ok) this.#unpacked.delete(hash)
    })
    return folder
  }

  /** Calls `work` with the path of a folder that is not there yet, and removes it afterwards. */
  async withDraft<T>(
    work: (folder: string) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const draft = this.#draft()
    const created = await this.#writing(() => mkdir(this.#root, { recursive: true }))
    if (!created.ok) return created
    try {
      return await work(draft)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Removes folders that no process has used for a week, and drafts of processes that ended. */
  async removeUnused(now: number): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name)
      if (this.#unpacked.has(name)) {
        // other processes that share the folder see that it is in use
        await utimes(path, now / 1_000, now / 1_000).catch(() => undefined)
        continue
      }
      const found = await stat(path).catch(() => undefined)
      const limit = name.startsWith(DRAFT) ? ABANDONED_MS : UNUSED_MS
      if (found && found.mtimeMs < now - limit) await rm(path, { recursive: true, force: true })
    }
  }

  async #prepare(
    hash: string,
    archive: () => Promise<Result<Uint8Array, Failure>>,
  ): Promise<Result<string, Failure>> {
    const target = join(this.#root, hash)
    if (await holds(target, hash)) return ok(target)
    const packed = await archive()
    if (!packed.ok) return packed
    const contents = await unpack(packed.value, hash)
    if (!contents.ok)
      return err(failure('STORE_FAILED', `the archived code ${hash} is damaged: ${contents.error}`))
    const written = await this.#write(target, contents.value)
    // Another process may have put it there meanwhile.
    return written.ok || (await holds(target, hash)) ? ok(target) : written
  }

  /** Written as a draft and moved to its place: a process that is killed leaves all of it or none. */
  async #write(target: string, contents: Contents): Promise<Result<void, Failure>> {
    const draft = this.#draft()
    const written = await this.#writing(async () => {
      await mkdir(draft, { recursive: true, mode: 0o755 })
      for (const { path, bytes } of contents) {
        const file = join(draft, path)
        await mkdir(dirname(file), { recursive: true, mode: 0o755 })
        await writeFile(file, bytes, { flag: 'wx', mode: 0o644 })
      }
      const old = `${draft}-old`
      await rename(target, old).catch(() => undefined)
      await rename(draft, target)
      await rm(old, { recursive: true, force: true })
    })
    await rm(draft, { recursive: true, force: true })
    return written
  }

  #draft(): string {
    return join(this.#root, `${DRAFT}${randomBytes(8).toString('hex')}`)
  }

  #writing(work: () => Promise<unknown>): Promise<Result<void, Failure>> {
    return tryAsync(
      async () => void (await work()),
      (cause) =>
        failure(
          'NOT_WRITABLE',
          `code of tools cannot be written to ${this.#root}: ${messageOf(cause)}`,
        ),
    )
  }
}

/** Whether a folder has the files of a hash, byte for byte. */
async function holds(folder: string, hash: string): Promise<boolean> {
  const files = await readFolder(folder)
  return files.ok && hashOfFiles(files.value) === hash
}
