import {
  err,
  failure,
  messageOf,
  ok,
  timeLimit,
  tryAsync,
  type AgentBundle,
  type BundleFailure,
  type Failure,
  type Generation,
  type Result,
} from '@amodal/sdk'
import type { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { readArchive } from '../snapshot/archive.ts'
import { folderOf, isUnpacked, unpack } from '../snapshot/unpack.ts'
import type { DeploymentStore } from './deployment-store.ts'

/** ms to fetch, unpack and read a snapshot; several turns may wait for the same one. */
const LOAD_MS = 60_000

interface Parts {
  readonly store: Pick<DeploymentStore, 'archive'>
  readonly folders: FolderCheck
  /** Where snapshots are unpacked. */
  readonly folder: string
  readonly generation: () => Generation
  /** The bundle in use. */
  readonly current: () => AgentBundle | undefined
  /** Bundles in memory at most. */
  readonly most: number
}

interface Loaded {
  readonly generation: Generation
  readonly bundle: Promise<Result<AgentBundle, Failure>>
}

/** The bundles of snapshots: that in use, and those that sessions are held to. */
export class SnapshotBundles {
  readonly #parts: Parts
  readonly #ids = new WeakMap<AgentBundle, string>()
  /** By id, the one that was used last at the end. */
  readonly #loaded = new Map<string, Loaded>()
  readonly #ready = new Map<string, AgentBundle>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The snapshot that a bundle was made of. */
  idOf(bundle: AgentBundle): string | undefined {
    return this.#ids.get(bundle.unrestricted ?? bundle)
  }

  /** Those in memory and the one in use; none where no snapshot was in use. */
  held(): readonly AgentBundle[] {
    const current = this.#parts.current()
    return this.#ready.size === 0 ? [] : [...this.#ready.values(), ...(current ? [current] : [])]
  }

  /** Reads a snapshot, after it was fetched and unpacked where it is not here yet. */
  async read(id: string, signal: AbortSignal): Promise<Result<AgentBundle, BundleFailure>> {
    const folder = await this.#folder(id, signal)
    return folder.ok ? this.#parts.folders.read(folder.value, signal) : folder
  }

  /** A bundle that was made of a snapshot and is in use now; it stays when another one follows. */
  putInUse(id: string, bundle: AgentBundle): void {
    this.#add(id, {
      generation: this.#parts.generation(),
      bundle: Promise.resolve(ok(bundle)),
    })
    this.#isReady(id, bundle)
  }

  /** The bundle of a snapshot, for a session that is held to it: the same object each time. */
  of(id: string): Promise<Result<AgentBundle, Failure>> {
    const known = this.#loaded.get(id)
    const generation = this.#parts.generation()
    if (known?.generation === generation) {
      this.#add(id, known)
      return known.bundle
    }
    const bundle = this.#load(id)
    this.#add(id, { generation, bundle })
    void bundle.then((loaded) => {
      if (this.#loaded.get(id)?.bundle !== bundle) return
      if (loaded.ok) this.#isReady(id, loaded.value)
      else this.#loaded.delete(id)
    })
    return bundle
  }

  async #load(id: string): Promise<Result<AgentBundle, Failure>> {
    const signal = timeLimit(LOAD_MS, 'loading a snapshot')
    const loaded = await tryAsync(
      async () => {
        const read = await this.read(id, signal)
        return read.ok ? ok(await this.#parts.folders.complete(read.value)) : read
      },
      (cause) => failure('INTERNAL', `the snapshot ${id} cannot be loaded: ${messageOf(cause)}`),
    )
    if (!loaded.ok) return loaded
    return loaded.value.ok ? ok(Object.freeze(loaded.value.value)) : err(loaded.value.error)
  }

  #isReady(id: string, bundle: AgentBundle): void {
    this.#ids.set(bundle, id)
    this.#ready.set(id, bundle)
  }

  #add(id: string, loaded: Loaded): void {
    this.#loaded.delete(id)
    this.#loaded.set(id, loaded)
    const current = this.#parts.current()
    const used = current && this.idOf(current)
    const spare = [...this.#loaded.keys()].filter((one) => one !== id && one !== used)
    for (const one of spare.slice(0, Math.max(0, this.#loaded.size - this.#parts.most))) {
      this.#loaded.delete(one)
      this.#ready.delete(one)
    }
  }

  async #folder(id: string, signal: AbortSignal): Promise<Result<string, Failure>> {
    const { folder, store } = this.#parts
    if (await isUnpacked(folder, id, signal)) return ok(folderOf(folder, id))
    const archive = await store.archive(id)
    if (!archive.ok) return archive
    const snapshot = await readArchive(archive.value)
    return snapshot.ok ? unpack(folder, snapshot.value, signal) : snapshot
  }
}
