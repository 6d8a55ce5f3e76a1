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
  type LaneRef,
  type LaneRow,
  type PrincipalId,
  type Result,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type SetAside,
  type StoredEntry,
  type TakenOver,
  type Takeover,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { runIn, runQuery, type RowOf, type TypedStatement } from '@amodal/sdk/database'
import { IDLE } from '@amodal/sdk/loop'
import { ACCEPT, acceptRows, acceptSize, acceptedOf } from './accept.ts'
import { Batches } from './batches.ts'
import { COMMIT, commitRows, commitSize, verdictOf } from './commit.ts'
import { EXPIRE, FORGET_KEYS, LOCK_IDLE, TO_IDLE } from './expiry.ts'
import { inDoubt, inTheWay, leftWaiting, oneIsBad } from './failures.ts'
import { ENTRIES, entryOf } from './history.ts'
import {
  ACQUIT,
  heldOf,
  heldRows,
  INBOX,
  itemOf,
  LANE,
  laneOf,
  refOf,
  RENEW,
  SET_ASIDE,
  TAKEOVER,
  takenOf,
  wasTaken,
} from './lane.ts'
import { CHANNEL, News } from './news.ts'
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
import { TOTALS, totalsOf } from './totals.ts'

export interface SessionsOptions {
  /** Whether other instances are told of changes. */
  readonly tell: boolean
  /** Batches of commits, and of accepts, on their way at once. */
  readonly flights: number
  /** ms for one batch. */
  readonly timeoutMs: number
  /** ms a session that waits for a person is kept, where the time to live is shorter. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}

type Outcome<T> = Promise<Result<T, Failure>>

const AT_REST = JSON.stringify(IDLE)

/**
 * Lanes, journals and inboxes in the tables of {@link file://./migrations.ts}. Every statement is
 * one constant text.
 */
export class DatabaseSessions implements SessionStore {
  readonly exclusive: boolean
  readonly #database: Database
  readonly #options: SessionsOptions
  readonly #news: News
  readonly #commits: Batches<Commit, CommitVerdict>
  readonly #accepts: Batches<Accept, Accepted>

  constructor(database: Database, options: SessionsOptions) {
    this.#database = database
    this.#options = options
    this.exclusive = database.exclusive
    this.#news = new News(database)
    const { flights, timeoutMs } = options
    const shared = {
      keyOf: ({ tenant, session }: LaneRef) => `${tenant}\0${session}`,
      oneIsBad,
      inTheWay,
      left: leftWaiting,
      flights,
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
      unheard: (item, { claimed, lane }) => {
        if (claimed && lane) void this.#handBack(item, lane)
      },
    })
  }

  accept(item: Accept, signal: AbortSignal): Outcome<Accepted> {
    return this.#accepts.submit(item, signal)
  }

  commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict> {
    return this.#commits.submit(commit, signal)
  }

