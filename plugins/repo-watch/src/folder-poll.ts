import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isForeign } from './folder-watch.ts'

/** Polls the folder, for file systems that report no changes. */
export class FolderPoll {
  readonly #root: string
  readonly #places: readonly string[]
  readonly #changed: () => void
  readonly #everyMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false
  #before: string | undefined

  constructor(root: string, places: readonly string[], everyMs: number, changed: () => void) {
    this.#root = root
    this.#places = places
    this.#everyMs = everyMs
    this.#changed = changed
  }

  async look(): Promise<void> {
    const now = (await Promise.all(this.#places.map((place) => signs(join(this.#root, place)))))
      .flat()
      .join('\n')
    if (this.#closed) return
    if (this.#before !== undefined && now !== this.#before) this.#changed()
    this.#before = now
    // `signs` takes what it can get
    this.#timer = setTimeout(() => void this.look().catch(() => undefined), this.#everyMs)
    this.#timer.unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}

/** A signature of everything at a path and below that changes with its content. */
async function signs(path: string): Promise<readonly string[]> {
  const entry = await stat(path).catch(() => undefined)
  if (!entry) return []
  if (!entry.isDirectory()) return [`${path} ${entry.ino} ${entry.size} ${entry.mtimeMs}`]
  const inside = await readdir(path).catch(() => [])
  return [
    path,
    ...(
      await Promise.all(
        inside
          .filter((name) => !isForeign(name))
          .sort()
          .map((name) => signs(join(path, name))),
      )
    ).flat(),
  ]
}
