import type {
  AgentBundle,
  BundleFailure,
  BundleSource,
  ExamineBundle,
  Logger,
  Result,
} from '@amodal/sdk'
import { NO_POINTER, type DeploymentStore, type Pointer } from './deployment-store.ts'
import type { SnapshotBundles } from './snapshot-bundles.ts'

interface Parts {
  readonly store: Pick<DeploymentStore, 'pointer' | 'before'>
  readonly bundles: SnapshotBundles
  readonly log: Logger
}

type Loaded = Promise<Result<AgentBundle, BundleFailure>>

/** The agent's files: those of the snapshot that was promoted, or those of the folder. */
export class DeployedSource implements BundleSource {
  readonly where: string
  readonly places: readonly string[]
  readonly #inner: BundleSource
  readonly #parts: Parts
  #pointer = NO_POINTER
  #problem: string | undefined

  constructor(inner: BundleSource, parts: Parts) {
    this.where = inner.where
    this.places = inner.places ?? []
    this.#inner = inner
    this.#parts = parts
  }

  /** The pointer that was followed last. */
  get pointer(): Pointer {
    return this.#pointer
  }

  /** Why the snapshot that was promoted is not in use. */
  get problem(): string | undefined {
    return this.#problem
  }

  async load(signal: AbortSignal, examine?: ExamineBundle, isFirst = false): Loaded {
    const read = await this.#parts.store.pointer(isFirst)
    if (!read.ok && isFirst) return read
    const pointer = read.ok ? read.value : this.#pointer
    const loaded = await this.#take(pointer.snapshot, signal, examine, isFirst)
    if (loaded.ok) {
      const { snapshot } = pointer
      if (snapshot !== this.#pointer.snapshot) this.#parts.log.info('deploy.in_use', { snapshot })
      this.#pointer = pointer
      this.#problem = undefined
      return loaded
    }
    if (pointer.snapshot === null) return loaded
    const { code, message } = loaded.error
    this.#problem = `snapshot ${short(pointer.snapshot)} is not in use: ${message}`
    this.#parts.log.error('deploy.not_in_use', { snapshot: pointer.snapshot, code, message })
    return isFirst ? this.#before(pointer.snapshot, signal, examine) : loaded
  }

  /** A server that starts takes what was in use before a snapshot that cannot be loaded. */
  async #before(id: string, signal: AbortSignal, examine: ExamineBundle | undefined): Loaded {
    const before = await this.#parts.store.before(id)
    const earlier = before.ok && typeof before.value === 'string' ? before.value : null
    const loaded = await this.#take(earlier, signal, examine, true)
    return loaded.ok || earlier === null ? loaded : this.#take(null, signal, examine, true)
  }

  async #take(
    id: string | null,
    signal: AbortSignal,
    examine: ExamineBundle | undefined,
    isFirst: boolean,
  ): Loaded {
    if (id === null) return this.#inner.load(signal, examine, isFirst)
    const { bundles } = this.#parts
    const read = await bundles.read(id, signal)
    if (!read.ok) return read
    const examined = examine ? await examine(read.value) : read
    if (examined.ok) bundles.putInUse(id, examined.value)
    return examined
  }
}

/** Enough of an id for people. */
export const short = (id: string): string => id.slice(0, 12)
