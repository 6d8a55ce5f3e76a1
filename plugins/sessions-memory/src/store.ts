import {
  type AsyncResult,
  err,
  failure,
  messageOf,
  ok,
  type Accept,
  type Accepted,
  type Commit,
  type CommitVerdict,
  type Created,
  type Creation,
  type Failure,
  type HeldSession,
  type InboxItem,
  type InstanceId,
  type SessionRef,
  type SessionRecord,
  type SessionSeed,
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
} from '@amodal/sdk'
import { ANY_SESSION, defined, LISTED_KINDS } from '@amodal/sdk/loop'
import { addItem, refusalOf } from './accept.ts'
import { applyCommit, verdictOf } from './commit.ts'
import { expireUnchanged, forgetKeys, markIdle, overdueIn } from './expiry.ts'
import { isOf, listPage } from './listing.ts'
import { SessionTable } from './session-table.ts'
import { SharedValues } from './shared-values.ts'
import {
  IDLE_STATE,
  isUnclaimed,
  sessionRecordOf,
  monotonicMs,
  newSession,
  sessionRow,
  type StoredSession,
} from './stored-session.ts'
import { takeOver } from './takeover.ts'
import { subagentOf, totalsOf } from './totals.ts'

export interface MemoryOptions {
  /** Maximum number of sessions. */
  readonly maxSessions: number
  /** Minimum time, ms, that a session waiting for a person is retained. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}
type Range = Parameters<SessionStore['entries']>[1]
type Page = Parameters<SessionStore['list']>[1]
type Change = Parameters<SessionStore['update']>[1]

/** Sessions, journals and inboxes in this process. Every method is one uninterrupted step. */
export class MemorySessions implements SessionStore {
  readonly exclusive = true
  readonly #options: MemoryOptions
  readonly #table: SessionTable
  readonly #watchers = new Set<(ref: SessionRef) => void>()
  readonly #owners = new Set<InstanceId>()
  readonly #shared = new SharedValues()
  #items = 0

  constructor(options: MemoryOptions) {
    this.#options = options
    this.#table = new SessionTable(options.maxSessions)
  }

