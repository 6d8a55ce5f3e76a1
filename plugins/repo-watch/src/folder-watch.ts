import { watch, type FSWatcher } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

interface Folder {
  readonly watcher: FSWatcher
  /** The inode: a folder may be replaced by another of the same name. */ readonly ino: number
}

export interface WatchListener {
  /** @param path relative to the root, with `/`; omitted if the system does not report it */
  changed(path: string | undefined): void
  /** Called when the system cannot watch, or no longer can. */
  failed(cause: unknown): void
}

/**
 * Watches folders rather than files, so that a file an editor replaces by renaming another is a
 * change like any other. A folder that is new is watched once `follow` has seen it.
 */
export class FolderWatch {
  readonly #root: string
  readonly #places: ReadonlySet<string>
  readonly #listener: WatchListener
  readonly #folders = new Map<string, Folder>()
  #closed = false

  /** @param places files and folders of the root that count */
  constructor(root: string, places: readonly string[], listener: WatchListener) {
    this.#root = root
    this.#places = new Set(places)
    this.#listener = listener
  }

  /** Folders that are watched. */
  get size(): number {
    return this.#folders.size
  }

  /** Watches the folders that are there now, and no others. */
  async follow(): Promise<void> {
    const there = await foldersBelow(this.#root, this.#places)
    if (this.#closed) return
    for (const [path, { watcher, ino }] of this.#folders) {
      if (there.get(path) === ino) continue
      watcher.close()
      this.#folders.delete(path)
    }
    for (const [path, ino] of there) {
      if (!this.#folders.has(path)) this.#watch(path, ino)
    }
  }

  close(): void {
    this.#closed = true
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watch(path: string, ino: number): void {
    try {
      const watcher = watch(join(this.#root, path), { persistent: false }, (_event, name) =>
        this.#heard(path, name),
      )
      watcher.on('error', (cause) => this.#listener.failed(cause))
      this.#folders.set(path, { watcher, ino })
    } catch (cause) {
      // It was removed meanwhile; the watcher of its parent folder has reported that.
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'))
        this.#listener.failed(cause)
    }
  }

  #heard(folder: string, name: string | null): void {
    if (this.#closed) return
    if (name === null) return this.#listener.changed(undefined)
    const path = folder === '' ? name : `${folder}/${name}`
    if (counts(path, this.#places)) this.#listener.changed(path)
  }
}

/**
 * Files and folders that begin with a dot belong to other programs, but for those that are named.
 */
export function counts(path: string, places: ReadonlySet<string>): boolean {
  if (places.has(path)) return true
  const [top = '', ...below] = path.split('/')
  return places.has(top) && !below.some(isForeign)
}

export const isForeign = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Every folder that counts, by its path, with its number. A link is followed once. */
async function foldersBelow(
  root: string,
  places: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  const seen = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    const real = await realpath(join(root, path)).catch(() => undefined)
    const entry = real === undefined ? undefined : await stat(real).catch(() => undefined)
    if (real === undefined || entry?.isDirectory() !== true || seen.has(real)) return
    seen.add(real)
    found.set(path, entry.ino)
    const inside = await readdir(real, { withFileTypes: true }).catch(() => [])
    await Promise.all(
      inside
        .filter((one) => !isForeign(one.name) && (one.isDirectory() || one.isSymbolicLink()))
        .map((one) => visit(`${path}/${one.name}`)),
    )
  }
  const top = await stat(root).catch(() => undefined)
  if (top) found.set('', top.ino)
  const above = new Set(
    [...places].flatMap((place) =>
      place.includes('/') ? [place.slice(0, place.lastIndexOf('/'))] : [],
    ),
  )
  for (const path of above) {
    const entry = await stat(join(root, path)).catch(() => undefined)
    if (entry?.isDirectory() === true) found.set(path, entry.ino)
  }
  await Promise.all([...places].filter((place) => !place.includes('/')).map(visit))
  return found
}