  async lane({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<LaneRow | undefined> {
    return this.#first(LANE({ tenant, session }), laneOf, signal)
  }

  async entries(
    { tenant, session }: LaneRef,
    { after, upto, limit }: Parameters<SessionStore['entries']>[1],
    signal: AbortSignal,
  ): Outcome<readonly StoredEntry[]> {
    return this.#all(ENTRIES({ tenant, session, after, upto, limit }), entryOf, signal)
  }

  async inbox({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<readonly InboxItem[]> {
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
          lanes: rows.value.filter(wasTaken).map(takenOf),
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
    }: Parameters<SessionStore['list']>[1],
    signal: AbortSignal,
  ): ReturnType<SessionStore['list']> {
    const place = placeOf(cursor)
    if (!place)
      return err(
        failure('VALIDATION_ERROR', 'cursor: is none that a list of sessions gave', {
          status: 400,
        }),
      )
    const rows = await this.#run(
      LIST({ tenant, ...place, limit: limit + 1, principal, subagents, waiting, tags }),
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
    { tenant, session }: LaneRef,
    { principal, title, meta, tags, request }: Parameters<SessionStore['create']>[1],
    signal: AbortSignal,
  ): ReturnType<SessionStore['create']> {
    const row = { tenant, session, principal, title, meta, state: AT_REST, tags, request }
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

  async row({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<SessionRow | undefined> {
    return this.#first(ROW({ tenant, session }), sessionOf, signal)
  }

  async update(
    { tenant, session }: LaneRef,
    { title, tags, meta }: Parameters<SessionStore['update']>[1],
    signal: AbortSignal,
  ): Outcome<boolean> {
    return this.#any(UPDATE({ tenant, session, title, tags, meta }), signal)
  }

  async remove({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<boolean> {
    const removed = await this.#database.transaction(async (run) => {
      const ref = { tenant, session }
      const locked = await runIn(run, LOCK_AT_REST(ref))
      return locked.length > 0 && (await runIn(run, REMOVE(ref))).length > 0
    }, signal)
    return removed.ok ? removed : err(inDoubt(removed.error))
  }

  async fork(
    { tenant, session }: LaneRef,
    child: SessionId,
    at: number,
    { principal, title, meta }: Parameters<SessionStore['fork']>[3],
    signal: AbortSignal,
  ): Outcome<boolean> {
    const fork = { tenant, session, child, at, principal, title, meta, state: AT_REST }
    return this.#any(FORK(fork), signal)
  }

  async expire(
    ttlMs: number,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    const { parkedTtlMs, keyTtlMs } = this.#options
    const expired = await this.#database.transaction(async (run) => {
      const locked = await runIn(run, LOCK_IDLE({ ttlMs, limit, parkedTtlMs }))
      const expire = { rows: JSON.stringify(locked), state: AT_REST }
      return locked.length === 0 ? [] : runIn(run, EXPIRE(expire))
    }, signal)
    if (!expired.ok) return err(inDoubt(expired.error))
    const idle = await this.#all(TO_IDLE({ ttlMs, limit }), refOf, signal)
    if (!idle.ok) return idle
    const forgotten = await this.#run(FORGET_KEYS({ ttlMs: keyTtlMs, limit: 10 * limit }), signal)
    return forgotten.ok ? ok({ idle: idle.value, expired: expired.value.map(refOf) }) : forgotten
  }

  watch(heard: (ref: LaneRef) => void): () => void {
    return this.#options.tell ? this.#news.watch(heard) : () => undefined
  }

  /** Ends every watch. */
  close(): void {
    this.#news.close()
  }

  async #commitAll(
    commits: readonly Commit[],
    signal: AbortSignal,
  ): Outcome<readonly CommitVerdict[]> {
    const told = this.#options.tell ? this.#news.payloads(commits) : []
    return this.#all(COMMIT({ ...commitRows(commits), told }), verdictOf, signal)
  }

  async #acceptAll(items: readonly Accept[], signal: AbortSignal): Outcome<readonly Accepted[]> {
    const rows = await this.#run(ACCEPT({ items: acceptRows(items) }), signal)
    if (!rows.ok) return rows
    const accepted = rows.value.flatMap((row, n) => {
      const item = items[n] // a row each, in their order
      return item ? [acceptedOf(item, row)] : []
    })
    // Whoever has one of these lanes elsewhere is told that something waits.
    const elsewhere = accepted.flatMap(({ fresh, lane }, at) =>
      fresh && lane?.owner !== undefined && lane.owner !== items[at]?.owner ? [lane] : [],
    )
    if (this.#options.tell && elsewhere.length > 0) void this.#notify(elsewhere)
    return ok(accepted)
  }

  /** Best effort: its next heartbeat tells the owner as well. */
  async #notify(lanes: readonly LaneRef[]): Promise<void> {
    for (const payload of this.#news.payloads(lanes))
      await this.#database.notify(
        CHANNEL,
        payload,
        timeLimit(this.#options.timeoutMs, 'telling the owner of a lane'),
      )
  }

  /** A lane that was claimed for a caller who is gone is free at once, not when its lease ends. */
  async #handBack({ owner }: Accept, lane: LaneRow): Promise<void> {
    await this.renew(owner, [lane], 0, timeLimit(this.#options.timeoutMs, 'giving a lane back'))
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
