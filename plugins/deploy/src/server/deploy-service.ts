import {
  err,
  hashOf,
  isObject,
  ok,
  timeLimit,
  type Agent,
  type AgentBundle,
  type BundleIssue,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { errorsIn, issueLine } from '@amodal/sdk/files'
import type { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { NoEarlierDeployment, SnapshotRefused } from '../errors.ts'
import { readArchive } from '../snapshot/archive.ts'
import { unpack } from '../snapshot/unpack.ts'
import type { DeployedSource } from './deployed-source.ts'
import type {
  Deployment,
  DeploymentEvent,
  DeploymentStore,
  Move,
  Pointer,
} from './deployment-store.ts'
import type { Follower } from './follower.ts'
import type { SnapshotBundles } from './snapshot-bundles.ts'

/** ms to read and check a snapshot. */
const CHECK_MS = 60_000
const EVENTS = 20

interface Parts {
  readonly store: DeploymentStore
  readonly bundles: SnapshotBundles
  readonly folders: FolderCheck
  readonly follower: Follower
  readonly source: () => DeployedSource | undefined
  readonly agent: () => Agent | undefined
  /** Where snapshots are unpacked. */
  readonly folder: string
  /** Snapshots that stay, besides those in use. */
  readonly keep: number
}

export interface Pushed {
  readonly id: string
  /** It was not there before. */
  readonly added: boolean
}

/** The deployments as this instance sees them. */
export interface DeployStatus {
  readonly pointer: Pointer
  /** What this instance uses; `null`: its folder. */
  readonly inUse: string | null
  readonly problem: string | undefined
  /** The newest first. */
  readonly events: readonly DeploymentEvent[]
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Pushes, lists, promotes and rolls back snapshots. */
export class DeployService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Stores a snapshot that this server can use. It is not in use by that. */
  async push(archive: Uint8Array, who: string): Outcome<Pushed> {
    const { folder, store, keep } = this.#parts
    const snapshot = await readArchive(archive)
    if (!snapshot.ok) return snapshot
    const { manifest } = snapshot.value
    const unpacked = await unpack(folder, snapshot.value, timeLimit(CHECK_MS, 'unpacking'))
    if (!unpacked.ok) return unpacked
    const checked = await this.#check(manifest.id)
    if (!checked.ok) return checked
    const added = await store.add(manifest, archive, who, keep)
    return added.ok ? ok({ id: manifest.id, added: added.value }) : added
  }

  list(): Outcome<readonly Deployment[]> {
    return this.#parts.store.list()
  }

  async status(): Outcome<DeployStatus> {
    const { store, bundles, source, agent } = this.#parts
    const [pointer, events] = await Promise.all([store.pointer(), store.events(EVENTS)])
    if (!pointer.ok) return pointer
    if (!events.ok) return events
    const bundle = agent()?.bundle()
    return ok({
      pointer: pointer.value,
      inUse: (bundle && bundles.idOf(bundle)) ?? null,
      problem: source()?.problem,
      events: events.value,
    })
  }

  /**
   * Gives new sessions a snapshot.
   *
   * @param id or its beginning
   * @param percent share of new sessions that get it, and the others what is in use
   */
  async promote(id: string, percent: number | undefined, who: string): Outcome<Pointer> {
    const found = await this.#usable(id)
    if (!found.ok) return found
    if (percent === undefined || percent === 100)
      return this.#move({ snapshot: found.value, canary: null, percent: 0, what: 'promoted', who })
    const now = await this.#parts.store.pointer()
    if (!now.ok) return now
    const { snapshot } = now.value
    return this.#move({ snapshot, canary: found.value, percent, what: 'canary', who })
  }

  /**
   * Ends a canary; otherwise gives new sessions what was in use before, or the snapshot of this id.
   */
  async rollBack(id: string | undefined, who: string): Outcome<Pointer> {
    const { store } = this.#parts
    const to = (snapshot: string | null): Move => ({
      snapshot,
      canary: null,
      percent: 0,
      what: 'rolled_back',
      who,
    })
    if (id !== undefined) {
      const found = await this.#usable(id)
      return found.ok ? this.#move(to(found.value)) : found
    }
    const now = await store.pointer()
    if (!now.ok) return now
    const { snapshot, canary } = now.value
    if (canary !== null) return this.#move(to(snapshot))
    const before = snapshot === null ? ok(undefined) : await store.before(snapshot)
    if (!before.ok) return before
    if (before.value === undefined)
      return err(NoEarlierDeployment('nothing was in use before what is in use now'))
    if (before.value === null) return this.#move(to(null))
    const found = await this.#usable(before.value)
    return found.ok ? this.#move(to(found.value)) : found
  }

  async #move(move: Move): Outcome<Pointer> {
    const moved = await this.#parts.store.move(move)
    if (moved.ok) await this.#parts.follower.follow()
    return moved
  }

  /** The full id of a stored snapshot that this server can use. */
  async #usable(id: string): Outcome<string> {
    const found = await this.#parts.store.find(id)
    if (!found.ok) return found
    const checked = await this.#check(found.value.id)
    return checked.ok ? ok(found.value.id) : checked
  }

  /** Whether the server can use a snapshot in place of what it uses now. */
  async #check(id: string): Outcome<void> {
    const { agent, bundles, folders, source } = this.#parts
    const signal = timeLimit(CHECK_MS, 'checking a snapshot')
    const read = await bundles.read(id, signal)
    if (!read.ok) return err(refused(read.error.issues ?? [], read.error.message))
    const where = source()?.where
    const folder = where === undefined ? undefined : await folders.read(where, signal)
    const difference = folder?.ok === true ? wiringDifference(read.value, folder.value) : undefined
    if (difference !== undefined)
      return err(
        SnapshotRefused(
          `\`${difference}\` of its amodal.json is not that of the server's folder, which a snapshot does not change: start a server with \`amodal deploy serve\``,
        ),
      )
    const { issues } = await folders.complete(read.value)
    const known = agent()?.bundle()?.issues ?? []
    const broken = errorsIn(issues).filter(
      ({ code, file, message }) =>
        !known.some((one) => one.code === code && one.file === file && one.message === message),
    )
    return broken.length === 0 ? ok(undefined) : err(refused(broken, 'it has errors'))
  }
}

const refused = (issues: readonly BundleIssue[], message: string): Failure => {
  const errors = errorsIn(issues)
  return SnapshotRefused(
    `this server cannot use it: ${errors.length === 0 ? message : errors.map(issueLine).join('; ')}`,
  )
}

/** The first field of the wiring in which two agents differ. */
function wiringDifference(one: AgentBundle, other: AgentBundle): string | undefined {
  const [own, others] = [wiringOf(one), wiringOf(other)]
  const differs = (name: string): boolean =>
    hashOf({ value: own[name] ?? null }) !== hashOf({ value: others[name] ?? null })
  return Object.keys(own).find(differs)
}

/** What a server takes from amodal.json when it starts, and from no snapshot afterwards. */
function wiringOf({ manifest: { raw } }: AgentBundle): JsonObject {
  const models = raw['models']
  return {
    plugins: raw['plugins'] ?? null,
    preset: raw['preset'] ?? null,
    stores: raw['stores'] ?? null,
    runtime: raw['runtime'] ?? null,
    'models.embeddings': (isObject(models) ? models['embeddings'] : undefined) ?? null,
  }
}
