import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, ok, tryAsync, type Failure, type JsonObject, type Result } from '@amodal/sdk'
import { WorkspaceStorageFailed } from '../errors.ts'
import { WorkspaceFiles } from '../gate/workspace-files.ts'
import { copySource } from '../session/source-copy.ts'
import type { WorkspaceOwner } from '../session/workspace.ts'
import { EMPTY, hashOfManifest, type Manifest } from './manifest.ts'
import { restore } from './restore.ts'
import { scan, type HashCache, type Quota } from './scan.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** Key of the session state that names the snapshot of the workspace. */
export const STATE = 'workspace:snapshot'

export interface Origin {
  readonly quota: Quota
  /** What a new workspace is a copy of: a folder of the agent, whose root is an absolute path. */
  readonly source: { readonly root: string; readonly folder: string } | undefined
}

type Outcome<T> = Promise<Result<T, Failure>>

/** What a command has left may be more than the quota; it is removed. */
const UNLIMITED: Quota = { bytes: Infinity, files: Infinity }

interface Current {
  readonly id: string
  readonly manifest: Manifest
}

/** The folder of one session on this machine, and the snapshot that it corresponds to. */
export class SessionFolder {
  readonly folder: string
  readonly files: WorkspaceFiles
  readonly #store: SnapshotStore
  readonly #cache: HashCache = new Map()
  #current: Current | undefined
  #queue: Promise<unknown> = Promise.resolve()

  constructor(folder: string, store: SnapshotStore) {
    this.folder = folder
    this.files = new WorkspaceFiles(folder)
    this.#store = store
  }

  /** Makes the folder what the session state says. */
  open(owner: WorkspaceOwner, origin: Origin, signal: AbortSignal): Outcome<void> {
    return this.#inTurn(async () => {
      const wanted = owner.sessionState[STATE]
      const id = typeof wanted === 'string' ? wanted : undefined
      if (this.#current && (id === undefined || id === this.#current.id)) return ok(undefined)
      const created = await this.#makeFolder()
      if (!created.ok) return created
      return id === undefined ? this.#create(owner, origin, signal) : this.#restore(id, signal)
    })
  }

  /** @returns session state that names the new snapshot; `undefined` where nothing changed */
  record(
    owner: WorkspaceOwner,
    { quota }: Origin,
    signal: AbortSignal,
  ): Outcome<JsonObject | undefined> {
    return this.#inTurn(async () => {
      const contents = new Map<string, Uint8Array>()
      const manifest = await this.#scan(quota, contents, signal)
      const before = this.#current
      if (!manifest.ok) {
        if (manifest.error.code === 'WORKSPACE_FULL' && before) await this.#reset(before, signal)
        return manifest
      }
      if (before && hashOfManifest(before.manifest) === hashOfManifest(manifest.value))
        return ok(owner.sessionState[STATE] === before.id ? undefined : { [STATE]: before.id })
      const added = await this.#add(owner, owner.run, manifest.value, contents, signal)
      return added.ok ? ok({ [STATE]: added.value }) : added
    })
  }

  /** What the next `open` finds is read anew. */
  forget(): void {
    this.#current = undefined
    this.#cache.clear()
  }

  async #create(
    owner: WorkspaceOwner,
    { quota, source }: Origin,
    signal: AbortSignal,
  ): Outcome<void> {
    const present = await this.#scan(UNLIMITED, new Map(), signal)
    if (!present.ok) return present
    const cleared = await restore(this.files, present.value, EMPTY, this.#store, signal)
    if (!cleared.ok) return cleared
    const copied = source
      ? await copySource(new WorkspaceFiles(source.root), source.folder, this.files, quota, signal)
      : ok(undefined)
    if (!copied.ok) return copied
    const contents = new Map<string, Uint8Array>()
    const manifest = await this.#scan(quota, contents, signal)
    if (!manifest.ok) return manifest
    const added = await this.#add(owner, null, manifest.value, contents, signal)
    return added.ok ? ok(undefined) : added
  }

  async #restore(id: string, signal: AbortSignal): Outcome<void> {
    const snapshot = await this.#store.find(id, signal)
    return snapshot.ok ? this.#reset({ id, manifest: snapshot.value.manifest }, signal) : snapshot
  }

  async #reset(wanted: Current, signal: AbortSignal): Outcome<void> {
    this.#current = undefined
    const present = await this.#scan(UNLIMITED, new Map(), signal)
    if (!present.ok) return present
    const restored = await restore(this.files, present.value, wanted.manifest, this.#store, signal)
    if (restored.ok) this.#current = wanted
    return restored
  }

  async #add(
    { session, principal }: WorkspaceOwner,
    run: string | null,
    manifest: Manifest,
    contents: ReadonlyMap<string, Uint8Array>,
    signal: AbortSignal,
  ): Outcome<string> {
    const parent = this.#current?.id ?? null
    const added = await this.#store.add(
      { session, principal, run, parent },
      manifest,
      contents,
      signal,
    )
    if (added.ok) this.#current = { id: added.value, manifest }
    return added
  }

  #scan(quota: Quota, contents: Map<string, Uint8Array>, signal: AbortSignal): Outcome<Manifest> {
    return scan(
      this.files,
      this.#cache,
      quota,
      (hash, bytes) => void contents.set(hash, bytes),
      signal,
    )
  }

  #makeFolder(): Outcome<void> {
    return tryAsync(
      async () => {
        await mkdir(dirname(this.folder), { recursive: true, mode: 0o711 })
        await mkdir(this.folder, { recursive: true, mode: 0o755 })
      },
      (cause) => WorkspaceStorageFailed(`its folder cannot be made: ${messageOf(cause)}`),
    )
  }

  /** Removes the folder; the snapshots stay. */
  remove(): Promise<void> {
    return this.#inTurn(async () => {
      this.forget()
      await rm(this.folder, { recursive: true, force: true })
    })
  }

  /** One at a time: a snapshot is of a folder that nobody restores meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work, work)
    this.#queue = done.catch(() => undefined)
    return done
  }
}
