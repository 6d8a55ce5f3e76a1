import {
  err,
  failure,
  ok,
  type Accept,
  type Accepted,
  type Commit,
  type CommitVerdict,
  type Database,
  type Failure,
  type Held,
  type InboxItem,
  type InstanceId,
  type SessionRef,
  type LeaseRow,
  type OverdueSession,
  type PrincipalId,
  type Result,
  type Retention,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type SetAside,
  type SharedValue,
  type StoredEntry,
  type TakenOver,
  type Takeover,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { Batches, runIn, runQuery, type RowOf, type TypedStatement } from '@amodal/sdk/database'
import { ANY_SESSION, IDLE } from '@amodal/sdk/loop'
import { ACCEPT, acceptRows, acceptSize, acceptedOf } from './accept.ts'
import { COMMIT, commitRows, commitSize, verdictOf } from './commit.ts'
import {
  EXPIRE,
  FORGET_KEYS,
  INBOX_START,
  LOCK_OVERDUE,
  OVERDUE,
  timesOf,
  TO_IDLE,
} from './expiry.ts'
import { inDoubt } from './failures.ts'
import { ENTRIES, entryOf } from './history.ts'
import {
  ACQUIT,
  heldOf,
  heldRows,
  INBOX,
  itemOf,
  LEASE,
  leaseOf,
  refOf,
  RENEW,
  SET_ASIDE,
  TAKEOVER,
  takenOf,
  wasTaken,
} from './lease.ts'
import { CHANNEL, ChangeNotifications } from './change-notifications.ts'
import {
  CREATE,
  cursorOf,
  FORK,
  LIST,
  LOCK_AT_REST,
  placeOf,
  REMOVE,
  ROW,
  sessionOf,
  TROUBLED,
  UPDATE,
  WAITING,
} from './session-row.ts'
import { changeRows, LAST_KEY, SHARE, SHARED, sharedOf } from './shared.ts'
import { TOTALS, totalsOf } from './totals.ts'

export interface SessionsOptions {
  /** Whether other instances are notified of changes. */
  readonly notifyInstances: boolean
  /** Batches of commits, and of accepts, that are written at the same time. */
  readonly flights: number
  /** Timeout of one batch, ms. */
  readonly timeoutMs: number
  /** ms a session that waits for a person is kept, where the time to live is shorter. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Inbox items that a round of expiry looks at, for each session that it may expire. */
const LOOKED_AT = 50
const AT_REST = JSON.stringify(IDLE)

/**
 * Sessions, journals and inboxes in the tables of {@link file://./migrations.ts}. Every statement
 * is one constant text.
 */
export class DatabaseSessions implements SessionStore {
  readonly exclusive: boolean
  readonly #database: Database
  readonly #options: SessionsOptions
  readonly #notifications: ChangeNotifications
  readonly #commits: Batches<Commit, CommitVerdict>
  readonly #accepts: Batches<Accept, Accepted>
  /** Up to where old keys were looked for. */
  #forgotten = INBOX_START

  constructor(database: Database, options: SessionsOptions) {
    this.#database = database
    this.#options = options
    this.exclusive = database.exclusive
    this.#notifications = new ChangeNotifications(database)
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
      resultUnclaimed: (item, { claimed, lease }) => {
        if (claimed && lease) void this.#handBack(item, lease)
      },
    })
  }

  accept(item: Accept, signal: AbortSignal): Outcome<Accepted> {
    return this.#accepts.submit(item, signal)
  }

  commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict> {
    return commit.shared ? this.#commitShared(commit, signal) : this.#commits.submit(commit, signal)
  }

  async shared(tenant: TenantId, signal: AbortSignal): Outcome<readonly SharedValue[]> {
    return this.#all(SHARED({ tenant }), sharedOf, signal)
  }

  async lease({ tenant, session }: SessionRef, signal: AbortSignal): Outcome<LeaseRow | undefined> {
    return this.#first(LEASE({ tenant, session }), leaseOf, signal)
  }

  async entries(
    { tenant, session }: SessionRef,
    { after, upto, limit }: Parameters<SessionStore['entries']>[1],
    signal: AbortSignal,
  ): Outcome<readonly StoredEntry[]> {
    return this.#all(ENTRIES({ tenant, session, after, upto, limit }), entryOf, signal)
  }

  async inbox({ tenant, session }: SessionRef, signal: AbortSignal): Outcome<readonly InboxItem[]> {
    return this.#all(INBOX({ tenant, session }), itemOf, signal)
  }

  async renew(
    owner: InstanceId,
    held: readonly Held[],
    leaseMs: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['renew']> {
    return this.#all(RENEW({ held: heldRows(held), owner, leaseMs }), heldOf, signal)
  }

  async takeover(
    me: InstanceId,
    { marginMs, leaseMs, limit, suspects, trial, held = [] }: Takeover,
    signal: AbortSignal,
  ): Outcome<TakenOver> {
    const rows = await this.#run(
      TAKEOVER({ me, marginMs, leaseMs, limit, suspects, trial, held: heldRows(held) }),
      signal,
    )
    return rows.ok
      ? ok({
          leases: rows.value.filter(wasTaken).map(takenOf),
          suspects: rows.value[0]?.suspects ?? 0,
        })
      : rows
  }

  async acquit(held: Held, crashes: number, signal: AbortSignal): Outcome<void> {
    const done = await this.#run(ACQUIT({ ...held, crashes }), signal)
    return done.ok ? ok(undefined) : done
  }

  async setAside(held: Held, why: SetAside, signal: AbortSignal): Outcome<boolean> {
    return this.#any(SET_ASIDE({ ...held, why: JSON.stringify(why) }), signal)
  }

  async troubled(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    limit: number,
    signal: AbortSignal,
  ): Outcome<readonly SessionRow[]> {
    return this.#all(TROUBLED({ tenant, principal, limit }), sessionOf, signal)
  }

  async list(
    tenant: TenantId,
    {
      limit,
      cursor,
      principal,
      subagents = false,
      waiting,
      tags,
      kinds,
      search,
      standing,
      model,
      from,
      to,
    }: Parameters<SessionStore['list']>[1],
    signal: AbortSignal,
  ): ReturnType<SessionStore['list']> {
    const place = placeOf(cursor, to)
    if (!place)
      return err(
        failure('VALIDATION_ERROR', 'cursor: is none that a list of sessions gave', {
          status: 400,
        }),
      )
    const rows = await this.#run(
      LIST({
        ...{ tenant, ...place, limit: limit + 1, principal, subagents },
        ...{ waiting, tags, kinds, search, lowered: search?.toLowerCase() },
        ...{ standing, model, from },
      }),
      signal,
    )
    if (!rows.ok) return rows
    const page = rows.value.slice(0, limit)
    const last = rows.value.length > limit ? page.at(-1) : undefined
    return ok({ rows: page.map(sessionOf), next: last && cursorOf(last) })
  }

  async waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): ReturnType<SessionStore['waiting']> {
    const counted = await this.#first(
      WAITING({ tenant, principal }),
      ({ waiting }) => waiting,
      signal,
    )
    return counted.ok ? ok(counted.value ?? 0) : counted
  }

  async create(
    { tenant, session }: SessionRef,
    { principal, title, meta, tags, request, kind }: Parameters<SessionStore['create']>[1],
    signal: AbortSignal,
  ): ReturnType<SessionStore['create']> {
    const row = { tenant, session, principal, title, meta, state: AT_REST, tags, request, kind }
    const made = await this.#first(CREATE(row), (one) => one, signal)
    return made.ok
      ? ok({ fresh: made.value?.fresh === true, request: made.value?.request ?? undefined })
      : made
  }

  async totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): ReturnType<SessionStore['totals']> {
    const rows = await this.#run(TOTALS({ tenant, principal }), signal)
    return rows.ok ? ok(totalsOf(rows.value)) : rows
  }

  async row({ tenant, session }: SessionRef, signal: AbortSignal): Outcome<SessionRow | undefined> {
    return this.#first(ROW({ tenant, session }), sessionOf, signal)
  }

  async update(
    { tenant, session }: SessionRef,
    { title, tags, meta }: Parameters<SessionStore['update']>[1],
    signal: AbortSignal,
  ): Outcome<boolean> {
    return this.#any(UPDATE({ tenant, session, title, tags, meta }), signal)
  }

  async remove({ tenant, session }: SessionRef, signal: AbortSignal): Outcome<boolean> {
    const removed = await this.#database.transaction(async (run) => {
      const ref = { tenant, session }
      const locked = await runIn(run, LOCK_AT_REST(ref))
      return locked.length > 0 && (await runIn(run, REMOVE(ref))).length > 0
    }, signal)
    return removed.ok ? removed : err(inDoubt(removed.error))
  }

  async fork(
    { tenant, session }: SessionRef,
    child: SessionId,
    at: number,
    { principal, title, meta, kind }: Parameters<SessionStore['fork']>[3],
    signal: AbortSignal,
  ): Outcome<boolean> {
    const fork = { tenant, session, child, at, principal, title, meta, kind, state: AT_REST }
    return this.#any(FORK(fork), signal)
  }

  async idle(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['idle']> {
    const times = timesOf(retention, 'idleMs')
    const idle = await this.#all(TO_IDLE({ times, limit }), refOf, signal)
    if (!idle.ok) return idle
    const ttlMs = this.#options.keyTtlMs
    const forget = FORGET_KEYS({ ...this.#forgotten, ttlMs, limit: LOOKED_AT * limit })
    const forgotten = await this.#run(forget, signal)
    if (!forgotten.ok) return forgotten
    this.#forgotten = forgotten.value[0] ?? INBOX_START
    return idle
  }

  async overdue(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['overdue']> {
    const { parkedTtlMs } = this.#options
    const times = timesOf(retention, 'expireMs')
    const read = ({ head, ...ref }: Parameters<typeof refOf>[0] & { readonly head: number }) => ({
      ...refOf(ref),
      head,
    })
    return this.#all(OVERDUE({ times, limit, parkedTtlMs }), read, signal)
  }

  async expire(
    sessions: readonly OverdueSession[],
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    if (sessions.length === 0) return ok([])
    const rows = sessions.map(({ tenant, session, head }) => ({ tenant, session, head }))
    const expired = await this.#database.transaction(async (run) => {
      const locked = await runIn(run, LOCK_OVERDUE({ rows: JSON.stringify(rows) }))
      const expire = { rows: JSON.stringify(locked), state: AT_REST }
      return locked.length === 0 ? [] : runIn(run, EXPIRE(expire))
    }, signal)
    return expired.ok ? ok(expired.value.map(refOf)) : err(inDoubt(expired.error))
  }

  watch(heard: (ref: SessionRef) => void): () => void {
    return this.#options.notifyInstances ? this.#notifications.watch(heard) : () => undefined
  }

  /** Ends every watch. */
  close(): void {
    this.#notifications.close()
  }

  async #commitAll(
    commits: readonly Commit[],
    signal: AbortSignal,
  ): Outcome<readonly CommitVerdict[]> {
    const told = this.#options.notifyInstances ? this.#notifications.payloads(commits) : []
    return this.#all(COMMIT({ ...commitRows(commits), told }), verdictOf, signal)
  }

  /**
   * A commit that changes shared values, in a transaction of its own: both are written, or neither.
   * One that is repeated finds its key in the session's row, and changes nothing.
   */
  async #commitShared(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict> {
    const { tenant, session, key, shared = [] } = commit
    const told = this.#options.notifyInstances
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
        const [row] = await runIn(run, COMMIT({ ...commitRows([commit]), told }))
        const verdict = row ? verdictOf(row) : ({ verdict: 'fenced' } as const)
        return verdict.verdict === 'ok' ? ok(verdict) : err(verdict)
      },
      signal,
    )
    if (!written.ok) return err(inDoubt(written.error))
    return ok(written.value.ok ? written.value.value : written.value.error)
  }

  async #acceptAll(items: readonly Accept[], signal: AbortSignal): Outcome<readonly Accepted[]> {
    const rows = await this.#run(ACCEPT({ items: acceptRows(items) }), signal)
    if (!rows.ok) return rows
    const accepted = rows.value.flatMap((row, n) => {
      const item = items[n] // a row each, in their order
      return item ? [acceptedOf(item, row)] : []
    })
    // Notifies owners on other instances that their sessions have inbox items.
    const elsewhere = accepted.flatMap(({ fresh, lease }, at) =>
      fresh && lease?.owner !== undefined && lease.owner !== items[at]?.owner ? [lease] : [],
    )
    if (this.#options.notifyInstances && elsewhere.length > 0) void this.#notify(elsewhere)
    return ok(accepted)
  }

  /** Best effort: the owner also notices at its next heartbeat. */
  async #notify(leases: readonly SessionRef[]): Promise<void> {
    for (const payload of this.#notifications.payloads(leases))
      await this.#database.notify(
        CHANNEL,
        payload,
        timeLimit(this.#options.timeoutMs, 'notifying the owner of a session'),
      )
  }

  /**
   * Releases a session that was claimed for a caller that stopped waiting, before its lease ends.
   */
  async #handBack({ owner }: Accept, lease: LeaseRow): Promise<void> {
    await this.renew(owner, [lease], 0, timeLimit(this.#options.timeoutMs, 'giving a session back'))
  }

  async #run<R>(statement: TypedStatement<R>, signal: AbortSignal): Outcome<readonly RowOf<R>[]> {
    const rows = await runQuery(this.#database, statement, signal)
    return rows.ok ? rows : err(inDoubt(rows.error))
  }

  async #all<R, T>(
    statement: TypedStatement<R>,
    read: (row: RowOf<R>) => T,
    signal: AbortSignal,
  ): Outcome<readonly T[]> {
    const rows = await this.#run(statement, signal)
    return rows.ok ? ok(rows.value.map((row) => read(row))) : rows
  }

  async #first<R, T>(
    statement: TypedStatement<R>,
    read: (row: RowOf<R>) => T,
    signal: AbortSignal,
  ): Outcome<T | undefined> {
    const rows = await this.#all(statement, read, signal)
    return rows.ok ? ok(rows.value[0]) : rows
  }

  async #any<R>(statement: TypedStatement<R>, signal: AbortSignal): Outcome<boolean> {
    const rows = await this.#run(statement, signal)
    return rows.ok ? ok(rows.value.length > 0) : rows
  }
}
