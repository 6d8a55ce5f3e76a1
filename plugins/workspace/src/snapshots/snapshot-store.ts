import { randomUUID } from 'node:crypto'
import { err, ok, timeLimit, type Failure, type Result, type TenantDatabase } from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import { WorkspaceSnapshotMissing, WorkspaceStorageFailed } from '../errors.ts'
import { hashesOf, Manifest, sorted, sumsOf } from './manifest.ts'
import {
  ADD_BLOB,
  ADD_SNAPSHOT,
  AFTER_RUN,
  BEFORE_RUN,
  BLOBS,
  PRUNE,
  RECENT,
  REMOVE_BLOBS,
  REMOVE_SESSION,
  SNAPSHOT,
  SNAPSHOTS,
} from './statements.ts'

const STATEMENT_MS = 30_000
/** Bytes of blobs that are read at a time. */
const BATCH_HASHES = 32

type Outcome<T> = Promise<Result<T, Failure>>

export interface Snapshot {
  readonly id: string
  readonly session: string
  readonly run: string | null
  readonly parent: string | null
  readonly manifest: Manifest
}

export interface SnapshotInfo {
  readonly id: string
  readonly run: string | null
  readonly parent: string | null
  readonly files: number
  readonly bytes: number
  readonly created_at: Date
}

/** What a snapshot is taken for. */
export interface SnapshotOwner {
  readonly session: string
  readonly principal: string
  readonly run: string | null
  readonly parent: string | null
}

/** Snapshots of the workspaces of one tenant. */
export class SnapshotStore {
  readonly #database: TenantDatabase
  /** Snapshots of one session. */
  readonly #keep: number

  constructor(database: TenantDatabase, keep: number) {
    this.#database = database
    this.#keep = keep
  }

  /** Stores a snapshot with the contents that are new, and removes the oldest of the session. */
  async add(
    owner: SnapshotOwner,
    manifest: Manifest,
    contents: ReadonlyMap<string, Uint8Array>,
    signal: AbortSignal,
  ): Outcome<string> {
    const id = `ws_${randomUUID()}`
    const limit = timeLimit(STATEMENT_MS, 'storing a snapshot of a workspace', signal)
    return this.#database.transaction(async (run) => {
      for (const [hash, bytes] of contents) await runIn(run, ADD_BLOB({ hash, bytes }))
      await runIn(
        run,
        ADD_SNAPSHOT({
          ...owner,
          ...sumsOf(manifest),
          id,
          manifest: JSON.stringify(manifest),
          hashes: hashesOf(manifest),
        }),
      )
      const pruned = await runIn(
        run,
        PRUNE({ session: owner.session, keep: this.#keep, current: id }),
      )
      const hashes = [...new Set(pruned.flatMap((row) => row.hashes))]
      if (hashes.length > 0) await runIn(run, REMOVE_BLOBS({ hashes }))
      return id
    }, limit)
  }

  async find(id: string, signal: AbortSignal): Outcome<Snapshot> {
    const rows = await runQuery(this.#database, SNAPSHOT({ id }), limited(signal))
    if (!rows.ok) return rows
    const [row] = rows.value
    if (!row) return err(WorkspaceSnapshotMissing(`there is no snapshot ${id}`))
    const manifest = Manifest.safeParse(row.manifest)
    return manifest.success
      ? ok({ ...row, manifest: sorted(manifest.data) })
      : err(WorkspaceStorageFailed(`the snapshot ${id} cannot be read`))
  }

  /** The contents of these hashes; each is passed on as it is read. */
  async contents(
    hashes: readonly string[],
    onContent: (hash: string, bytes: Uint8Array) => Promise<Failure | undefined>,
    signal: AbortSignal,
  ): Outcome<void> {
    for (let at = 0; at < hashes.length; at += BATCH_HASHES) {
      const batch = hashes.slice(at, at + BATCH_HASHES)
      const rows = await runQuery(this.#database, BLOBS({ hashes: batch }), limited(signal))
      if (!rows.ok) return rows
      if (rows.value.length < batch.length)
        return err(WorkspaceStorageFailed('the content of a file is missing in the database'))
      for (const { hash, bytes } of rows.value) {
        const problem = await onContent(hash, bytes)
        if (problem) return err(problem)
      }
    }
    return ok(undefined)
  }

  list(session: string, limit: number, signal: AbortSignal): Outcome<readonly SnapshotInfo[]> {
    return runQuery(this.#database, SNAPSHOTS({ session, limit }), limited(signal))
  }

  /** @param principal whose; `undefined`: of everybody */
  recent(principal: string | undefined, limit: number, signal: AbortSignal) {
    const query = RECENT({ principal: principal ?? null, limit })
    return runQuery(this.#database, query, limited(signal))
  }

  /** The snapshots before and after a run that changed something. */
  async aroundRun(
    session: string,
    run: string,
    signal: AbortSignal,
  ): Outcome<{ readonly before: string; readonly after: string }> {
    const before = await runQuery(this.#database, BEFORE_RUN({ session, run }), limited(signal))
    if (!before.ok) return before
    const after = await runQuery(this.#database, AFTER_RUN({ session, run }), limited(signal))
    if (!after.ok) return after
    const [first] = before.value
    const [last] = after.value
    return first && first.parent !== null && last
      ? ok({ before: first.parent, after: last.id })
      : err(WorkspaceSnapshotMissing(`the run ${run} changed nothing, or is too old`))
  }

  removeSession(session: string, signal: AbortSignal): Outcome<void> {
    return this.#database.transaction(async (run) => {
      const removed = await runIn(run, REMOVE_SESSION({ session }))
      const hashes = [...new Set(removed.flatMap((row) => row.hashes))]
      if (hashes.length > 0) await runIn(run, REMOVE_BLOBS({ hashes }))
    }, limited(signal))
  }
}

const limited = (signal: AbortSignal): AbortSignal =>
  timeLimit(STATEMENT_MS, 'reading a workspace', signal)
