import { createHash } from 'node:crypto'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { WorkspaceFull } from '../errors.ts'
import type { FolderEntry, WorkspaceFiles } from '../gate/workspace-files.ts'
import { sorted, type Manifest, type ManifestEntry } from './manifest.ts'

/** The most that a workspace may hold. */
export interface Quota {
  readonly bytes: number
  readonly files: number
}

/** Hashes of files by path, with the version of the file that each was read from. */
export type HashCache = Map<string, { readonly version: string; readonly entry: ManifestEntry }>

const MAX_DEPTH = 64

type Outcome<T> = Promise<Result<T, Failure>>

/**
 * Lists a workspace, and reads what has changed since the cache was filled.
 *
 * @param onContent gets the content of each file that was read
 * @returns `WORKSPACE_FULL` where it holds more than the quota
 */
export async function scan(
  files: WorkspaceFiles,
  cache: HashCache,
  quota: Quota,
  onContent: (hash: string, bytes: Uint8Array) => void,
  signal: AbortSignal,
): Outcome<Manifest> {
  const walk = new Walk(files, cache, quota, onContent, signal)
  const problem = await walk.folder('', 0)
  return problem ? err(problem) : ok(walk.manifest())
}

class Walk {
  readonly #files: WorkspaceFiles
  readonly #cache: HashCache
  readonly #quota: Quota
  readonly #onContent: (hash: string, bytes: Uint8Array) => void
  readonly #signal: AbortSignal
  readonly #entries: [string, ManifestEntry][] = []
  #count = 0
  #bytes = 0

  constructor(
    files: WorkspaceFiles,
    cache: HashCache,
    quota: Quota,
    onContent: (hash: string, bytes: Uint8Array) => void,
    signal: AbortSignal,
  ) {
    this.#files = files
    this.#cache = cache
    this.#quota = quota
    this.#onContent = onContent
    this.#signal = signal
  }

  manifest(): Manifest {
    const paths = new Set(this.#entries.map(([path]) => path))
    for (const path of this.#cache.keys()) if (!paths.has(path)) this.#cache.delete(path)
    return sorted(Object.fromEntries(this.#entries))
  }

  async folder(path: string, depth: number): Promise<Failure | undefined> {
    if (this.#signal.aborted) return failure('CANCELLED', 'the call was stopped')
    if (depth > MAX_DEPTH) return WorkspaceFull(`its folders are more than ${MAX_DEPTH} deep`)
    const listed = await this.#files.list(path)
    if (!listed.ok) return listed.error
    if (listed.value.length === 0 && path !== '') this.#entries.push([path, { kind: 'folder' }])
    for (const entry of listed.value) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      const problem = this.#charge(entry) ?? (await this.#entry(below, entry, depth))
      if (problem) return problem
    }
    return undefined
  }

  #charge({ kind, size }: FolderEntry): Failure | undefined {
    this.#count++
    if (kind === 'file') this.#bytes += size
    if (this.#count > this.#quota.files)
      return WorkspaceFull(`it has more than the ${this.#quota.files} files allowed`)
    return this.#bytes > this.#quota.bytes
      ? WorkspaceFull(
          `its files have ${this.#bytes} bytes, more than the ${this.#quota.bytes} allowed`,
        )
      : undefined
  }

  async #entry(path: string, entry: FolderEntry, depth: number): Promise<Failure | undefined> {
    switch (entry.kind) {
      case 'folder':
        return this.folder(path, depth + 1)
      case 'link': {
        const target = await this.#files.linkTarget(path)
        if (target.ok) this.#entries.push([path, { kind: 'link', target: target.value }])
        return target.ok ? undefined : target.error
      }
      case 'file':
        return this.#file(path, entry)
      case 'other':
        return undefined // sockets and pipes hold nothing to store
    }
  }

  async #file(path: string, { version, mode }: FolderEntry): Promise<Failure | undefined> {
    const known = this.#cache.get(path)
    if (known?.version === version) {
      this.#entries.push([path, known.entry])
      return undefined
    }
    const read = await this.#files.read(path, this.#quota.bytes)
    if (!read.ok) return read.error
    const { bytes, info } = read.value
    const hash = createHash('sha256').update(bytes).digest('hex')
    const entry: ManifestEntry = { kind: 'file', hash, mode, size: bytes.byteLength }
    this.#cache.set(path, { version: info.version, entry })
    this.#onContent(hash, bytes)
    this.#entries.push([path, entry])
    return undefined
  }
}
