import { err, ok, timeLimit, type Database, type Failure, type Result } from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import { DeploymentNotFound } from '../errors.ts'
import type { SnapshotManifest } from '../snapshot/format.ts'
import {
  ADD,
  ADD_POINTER,
  ARCHIVE,
  BEFORE,
  EVENTS,
  FIND,
  LIST,
  LOCK_POINTER,
  MOVE_POINTER,
  NOTE,
  POINTER,
  PRUNE,
} from '../statements.ts'

const STATEMENT_MS = 10_000
/** The first statement of a start waits until the database is there and migrated. */
const STARTING_MS = 120_000
/** Archives are large. */
const ARCHIVE_MS = 60_000
const CHANNEL = 'deploy_pointer'

/** Which snapshot new sessions get. */
export interface Pointer {
  /** `null`: the agent folder of each server. */
  readonly snapshot: string | null
  /** What a share of new sessions gets in its place. */
  readonly canary: string | null
  /** The share, from 0 to 100. */
  readonly percent: number
  /** Goes up with each change. */
  readonly version: number
}
export const NO_POINTER: Pointer = { snapshot: null, canary: null, percent: 0, version: 0 }

export interface Deployment {
  readonly id: string
  readonly agent: string
  readonly version: string
  readonly runtime: string
  readonly files: number
  readonly size: number
  readonly pushed_at: Date
  readonly pushed_by: string
}

export interface DeploymentEvent {
  readonly at: Date
  readonly who: string
  readonly what: string
  readonly snapshot: string | null
  readonly previous: string | null
  readonly percent: number | null
}

type Outcome<T> = Promise<Result<T, Failure>>

/** A move of the pointer, as the list of events has it. */
export interface Move extends Omit<Pointer, 'version'> {
  readonly what: 'promoted' | 'rolled_back' | 'canary'
  readonly who: string
}

/** Snapshots, the pointer and the list of events, in the database that all instances share. */
export class DeploymentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @param isStarting the database may still have to start */
  async pointer(isStarting = false): Outcome<Pointer> {
    const signal = timeLimit(isStarting ? STARTING_MS : STATEMENT_MS, 'reading the deployment')
    const rows = await runQuery(this.#database, POINTER(), signal)
    return rows.ok ? ok(rows.value[0] ?? NO_POINTER) : rows
  }

  async archive(id: string): Outcome<Uint8Array> {
    const signal = timeLimit(ARCHIVE_MS, 'reading a snapshot')
    const rows = await runQuery(this.#database, ARCHIVE({ id }), signal)
    if (!rows.ok) return rows
    const [row] = rows.value
    return row ? ok(row.archive) : err(notFound(id))
  }

  /**
   * Stores a snapshot, and removes the oldest beyond `keep` that are not in use.
   *
   * @returns whether it was not there yet
   */
  add(
    { id, agent, runtime, files }: SnapshotManifest,
    archive: Uint8Array,
    who: string,
    keep: number,
  ): Outcome<boolean> {
    const row = {
      id,
      agent: agent.name,
      version: agent.version,
      runtime,
      files: files.length,
      size: archive.byteLength,
      archive,
      pushedBy: who,
    }
    return this.#database.transaction(
      async (run) => {
        const added = await runIn(run, ADD(row))
        if (added.length === 0) return false
        await runIn(run, NOTE({ who, what: 'pushed', snapshot: id, previous: null, percent: null }))
        await runIn(run, PRUNE({ keep }))
        return true
      },
      timeLimit(ARCHIVE_MS, 'storing a snapshot'),
    )
  }

  list(): Outcome<readonly Deployment[]> {
    return runQuery(this.#database, LIST(), limit('listing snapshots'))
  }

  /** @param id or its beginning, where that names one alone */
  async find(id: string): Outcome<Deployment> {
    const rows = await runQuery(this.#database, FIND({ id }), limit('finding a snapshot'))
    if (!rows.ok) return rows
    const [row, other] = rows.value
    return row && !other ? ok(row) : err(notFound(id))
  }

  events(most: number): Outcome<readonly DeploymentEvent[]> {
    return runQuery(this.#database, EVENTS({ limit: most }), limit('listing deployments'))
  }

  /** What was in use before this snapshot was promoted; `undefined` where it never was. */
  async before(id: string): Outcome<string | null | undefined> {
    const rows = await runQuery(this.#database, BEFORE({ id }), limit('reading the deployments'))
    return rows.ok ? ok(rows.value[0]?.previous) : rows
  }

  /** Moves the pointer, and tells the other instances. */
  async move({ snapshot, canary, percent, what, who }: Move): Outcome<Pointer> {
    const moved = await this.#database.transaction(async (run) => {
      await runIn(run, ADD_POINTER())
      const [before] = await runIn(run, LOCK_POINTER())
      const [row = NO_POINTER] = await runIn(run, MOVE_POINTER({ snapshot, canary, percent }))
      const previous = before?.snapshot ?? null
      const named = what === 'canary' ? canary : snapshot
      const share = what === 'canary' ? percent : null
      await runIn(run, NOTE({ who, what, snapshot: named, previous, percent: share }))
      return row
    }, limit('moving the deployment'))
    if (moved.ok && !this.#database.exclusive)
      // an instance that misses it finds out with its next look
      await this.#database.notify(CHANNEL, String(moved.value.version), limit('announcing'))
    return moved
  }

  /** Calls `moved` when another instance may have moved the pointer. Returns what ends it. */
  watch(moved: () => void): () => void {
    return this.#database.exclusive ? () => undefined : this.#database.listen(CHANNEL, moved)
  }

  /** Whether other instances can reach it. */
  get isShared(): boolean {
    return !this.#database.exclusive
  }
}

const limit = (doing: string): AbortSignal => timeLimit(STATEMENT_MS, doing)
const notFound = (id: string): Failure => DeploymentNotFound(`there is no snapshot ${id}`)
