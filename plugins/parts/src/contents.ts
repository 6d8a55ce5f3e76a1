import { createHash } from 'node:crypto'
import { err, ok, type Result } from '@amodal/sdk'
import { compare } from '@amodal/sdk/files'

/** A file of a package: its path with `/`, from the folder of the package. */
export interface PackageFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The files of a package, sorted by path. */
export type Contents = readonly PackageFile[]

/** What a package may hold at most: a person cannot have reviewed more. */
export const LIMITS = {
  /** Bytes of a compressed package. */
  packed: 16 * 1024 * 1024,
  /** Bytes of all files. */
  unpacked: 32 * 1024 * 1024,
  files: 2_000,
  pathLength: 400,
} as const

/**
 * Why a file may not be part of a package: its path would lead out of the folder, or mean another
 * file on another system.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > LIMITS.pathLength) return 'has an empty or overlong path'
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return 'has an absolute path'
  if (/[\\\u0000-\u001f\u007f]/.test(path)) return 'has a character that paths may not have'
  const segments = path.split('/')
  if (segments.includes('..')) return 'leads out of the package'
  if (segments.some((segment) => segment === '' || segment === '.' || /[. ]$/.test(segment)))
    return 'has a segment that means another one elsewhere'
  return segments.some((segment) => /^(?:\.git|node_modules)$/i.test(segment))
    ? 'stands in a folder that belongs to another program'
    : undefined
}

/** Gathers the files of a package and refuses those that may not be there. */
export class ContentsReader {
  readonly #files = new Map<string, PackageFile>()
  /** Paths as file systems without case compare them. */
  readonly #plain = new Map<string, string>()
  #bytes = 0

  /** @returns why the file may not be part of the package */
  add(path: string, bytes: Uint8Array): Result<void, string> {
    const problem = pathProblem(path)
    if (problem !== undefined) return err(`${JSON.stringify(path)} ${problem}`)
    const plain = path.normalize('NFC').toLowerCase()
    const other = this.#plain.get(plain)
    if (other !== undefined)
      return err(`${JSON.stringify(path)} and ${JSON.stringify(other)} are the same file`)
    this.#plain.set(plain, path)
    this.#files.set(path, { path, bytes })
    this.#bytes += bytes.byteLength
    if (this.#files.size > LIMITS.files) return err(`it has more than ${LIMITS.files} files`)
    return this.#bytes > LIMITS.unpacked
      ? err(`its files have more than ${LIMITS.unpacked} bytes`)
      : ok(undefined)
  }

  /** @returns the files, or why they cannot stand in one folder */
  contents(): Result<Contents, string> {
    for (const path of this.#plain.keys()) {
      const parents = path.split('/').slice(0, -1)
      const file = parents
        .map((_, at) => parents.slice(0, at + 1).join('/'))
        .find((parent) => this.#plain.has(parent))
      if (file !== undefined) return err(`${JSON.stringify(file)} is a file and a folder`)
    }
    return ok([...this.#files.values()].toSorted((a, b) => compare(a.path, b.path)))
  }
}

/**
 * SHA-256 over the sorted paths and the bytes of a package: equal files have equal hashes, wherever
 * they came from. Bytes are hashed as they were published, so that no setting of git changes them.
 *
 * @returns `sha256-` and hexadecimal digits
 */
export function treeHash(contents: Contents): string {
  return `sha256-${digest('sha256', contents).toString('hex')}`
}

/** The same for a source that has no tarball, in the form of the integrity of one. */
export function contentsIntegrity(contents: Contents): string {
  return `sha512-${digest('sha512', contents).toString('base64')}`
}

function digest(algorithm: string, contents: Contents): Buffer {
  const hash = createHash(algorithm)
  for (const { path, bytes } of contents) {
    // With lengths, so that no text can pass for a path or for the next file.
    hash.update(`${Buffer.byteLength(path)}:${path}${bytes.byteLength}:`)
    hash.update(bytes)
  }
  return hash.digest()
}

/** The text of a file, or `undefined` where it is none. */
export function textOfFile({ bytes }: PackageFile): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
