import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import {
  err,
  isList,
  isObject,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { parseJson, textOf } from '@amodal/sdk/files'
import { LOCK_FILE, readLock } from '@amodal/sdk/packages'
import { ContentsReader, storedFolder, type Contents } from '@amodal/plugin-parts/tokens'
import { isInside } from '@amodal/plugin-repo-files/tokens'
import { SnapshotRefused } from '../errors.ts'

const MANIFEST = 'amodal.json'

/** Folders of other programs, and hidden files, among them `.env` and `.amodal`. */
const isElsewhere = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/**
 * Reads the files of an agent folder that the runtime reads: those of the format, amodal.lock, the
 * installed packages of it, and plugins that amodal.json names by their path.
 *
 * @param places files and folders that are read, from the folder
 * @returns the files, sorted by path; `SNAPSHOT_REFUSED` where one may not be in a snapshot
 */
export async function collectFiles(
  dir: string,
  places: readonly string[],
  signal: AbortSignal,
): Promise<Result<Contents, Failure>> {
  const root = await tryAsync(() => realpath(dir), messageOf)
  if (!root.ok) return err(SnapshotRefused(`there is no folder ${dir}`))
  const packages = await packageFolders(root.value)
  if (!packages.ok) return packages
  const plugins = await pluginPlaces(root.value)
  if (!plugins.ok) return plugins
  const collecting = new Collecting(root.value, signal)
  const own = [...places, LOCK_FILE, ...plugins.value].filter((place) => !isElsewhere(place))
  const read = await tryAsync(async () => {
    for (const place of new Set(own)) await collecting.add(place)
    for (const folder of packages.value) await collecting.addFolder(folder)
  }, messageOf)
  signal.throwIfAborted()
  const contents = read.ok ? collecting.contents() : read
  return contents.ok ? contents : err(SnapshotRefused(contents.error))
}

/** The folders of installed packages. One that is linked stands elsewhere, and changes. */
async function packageFolders(root: string): Promise<Result<readonly string[], Failure>> {
  const lock = await readLock(root)
  if (!lock.ok) return lock
  const folders: string[] = []
  for (const [name, entry] of Object.entries(lock.value?.packages ?? {})) {
    if (!isObject(entry)) continue
    const { link, version, tree } = entry
    if (link === true)
      return err(
        SnapshotRefused(
          `the package ${name} is a link to a folder: install it before a deployment`,
        ),
      )
    if (typeof version === 'string' && typeof tree === 'string')
      folders.push(storedFolder(name, { version, tree }))
  }
  return ok(folders)
}

/** The first segment of each plugin that amodal.json names by its path. */
async function pluginPlaces(root: string): Promise<Result<readonly string[], Failure>> {
  const text = textOf(await readFile(join(root, MANIFEST)).catch(() => new Uint8Array()))
  const json = text.ok ? parseJson(text.value) : undefined
  const manifest = json?.ok === true ? json.value.value : undefined
  const listed = isObject(manifest) ? manifest['plugins'] : undefined
  const places: string[] = []
  for (const item of listed !== undefined && isList(listed) ? listed : []) {
    const first = isList(item) ? item[0] : item
    const name = first !== undefined && isObject(first) ? first['use'] : first
    if (typeof name !== 'string' || !/^(?:\.{1,2}\/|\/|file:)/.test(name)) continue
    const path = relative(root, join(root, name)).split(sep).join('/')
    if (!name.startsWith('./') || path.startsWith('..'))
      return err(
        SnapshotRefused(`the plugin "${name}" of ${MANIFEST} stands outside of the agent folder`),
      )
    places.push(path.split('/')[0] ?? path)
  }
  return ok(places)
}

class Collecting {
  readonly #reader = new ContentsReader()
  readonly #root: string
  readonly #signal: AbortSignal

  constructor(root: string, signal: AbortSignal) {
    this.#root = root
    this.#signal = signal
  }

  contents(): Result<Contents, string> {
    return this.#reader.contents()
  }

  /** Adds a file or folder, if it is there. */
  async add(path: string): Promise<void> {
    this.#signal.throwIfAborted()
    const real = await realpath(join(this.#root, path)).catch(() => undefined)
    if (real === undefined) return
    const parts = relative(this.#root, real).split(sep)
    if (!isInside(this.#root, real) || parts.some(isElsewhere))
      throw new Error(`${path} is a link to a place that is not part of a snapshot`)
    const entry = await stat(real)
    if (entry.isDirectory()) return this.addFolder(path, real)
    if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder`)
    const added = this.#reader.add(path, await readFile(real))
    if (!added.ok) throw new Error(added.error)
  }

  /** @param real where the folder stands; links that lead in a circle are refused by their length */
  async addFolder(path: string, real = join(this.#root, path)): Promise<void> {
    for (const name of (await readdir(real)).toSorted())
      if (!isElsewhere(name)) {
        if (path.startsWith('.amodal/')) await this.#addStored(`${path}/${name}`)
        else await this.add(`${path}/${name}`)
      }
  }

  /** A file of an installed package, whose links were refused when it was installed. */
  async #addStored(path: string): Promise<void> {
    const entry = await stat(join(this.#root, path))
    if (entry.isDirectory()) return this.addFolder(path)
    const added = this.#reader.add(path, await readFile(join(this.#root, path)))
    if (!added.ok) throw new Error(added.error)
  }
}
