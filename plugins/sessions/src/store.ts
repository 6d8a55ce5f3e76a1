import {
  type AsyncResult,
  err,
  failure,
  ok,
  type Accept,
  type Accepted,
  type Commit,
  type CommitVerdict,
  type Database,
  type HeldSession,
  type InboxItem,
  type InstanceId,
  type SessionRef,
  type SessionRecord,
  type OverdueSession,
  type PrincipalId,
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
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { IDLE_STATE } from './accept.ts'
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
import { ENTRIES, entryOf } from './entries.ts'
import {
  END_TRIAL,
  heldOf,
  heldRows,
  INBOX,
  itemOf,
  SESSION_RECORD,
  sessionRecordOf,
  refOf,
  RENEW,
  SET_ASIDE,
  TAKEOVER,
  acquiredSessionOf,
  isAcquired,
} from './lease.ts'
import { ChangeNotifications } from './change-notifications.ts'
import { SessionQueries } from './queries.ts'
import {
  CREATE,
  cursorOf,
  FORK,
  LIST,
  LOCK_UNCLAIMED,
  placeOf,
  REMOVE,
  ROW,
  sessionOf,
  TROUBLED,
  UPDATE,
  WAITING,
} from './session-row.ts'
import { SHARED, sharedOf } from './shared.ts'
import { TOTALS, totalsOf } from './totals.ts'
import { SessionWrites, type WriteOptions } from './writes.ts'

export interface SessionsOptions extends WriteOptions {
  /** Minimum time, ms, that a session waiting for a person is retained. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}

/** Inbox items that a round of expiry reads, for each session that it may expire. */
const ITEMS_PER_SESSION = 50

/**
 * Sessions, journals and inboxes in the tables of {@link file://./migrations.ts}. Every statement
 * is one constant text.
 */
export class DatabaseSessions implements SessionStore {
  readonly exclusive: boolean
  readonly #database: Database
  readonly #options: SessionsOptions
  readonly #notifications: ChangeNotifications
  readonly #queries: SessionQueries
  readonly #writes: SessionWrites
  /** The inbox item at which the last round of deleting old keys ended. */
  #lastItem = INBOX_START

  constructor(database: Database, options: SessionsOptions) {
    this.#database = database
    this.#options = options
    this.exclusive = database.exclusive
    this.#notifications = new ChangeNotifications(database)
    this.#queries = new SessionQueries(database)
    this.#writes = new SessionWrites(database, this.#notifications, options)
  }

  accept(item: Accept, signal: AbortSignal): AsyncResult<Accepted> {
    return this.#writes.accept(item, signal)
  }

  commit(commit: Commit, signal: AbortSignal): AsyncResult<CommitVerdict> {
    return this.#writes.commit(commit, signal)
  }

  async shared(tenant: TenantId, signal: AbortSignal): AsyncResult<readonly SharedValue[]> {
    return this.#queries.all(SHARED({ tenant }), sharedOf, signal)
  }

  async sessionRecord(
    { tenant, session }: SessionRef,
    signal: AbortSignal,
  ): AsyncResult<SessionRecord | undefined> {
    return this.#queries.first(SESSION_RECORD({ tenant, session }), sessionRecordOf, signal)
  }

  async entries(
    { tenant, session }: SessionRef,
    { after, upto, limit }: Parameters<SessionStore['entries']>[1],
    signal: AbortSignal,
  ): AsyncResult<readonly StoredEntry[]> {
    return this.#queries.all(ENTRIES({ tenant, session, after, upto, limit }), entryOf, signal)
  }

  async inbox(
    { tenant, session }: SessionRef,
    signal: AbortSignal,
  ): AsyncResult<readonly InboxItem[]> {
    return this.#queries.all(INBOX({ tenant, session }), itemOf, signal)
  }

  async renew(
    owner: InstanceId,
    held: readonly HeldSession[],
    leaseMs: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['renew']> {
    return this.#queries.all(RENEW({ held: heldRows(held), owner, leaseMs }), heldOf, signal)
  }

  async takeover(
    me: InstanceId,
    { marginMs, leaseMs, limit, maxSuspects, trial, held = [] }: Takeover,
    signal: AbortSignal,
  ): AsyncResult<TakenOver> {
    const rows = await this.#queries.run(
      TAKEOVER({ me, marginMs, leaseMs, limit, maxSuspects, trial, held: heldRows(held) }),
      signal,
    )
    return rows.ok
      ? ok({
          sessions: rows.value.filter(isAcquired).map(acquiredSessionOf),
          suspectsFound: rows.value[0]?.suspects_found ?? 0,
        })
      : rows
  }

  async endTrial(held: HeldSession, crashes: number, signal: AbortSignal): AsyncResult<void> {
    const done = await this.#queries.run(END_TRIAL({ ...held, crashes }), signal)
    return done.ok ? ok(undefined) : done
  }

  async setAside(held: HeldSession, why: SetAside, signal: AbortSignal): AsyncResult<boolean> {
    return this.#queries.any(SET_ASIDE({ ...held, why: JSON.stringify(why) }), signal)
  }

  async troubled(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    limit: number,
    signal: AbortSignal,
  ): AsyncResult<readonly SessionRow[]> {
    return this.#queries.all(TROUBLED({ tenant, principal, limit }), sessionOf, signal)
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
      return err(failure('VALIDATION_ERROR', 'cursor: was not returned by a list of sessions'))
    const rows = await this.#queries.run(
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
    const counted = await this.#queries.first(
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
    const row = { tenant, session, principal, title, meta, state: IDLE_STATE, tags, request, kind }
    const created = await this.#queries.first(CREATE(row), (one) => one, signal)
    return created.ok
      ? ok({ isNew: created.value?.fresh === true, request: created.value?.request ?? undefined })
      : created
  }

  async totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): ReturnType<SessionStore['totals']> {
    const rows = await this.#queries.run(TOTALS({ tenant, principal }), signal)
    return rows.ok ? ok(totalsOf(rows.value)) : rows
  }

  async row(
    { tenant, session }: SessionRef,
    signal: AbortSignal,
  ): AsyncResult<SessionRow | undefined> {
    return this.#queries.first(ROW({ tenant, session }), sessionOf, signal)
  }

  async update(
    { tenant, session }: SessionRef,
    { title, tags, meta }: Parameters<SessionStore['update']>[1],
    signal: AbortSignal,
  ): AsyncResult<boolean> {
    return this.#queries.any(UPDATE({ tenant, session, title, tags, meta }), signal)
  }

  async remove({ tenant, session }: SessionRef, signal: AbortSignal): AsyncResult<boolean> {
    const removed = await this.#database.transaction(async (run) => {
      const ref = { tenant, session }
      const locked = await runIn(run, LOCK_UNCLAIMED(ref))
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
  ): AsyncResult<boolean> {
    const fork = { tenant, session, child, at, principal, title, meta, kind, state: IDLE_STATE }
    return this.#queries.any(FORK(fork), signal)
  }

  async idle(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['idle']> {
    const times = timesOf(retention, 'idleMs')
    const idle = await this.#queries.all(TO_IDLE({ times, limit }), refOf, signal)
    if (!idle.ok) return idle
    const ttlMs = this.#options.keyTtlMs
    const forget = FORGET_KEYS({ ...this.#lastItem, ttlMs, limit: ITEMS_PER_SESSION * limit })
    const lastItem = await this.#queries.run(forget, signal)
    if (!lastItem.ok) return lastItem
    this.#lastItem = lastItem.value[0] ?? INBOX_START
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
    return this.#queries.all(OVERDUE({ times, limit, parkedTtlMs }), read, signal)
  }

  async expire(
    sessions: readonly OverdueSession[],
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    if (sessions.length === 0) return ok([])
    const rows = sessions.map(({ tenant, session, head }) => ({ tenant, session, head }))
    const expired = await this.#database.transaction(async (run) => {
      const locked = await runIn(run, LOCK_OVERDUE({ rows: JSON.stringify(rows) }))
      const expire = { rows: JSON.stringify(locked), state: IDLE_STATE }
      return locked.length === 0 ? [] : runIn(run, EXPIRE(expire))
    }, signal)
    return expired.ok ? ok(expired.value.map(refOf)) : err(inDoubt(expired.error))
  }

  watch(listener: (ref: SessionRef) => void): () => void {
    return this.#options.notifyInstances ? this.#notifications.watch(listener) : () => undefined
  }

  /** Ends every watch. */
  close(): void {
    this.#notifications.close()
  }
}
