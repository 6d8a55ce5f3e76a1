import {
  type AsyncResult,
  err,
  ok,
  timeLimit,
  type Accept,
  type Accepted,
  type Commit,
  type CommitVerdict,
  type Database,
  type SessionRecord,
  type Result,
  type SessionRef,
} from '@amodal/sdk'
import { Batches, runIn } from '@amodal/sdk/database'
import { ANY_SESSION } from '@amodal/sdk/loop'
import { ACCEPT, acceptRows, acceptSize, acceptedOf } from './accept.ts'
import { CHANNEL, type ChangeNotifications } from './change-notifications.ts'
import { COMMIT, commitRows, commitSize, verdictOf } from './commit.ts'
import { inDoubt } from './failures.ts'
import { heldRows, RENEW } from './lease.ts'
import { SessionQueries } from './queries.ts'
import { changeRows, LAST_KEY, SHARE, SHARED, sharedOf } from './shared.ts'

export interface WriteOptions {
  /** Whether other instances are notified of changes. */
  readonly notifyInstances: boolean
  /** Batches of commits, and of accepts, that are written at the same time. */
  readonly flights: number
  /** Timeout of one batch, ms. */
  readonly timeoutMs: number
}

/** Writes items and commits of many sessions in batches, and notifies other instances of them. */
export class SessionWrites {
  readonly #database: Database
  readonly #options: WriteOptions
  readonly #notifications: ChangeNotifications
  readonly #queries: SessionQueries
  readonly #commits: Batches<Commit, CommitVerdict>
  readonly #accepts: Batches<Accept, Accepted>

  constructor(database: Database, notifications: ChangeNotifications, options: WriteOptions) {
    this.#database = database
    this.#options = options
    this.#notifications = notifications
    this.#queries = new SessionQueries(database)
    const { flights, timeoutMs } = options
    const shared = {
      what: "the sessions' database",
      keyOf: ({ tenant, session }: SessionRef) => `${tenant}\0${session}`,
      concurrency: flights,
      timeoutMs,
    }
    this.#commits = new Batches({
      ...shared,
      sizeOf: commitSize,
      write: (commits, signal) => this.#commitAll(commits, signal),
    })
    this.#accepts = new Batches({
      ...shared,
      sizeOf: acceptSize,
      write: (items, signal) => this.#acceptAll(items, signal),
      resultUnclaimed: (item, { claimed, sessionRecord }) => {
        if (claimed && sessionRecord) void this.#release(item, sessionRecord)
      },
    })
  }

  accept(item: Accept, signal: AbortSignal): AsyncResult<Accepted> {
    return this.#accepts.submit(item, signal)
  }

  commit(commit: Commit, signal: AbortSignal): AsyncResult<CommitVerdict> {
    return commit.shared ? this.#commitShared(commit, signal) : this.#commits.submit(commit, signal)
  }

  async #commitAll(
    commits: readonly Commit[],
    signal: AbortSignal,
  ): AsyncResult<readonly CommitVerdict[]> {
    const notifications = this.#options.notifyInstances ? this.#notifications.payloads(commits) : []
    return this.#queries.all(COMMIT({ ...commitRows(commits), notifications }), verdictOf, signal)
  }

  /**
   * A commit that changes shared values, in a transaction of its own: both are written, or neither.
   * One that is repeated finds its key in the session's row, and changes nothing.
   */
  async #commitShared(commit: Commit, signal: AbortSignal): AsyncResult<CommitVerdict> {
    const { tenant, session, key, shared = [] } = commit
    const notifications = this.#options.notifyInstances
      ? this.#notifications.payloads([commit, { tenant, session: ANY_SESSION }])
      : []
    const written = await this.#database.transaction(
      async (run): Promise<Result<CommitVerdict, CommitVerdict>> => {
        const [lane] = await runIn(run, LAST_KEY({ tenant, session }))
        if (lane?.last_key !== key) {
          const [changed] = await runIn(run, SHARE({ tenant, changes: changeRows(shared) }))
          if (changed?.n !== shared.length) {
            const now = await runIn(run, SHARED({ tenant }))
            return err({ verdict: 'conflict', shared: now.map(sharedOf) })
          }
        }
        const [row] = await runIn(run, COMMIT({ ...commitRows([commit]), notifications }))
        const verdict = row ? verdictOf(row) : ({ verdict: 'fenced' } as const)
        return verdict.verdict === 'ok' ? ok(verdict) : err(verdict)
      },
      signal,
    )
    if (!written.ok) return err(inDoubt(written.error))
    return ok(written.value.ok ? written.value.value : written.value.error)
  }

  async #acceptAll(
    items: readonly Accept[],
    signal: AbortSignal,
  ): AsyncResult<readonly Accepted[]> {
    const rows = await this.#queries.run(ACCEPT({ items: acceptRows(items) }), signal)
    if (!rows.ok) return rows
    const accepted = rows.value.flatMap((row, n) => {
      const item = items[n] // a row each, in their order
      return item ? [acceptedOf(item, row)] : []
    })
    // Notifies owners on other instances that their sessions have inbox items.
    const elsewhere = accepted.flatMap(({ isNew, sessionRecord }, at) =>
      isNew && sessionRecord?.owner !== undefined && sessionRecord.owner !== items[at]?.owner
        ? [sessionRecord]
        : [],
    )
    if (this.#options.notifyInstances && elsewhere.length > 0) void this.#notify(elsewhere)
    return ok(accepted)
  }

  /** Best effort: the owner also notices at its next heartbeat. */
  async #notify(sessions: readonly SessionRef[]): Promise<void> {
    for (const payload of this.#notifications.payloads(sessions))
      await this.#database.notify(
        CHANNEL,
        payload,
        timeLimit(this.#options.timeoutMs, 'notifying the owner of a session'),
      )
  }

  /**
   * Releases a session that was claimed for a caller that stopped waiting, before its lease ends.
   */
  async #release({ owner }: Accept, sessionRecord: SessionRecord): Promise<void> {
    const release = RENEW({ held: heldRows([sessionRecord]), owner, leaseMs: 0 })
    await this.#queries.run(
      release,
      timeLimit(this.#options.timeoutMs, 'releasing the lease of a session'),
    )
  }
}
