import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, sha256, type Failure, type Result } from '@amodal/sdk'
import { FileNotFound, PathRefused } from '../errors.ts'
import { FOLDERS, PACKAGES, readPath } from './repo-path.ts'

/** Bytes of a file that is read. */
const MOST_BYTES = 5_000_000
/** Files that are listed. */
const MOST_FILES = 20_000

/** A file as it is on the disk. */
export interface RepoFile {
  readonly path: string
  readonly text: string
  /** Of its bytes. */
  readonly hash: string
}

/**
 * The files of an agent folder that the admin agent works on. No path leads out of it: each part of
 * a path is looked at, and a link is refused wherever it leads.
 */
export class Repo {
  readonly root: string

  /** @param root absolute */
  constructor(root: string) {
    this.root = root
  }

  /** @param path as `readPath` has checked it */
  async read(path: string): Promise<Result<RepoFile, Failure>> {
    const place = await this.place(path)
    if (!place.ok) return place
    if (place.value !== 'file') return err(FileNotFound(`there is no file ${path}`))
    // A link that has taken the place of the file since is not followed.
    const file = await open(
      join(this.root, path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    ).catch(() => undefined)
    if (!file) return err(FileNotFound(`${path} cannot be read`))
    try {
      const { size } = await file.stat()
      if (size > MOST_BYTES)
        return err(PathRefused(`${path} has ${size} bytes; ${MOST_BYTES} can be read`))
      return textOf(path, await file.readFile())
    } finally {
      await file.close()
    }
  }

  /** What is at a path: a link on the way to it is an error. */
  async place(path: string): Promise<Result<'file' | 'folder' | 'nothing', Failure>> {
    const parts = path.split('/')
    for (let count = 1; count <= parts.length; count++) {
      const at = parts.slice(0, count).join('/')
      const found = await lstat(join(this.root, at)).catch(() => undefined)
      if (!found) return ok('nothing')
      if (found.isSymbolicLink())
        return err(PathRefused(`${at} is a link, which the admin agent does not follow`))
      if (count < parts.length && !found.isDirectory())
        return err(PathRefused(`${at} is a file, and no folder`))
      if (count === parts.length) {
        if (found.isDirectory()) return ok('folder')
        return found.isFile() ? ok('file') : err(PathRefused(`${path} is no regular file`))
      }
    }
    return ok('nothing')
  }

  /** Paths of all files, in order. */
  async list(): Promise<readonly string[]> {
    const paths: string[] = []
    for (const folder of [...FOLDERS, PACKAGES]) await this.#collect(folder, paths)
    return paths.sort()
  }

  async #collect(folder: string, paths: string[]): Promise<void> {
    const found = await lstat(join(this.root, folder)).catch(() => undefined)
    if (!found?.isDirectory()) return
    const entries = await readdir(join(this.root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`
      if (paths.length >= MOST_FILES || !readPath(path).ok) continue
      if (entry.isDirectory()) await this.#collect(path, paths)
      else if (entry.isFile()) paths.push(path)
    }
  }
}

/** A byte order mark and line ends stay as they are. */
function textOf(path: string, bytes: Buffer): Result<RepoFile, Failure> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (text.includes('\0')) return err(PathRefused(`${path} is no text file`))
    return ok({ path, text, hash: sha256(text) })
  } catch {
    return err(PathRefused(`${path} is no text file`))
  }
}