  async accept(item: Accept, signal: AbortSignal): AsyncResult<Accepted> {
    return step<Accepted>(signal, () => {
      const { owner, create } = item
      this.#owners.add(owner)
      const known = this.#table.find(item)
      const refusal = refusalOf(known, item)
      if (refusal) return ok(refusal)
      const stored = known ?? (create && this.#table.add(newSession(item, IDLE_STATE, create)))
      if (!stored) return err(this.#full())
      const claimed = addItem(stored, item, ++this.#items)
      this.#table.use(stored)
      if (stored.owner !== undefined && stored.owner !== owner) this.#notify(stored.ref)
      return ok({ isNew: true, claimed, sessionRecord: sessionRecordOf(stored) })
    })
  }

  async commit(commit: Commit, signal: AbortSignal): AsyncResult<CommitVerdict> {
    return step(signal, () => {
      const stored = this.#table.find(commit)
      if (stored && stored.lastKey === commit.key) return ok(verdictOf(stored, commit))
      if (!stored || stored.fencingToken !== commit.fencingToken || stored.owner === undefined)
        return ok({ verdict: 'fenced' })
      if (stored.head !== commit.base) return ok({ verdict: 'gap' })
      if (!this.#shared.apply(commit))
        return ok({ verdict: 'conflict', shared: this.#shared.of(commit.tenant) })
      if (commit.shared && commit.shared.length > 0)
        this.#notify({ tenant: commit.tenant, session: ANY_SESSION })
      applyCommit(stored, commit)
      this.#table.use(stored)
      this.#notify(stored.ref)
      return ok(verdictOf(stored, commit))
    })
  }

  async shared(tenant: TenantId, signal: AbortSignal): AsyncResult<readonly SharedValue[]> {
    return step(signal, () => ok(this.#shared.of(tenant)))
  }

  async sessionRecord(
    ref: SessionRef,
    signal: AbortSignal,
  ): AsyncResult<SessionRecord | undefined> {
    return this.#of(ref, signal, sessionRecordOf)
  }

  async entries(
    ref: SessionRef,
    { after, upto, limit }: Range,
    signal: AbortSignal,
  ): AsyncResult<readonly StoredEntry[]> {
    return step(signal, () => {
      const found: StoredEntry[][] = []
      let most = upto ?? Infinity
      for (
        let stored = this.#table.find(ref);
        stored && most > after;
        stored = stored.parent && this.#table.find({ tenant: ref.tenant, session: stored.parent })
      ) {
        const first = stored.forkedAt ?? 0
        found.unshift(stored.entries.slice(Math.max(0, after - first), Math.max(0, most - first)))
        most = Math.min(most, first)
      }
      return ok(found.flat().slice(0, limit))
    })
  }

  async inbox(ref: SessionRef, signal: AbortSignal): AsyncResult<readonly InboxItem[]> {
    return step(signal, () => {
      const items = [...(this.#table.find(ref)?.inbox.values() ?? [])]
      return ok(
        items
          .filter(({ isAcknowledged }) => !isAcknowledged)
          .map(({ key, n, body, control }) => ({ key, n, body, control })),
      )
    })
  }

  async renew(
    owner: InstanceId,
    held: readonly HeldSession[],
    leaseMs: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['renew']> {
    return step(signal, () =>
      ok(
        held.flatMap(({ tenant, session, fencingToken }) => {
          const stored = this.#table.find({ tenant, session })
          if (!stored || stored.owner !== owner || stored.fencingToken !== fencingToken) return []
          stored.leaseUntil = leaseMs > 0 ? monotonicMs() + leaseMs : -Infinity
          return [
            { tenant, session, fencingToken, messages: stored.messages, controls: stored.controls },
          ]
        }),
      ),
    )
  }

  async takeover(
    owner: InstanceId,
    takeover: Takeover,
    signal: AbortSignal,
  ): AsyncResult<TakenOver> {
    return step(signal, () => {
      this.#owners.add(owner)
      return ok(takeOver(this.#table, owner, takeover))
    })
  }

  async endTrial(held: HeldSession, crashes: number, signal: AbortSignal): AsyncResult<void> {
    return step(signal, () => {
      const stored = this.#table.held(held)
      if (stored) Object.assign(stored, { trial: false, crashes })
      return ok(undefined)
    })
  }

  async setAside(held: HeldSession, why: SetAside, signal: AbortSignal): AsyncResult<boolean> {
    return step(signal, () => {
      const stored = this.#table.held(held)
      if (!stored) return ok(false)
      Object.assign(stored, {
        setAside: JSON.stringify(why),
        owner: undefined,
        trial: false,
        status: 'active',
        updatedAt: Date.now(),
      })
      this.#notify(stored.ref)
      return ok(true)
    })
  }

  async troubled(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    limit: number,
    signal: AbortSignal,
  ): AsyncResult<readonly SessionRow[]> {
    return step(signal, () => {
      const sessions = this.#table.filter(
        (stored) =>
          isOf(stored, tenant, principal) &&
          (stored.setAside !== undefined || stored.unknownEffects > 0),
      )
      return ok(
        sessions
          .sort((a, b) => b.used - a.used)
          .slice(0, limit)
          .map(sessionRow),
      )
    })
  }

  async list(tenant: TenantId, page: Page, signal: AbortSignal): ReturnType<SessionStore['list']> {
    return step(signal, () => listPage(this.#table, tenant, page))
  }

  async waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): AsyncResult<number> {
    const isWaiting = (stored: StoredSession): boolean =>
      isOf(stored, tenant, principal) &&
      stored.parked &&
      LISTED_KINDS.includes(stored.kind) &&
      subagentOf(stored) === undefined
    return step(signal, () => ok(this.#table.filter(isWaiting).length))
  }

  async create(ref: SessionRef, create: Creation, signal: AbortSignal): AsyncResult<Created> {
    return step(signal, () => {
      const existing = this.#table.find(ref)
      const stored = existing ?? this.#table.add(newSession(ref, IDLE_STATE, create))
      if (!stored) return err(this.#full())
      if (!existing) this.#table.use(stored)
      return ok({ isNew: !existing, request: stored.request })
    })
  }

  async totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): ReturnType<SessionStore['totals']> {
    return step(signal, () =>
      ok(totalsOf(this.#table.filter((stored) => isOf(stored, tenant, principal)))),
    )
  }

  async row(ref: SessionRef, signal: AbortSignal): AsyncResult<SessionRow | undefined> {
    return this.#of(ref, signal, sessionRow)
  }

  async update(ref: SessionRef, change: Change, signal: AbortSignal): AsyncResult<boolean> {
    return step(signal, () => {
      const stored = this.#table.find(ref)
      if (!stored) return ok(false)
      stored.title = change.title ?? stored.title
      stored.tags = change.tags ? [...change.tags] : stored.tags
      stored.meta = change.meta ?? stored.meta
      return ok(true)
    })
  }

  async remove(ref: SessionRef, signal: AbortSignal): AsyncResult<boolean> {
    return step(signal, () => {
      const stored = this.#table.find(ref)
      if (!stored || !isUnclaimed(stored) || this.#table.isNeeded(stored)) return ok(false)
      this.#table.remove(stored)
      return ok(true)
    })
  }

  async fork(
    parent: SessionRef,
    child: SessionId,
    at: number,
    create: SessionSeed,
    signal: AbortSignal,
  ): AsyncResult<boolean> {
    return step(signal, () => {
      const from = this.#table.find(parent)
      if (!from || from.status === 'expired' || at < 0 || at > from.head) return ok(false)
      const ref = { tenant: parent.tenant, session: child }
      const existing = this.#table.find(ref)
      if (existing) return ok(existing.parent === parent.session && existing.forkedAt === at)
      const creation = { kind: from.kind, ...defined(create) }
      const fork = this.#table.add(
        newSession(ref, IDLE_STATE, creation, { parent: parent.session, at }),
      )
      if (!fork) return err(this.#full())
      if (at > 0) this.#table.addFork(fork)
      this.#table.use(fork)
      return ok(true)
    })
  }

  async idle(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['idle']> {
    return step(signal, () => {
      const time = Date.now()
      const idle = markIdle(this.#table, retention, limit, time)
      forgetKeys(this.#table, time - this.#options.keyTtlMs)
      return ok(idle)
    })
  }

  async overdue(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['overdue']> {
    return step(signal, () =>
      ok(overdueIn(this.#table, retention, this.#options.parkedTtlMs).slice(0, limit)),
    )
  }

  async expire(
    sessions: readonly OverdueSession[],
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    return step(signal, () => ok(expireUnchanged(this.#table, sessions)))
  }

  watch(listener: (ref: SessionRef) => void): () => void {
    const watcher = (ref: SessionRef): void => listener(ref)
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
    }
  }

  async #of<T>(
    ref: SessionRef,
    signal: AbortSignal,
    read: (stored: StoredSession) => T,
  ): AsyncResult<T | undefined> {
    return step(signal, () => {
      const stored = this.#table.find(ref)
      return ok(stored && read(stored))
    })
  }

  #full(): Failure {
    const { maxSessions } = this.#options
    return failure(
      'STORE_FAILED',
      `all ${maxSessions} sessions that sessions-memory may keep are in use: raise maxSessions, or keep them in a database`,
    )
  }

  /** With one owner there is no other instance to notify. */
  #notify(ref: SessionRef): void {
    if (this.#owners.size < 2) return
    for (const watcher of this.#watchers) queueMicrotask(() => watcher(ref))
  }
}

/** Fails when the caller's signal is aborted, before anything is done. */
function step<T>(signal: AbortSignal, work: () => Result<T, Failure>): Result<T, Failure> {
  if (!signal.aborted) return work()
  const details = { aborted: true, connection: true }
  return err(
    failure(
      'STORE_FAILED',
      `the request to the session store was aborted: ${messageOf(signal.reason)}`,
      {
        details,
        cause: signal.reason,
      },
    ),
  )
}
