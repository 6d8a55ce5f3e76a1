import {
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
  type Held,
  type InboxItem,
  type InstanceId,
  type SessionRef,
  type LeaseRow,
  type SessionSeed,
  type OverdueSession,
  type PrincipalId,
  type Result,
  type Retention,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type SetAside,
  type SharedChange,
  type SharedValue,
  type StoredEntry,
  type AcquiredLease,
  type TakenOver,
  type Takeover,
  type TenantId,
} from '@amodal/sdk'
import { ANY_SESSION, defined, IDLE, keepTimeOf, LISTED_KINDS } from '@amodal/sdk/loop'
import {
  atRest,
  leaseRow,
  matchesPage,
  newSession,
  sessionRow,
  take,
  type StoredSession,
} from './stored-session.ts'
import { subagentOf, totalsOf } from './totals.ts'

export interface MemoryOptions {
  /** Sessions kept at most. */
  readonly maxSessions: number
  /** Minimum time, ms, that a session waiting for a person is retained. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}

type Outcome<T> = Promise<Result<T, Failure>>
type Range = Parameters<SessionStore['entries']>[1]
type Page = Parameters<SessionStore['list']>[1]
type Change = Parameters<SessionStore['update']>[1]

const AT_REST = JSON.stringify(IDLE)
const keyOf = ({ tenant, session }: SessionRef): string => `${tenant}\0${session}`
const now = (): number => performance.now()

/** Sessions, journals and inboxes in this process. Every method is one uninterrupted step. */
export class MemorySessions implements SessionStore {
  readonly exclusive = true
  readonly #options: MemoryOptions
  /** Least recently used first. */
  readonly #sessions = new Map<string, StoredSession>()
  readonly #expired = new Set<string>()
  /** Those that show entries of another one. */
  readonly #forks = new Set<StoredSession>()
  readonly #watchers = new Set<(ref: SessionRef) => void>()
  readonly #owners = new Set<InstanceId>()
  readonly #shared = new Map<TenantId, Map<string, SharedValue>>()
  #uses = 0
  #items = 0

  constructor(options: MemoryOptions) {
    this.#options = options
  }

  async accept(item: Accept, signal: AbortSignal): Outcome<Accepted> {
    return step<Accepted>(signal, () => {
      const {
        key,
        body,
        control,
        owner,
        claims = true,
        resumes = false,
        leaseMs,
        until = Infinity,
        most = Infinity,
        title = '',
        create,
      } = item
      this.#owners.add(owner)
      const known = this.#find(item)
      if (known?.status === 'expired')
        return ok({ fresh: false, claimed: false, lease: leaseRow(known) })
      const earlier = known?.inbox.get(key)
      if (known && earlier)
        return ok({ fresh: false, claimed: false, earlier: earlier.body, lease: leaseRow(known) })
      if (known && Date.now() >= until)
        return ok({ fresh: false, claimed: false, late: true, lease: leaseRow(known) })
      // A message whose run has begun without a commit is not counted as waiting.
      const room = most + (known?.owner !== undefined && known.state === AT_REST ? 1 : 0)
      if (known && known.messages >= room)
        return ok({ fresh: false, claimed: false, full: true, lease: leaseRow(known) })
      if (!known && !create) return ok({ fresh: false, claimed: false })
      const stored = known ?? (create && this.#make(newSession(item, AT_REST, create)))
      if (!stored) return err(this.#full())
      stored.inbox.set(key, { key, n: ++this.#items, body, control, taken: false, at: Date.now() })
      stored[control ? 'controls' : 'messages']++
      stored.status = 'active'
      if (stored.title === '' && stored.head === 0) stored.title = title
      if (resumes) Object.assign(stored, { setAside: undefined, crashes: 0, trial: false })
      const claimed =
        claims &&
        stored.owner === undefined &&
        stored.setAside === undefined &&
        (control || !stored.parked)
      if (claimed) own(stored, owner, leaseMs)
      this.#use(stored)
      if (stored.owner !== undefined && stored.owner !== owner) this.#tell(stored)
      return ok({ fresh: true, claimed, lease: leaseRow(stored) })
    })
  }

  async commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict> {
    return step(signal, () => {
      const stored = this.#find(commit)
      if (stored && stored.lastKey === commit.key) return ok(verdictOf(stored, commit))
      if (!stored || stored.fencingToken !== commit.fencingToken || stored.owner === undefined)
        return ok({ verdict: 'fenced' })
      if (stored.head !== commit.base) return ok({ verdict: 'gap' })
      if (!this.#share(commit))
        return ok({ verdict: 'conflict', shared: this.#sharedOf(commit.tenant) })
      this.#write(stored, commit)
      return ok(verdictOf(stored, commit))
    })
  }

  async shared(tenant: TenantId, signal: AbortSignal): Outcome<readonly SharedValue[]> {
    return step(signal, () => ok(this.#sharedOf(tenant)))
  }

  async lease(ref: SessionRef, signal: AbortSignal): Outcome<LeaseRow | undefined> {
    return this.#of(ref, signal, leaseRow)
  }

  async entries(
    ref: SessionRef,
    { after, upto, limit }: Range,
    signal: AbortSignal,
  ): Outcome<readonly StoredEntry[]> {
    return step(signal, () => {
      const found: StoredEntry[][] = []
      let most = upto ?? Infinity
      for (
        let stored = this.#find(ref);
        stored && most > after;
        stored = stored.parent && this.#find({ tenant: ref.tenant, session: stored.parent })
      ) {
        const first = stored.forkedAt ?? 0
        found.unshift(stored.entries.slice(Math.max(0, after - first), Math.max(0, most - first)))
        most = Math.min(most, first)
      }
      return ok(found.flat().slice(0, limit))
    })
  }

  async inbox(ref: SessionRef, signal: AbortSignal): Outcome<readonly InboxItem[]> {
    return step(signal, () => {
      const items = [...(this.#find(ref)?.inbox.values() ?? [])]
      return ok(
        items
          .filter(({ taken }) => !taken)
          .map(({ key, n, body, control }) => ({ key, n, body, control })),
      )
    })
  }

  async renew(
    owner: InstanceId,
    held: readonly Held[],
    leaseMs: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['renew']> {
    return step(signal, () =>
      ok(
        held.flatMap(({ tenant, session, fencingToken }) => {
          const stored = this.#find({ tenant, session })
          if (!stored || stored.owner !== owner || stored.fencingToken !== fencingToken) return []
          stored.leaseUntil = leaseMs > 0 ? now() + leaseMs : -Infinity
          return [
            { tenant, session, fencingToken, messages: stored.messages, controls: stored.controls },
          ]
        }),
      ),
    )
  }

  async takeover(
    owner: InstanceId,
    { marginMs, leaseMs, limit, suspects, trial, held = [] }: Takeover,
    signal: AbortSignal,
  ): Outcome<TakenOver> {
    return step(signal, () => {
      this.#owners.add(owner)
      const mine = new Map(held.map((one) => [keyOf(one), one.fencingToken]))
      const free = (stored: StoredSession): boolean => {
        if (stored.setAside !== undefined) return false
        if (stored.owner === undefined)
          return !atRest(stored) || (stored.parked && stored.due <= Date.now())
        if (stored.owner === owner && mine.get(keyOf(stored.ref)) === stored.fencingToken)
          return false
        return marginMs < 0 ? stored.owner !== owner : stored.leaseUntil < now() - marginMs
      }
      const isSuspect = (stored: StoredSession): boolean =>
        stored.owner !== undefined && stored.owner !== owner && stored.leaseUntil > -Infinity
      const lapsed = [...this.#sessions.values()].filter(free)
      const lost = lapsed.filter(isSuspect)
      const { sessions, alone } = chosen(lost, suspects, trial)
      const taken = [
        ...lapsed.filter((stored) => !isSuspect(stored)).slice(0, limit),
        ...sessions,
      ].map((stored): AcquiredLease => {
        const suspect = isSuspect(stored)
        const convicted = suspect && stored.trial
        if (suspect) stored.crashes++
        else if (stored.leaseUntil === -Infinity) stored.crashes = 0
        stored.trial = suspect && (stored.trial || alone)
        own(stored, owner, leaseMs)
        return { ...leaseRow(stored), suspect, convicted, trial: stored.trial }
      })
      return ok({ leases: taken, suspects: lost.length })
    })
  }

  async acquit(held: Held, crashes: number, signal: AbortSignal): Outcome<void> {
    return step(signal, () => {
      const stored = this.#held(held)
      if (stored) Object.assign(stored, { trial: false, crashes })
      return ok(undefined)
    })
  }

  async setAside(held: Held, why: SetAside, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const stored = this.#held(held)
      if (!stored) return ok(false)
      Object.assign(stored, {
        setAside: JSON.stringify(why),
        owner: undefined,
        trial: false,
        status: 'active',
        updatedAt: Date.now(),
      })
      this.#tell(stored)
      return ok(true)
    })
  }

  async troubled(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    limit: number,
    signal: AbortSignal,
  ): Outcome<readonly SessionRow[]> {
    return step(signal, () => {
      const isTroubled = (stored: StoredSession): boolean =>
        stored.ref.tenant === tenant && (stored.setAside !== undefined || stored.unknownEffects > 0)
      const sessions = [...this.#sessions.values()].filter(
        (stored) =>
          isTroubled(stored) && (principal === undefined || stored.principal === principal),
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
    const { limit, cursor, principal, subagents = false } = page
    return step(signal, () => {
      const before = cursor === undefined ? Infinity : Number(cursor)
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
        return err(
          failure('VALIDATION_ERROR', 'cursor: is none that a list of sessions gave', {
            status: 400,
          }),
        )
      const listed = (stored: StoredSession): boolean =>
        stored.ref.tenant === tenant &&
        stored.used < before &&
        (principal === undefined || stored.principal === principal) &&
        (subagents || subagentOf(stored) === undefined) &&
        matchesPage(stored, page)
      const sessions = [...this.#sessions.values()].filter(listed).sort((a, b) => b.used - a.used)
      const listedNow = sessions.slice(0, limit)
      return ok({
        rows: listedNow.map(sessionRow),
        next: sessions.length > limit ? listedNow.at(-1)?.used.toString() : undefined,
      })
    })
  }

  async waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Outcome<number> {
    const waits = (stored: StoredSession): boolean =>
      stored.ref.tenant === tenant &&
      stored.parked &&
      LISTED_KINDS.includes(stored.kind) &&
      (principal === undefined || stored.principal === principal) &&
      subagentOf(stored) === undefined
    return step(signal, () => ok([...this.#sessions.values()].filter(waits).length))
  }

  async create(ref: SessionRef, create: Creation, signal: AbortSignal): Outcome<Created> {
    return step(signal, () => {
      const there = this.#find(ref)
      const stored = there ?? this.#make(newSession(ref, AT_REST, create))
      if (!stored) return err(this.#full())
      if (!there) this.#use(stored)
      return ok({ fresh: !there, request: stored.request })
    })
  }

  async totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): ReturnType<SessionStore['totals']> {
    return step(signal, () =>
      ok(
        totalsOf(
          [...this.#sessions.values()].filter(
            (stored) =>
              stored.ref.tenant === tenant &&
              (principal === undefined || stored.principal === principal),
          ),
        ),
      ),
    )
  }

  async row(ref: SessionRef, signal: AbortSignal): Outcome<SessionRow | undefined> {
    return this.#of(ref, signal, sessionRow)
  }

  async update(ref: SessionRef, change: Change, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const stored = this.#find(ref)
      if (!stored) return ok(false)
      stored.title = change.title ?? stored.title
      stored.tags = change.tags ? [...change.tags] : stored.tags
      stored.meta = change.meta ?? stored.meta
      return ok(true)
    })
  }

  async remove(ref: SessionRef, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const stored = this.#find(ref)
      if (!stored || !atRest(stored) || this.#needed(stored)) return ok(false)
      this.#drop(stored)
      return ok(true)
    })
  }

  async fork(
    parent: SessionRef,
    child: SessionId,
    at: number,
    create: SessionSeed,
    signal: AbortSignal,
  ): Outcome<boolean> {
    return step(signal, () => {
      const from = this.#find(parent)
      if (!from || from.status === 'expired' || at < 0 || at > from.head) return ok(false)
      const ref = { tenant: parent.tenant, session: child }
      const there = this.#find(ref)
      if (there) return ok(there.parent === parent.session && there.forkedAt === at)
      const begun = { kind: from.kind, ...defined(create) }
      const made = this.#make(newSession(ref, AT_REST, begun, { parent: parent.session, at }))
      if (!made) return err(this.#full())
      if (at > 0) this.#forks.add(made)
      this.#use(made)
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
      const due = this.#quiet('active').filter(({ ref, kind, updatedAt }) => {
        const { idleMs } = keepTimeOf(retention, ref.tenant, kind)
        return idleMs !== undefined && updatedAt < time - idleMs
      })
      const idle = due.slice(0, limit)
      for (const stored of idle) Object.assign(stored, { status: 'idle', idleAt: time })
      this.#forgetKeys(time)
      return ok(idle.map(({ ref }) => ref))
    })
  }

  async overdue(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['overdue']> {
    return step(signal, () => {
      const time = Date.now()
      const due = this.#quiet('idle').filter((stored) => {
        const { expireMs } = keepTimeOf(retention, stored.ref.tenant, stored.kind)
        if (expireMs === undefined || this.#needed(stored)) return false
        const keptMs = stored.parked ? Math.max(expireMs, this.#options.parkedTtlMs) : expireMs
        return stored.idleAt < time - keptMs
      })
      return ok(due.slice(0, limit).map(({ ref, head }) => ({ ...ref, head })))
    })
  }

  async expire(
    sessions: readonly OverdueSession[],
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    return step(signal, () => {
      const quiet = new Set(this.#quiet('idle'))
      const expired = sessions.flatMap(({ tenant, session, head }) => {
        const stored = this.#find({ tenant, session })
        const isSame = stored && quiet.has(stored) && stored.head === head
        return isSame && !this.#needed(stored) ? [stored] : []
      })
      for (const stored of expired) {
        Object.assign(stored, {
          status: 'expired',
          state: AT_REST,
          parked: false,
          due: Infinity,
          entries: [],
        })
        stored.inbox.clear()
        this.#forks.delete(stored)
        this.#expired.add(keyOf(stored.ref))
      }
      return ok(expired.map(({ ref }) => ref))
    })
  }

  /** Sessions of this status that nobody owns, and in which nothing waits. */
  #quiet(status: SessionRow['status']): readonly StoredSession[] {
    return [...this.#sessions.values()].filter(
      (stored) =>
        stored.status === status &&
        stored.owner === undefined &&
        stored.messages === 0 &&
        stored.controls === 0 &&
        stored.setAside === undefined,
    )
  }

  #forgetKeys(time: number): void {
    for (const { inbox } of this.#sessions.values()) {
      for (const { key, taken, at } of inbox.values())
        if (taken && at < time - this.#options.keyTtlMs) inbox.delete(key)
    }
  }

  watch(heard: (ref: SessionRef) => void): () => void {
    const watcher = (ref: SessionRef): void => heard(ref)
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
    }
  }

  #write(
    stored: StoredSession,
    {
      entries,
      key,
      state,
      acknowledged,
      erase,
      end,
      due = Infinity,
      leaseMs,
      progress,
      add,
      model,
      provider,
      ended,
    }: Commit,
  ): void {
    if (progress) Object.assign(stored, { crashes: 0, trial: false })
    stored.unknownEffects = Math.max(0, stored.unknownEffects + (add.unknown ?? 0))
    stored.entries.push(
      ...entries.map(({ body, sealed }, at) => ({
        seq: stored.head + at + 1,
        body,
        ...(sealed !== undefined && { sealed }),
      })),
    )
    for (const seq of erase) {
      const at = seq - (stored.forkedAt ?? 0) - 1
      const entry = stored.entries[at]
      if (entry) stored.entries[at] = { seq, body: entry.body }
    }
    stored.head += entries.length
    stored.lastKey = key
    stored.state = state
    stored.messages -= take(stored, acknowledged.messages)
    stored.controls -= take(stored, acknowledged.controls)
    if (end !== 'hold') stored.parked = end === 'park'
    stored.due = end === 'park' ? due : Infinity
    const keeps = end === 'hold' || stored.controls > 0 || (end === 'end' && stored.messages > 0)
    stored.owner = keeps ? stored.owner : undefined
    stored.leaseUntil = now() + leaseMs
    stored.messageCount += add.messages
    stored.inputTokens += add.input
    stored.outputTokens += add.output
    if (add.cost !== undefined) stored.cost = (stored.cost ?? 0) + add.cost
    stored.model = model ?? stored.model
    stored.provider = provider ?? stored.provider
    stored.lastEnd = ended ?? stored.lastEnd
    this.#use(stored)
    this.#tell(stored)
  }

  #sharedOf(tenant: TenantId): readonly SharedValue[] {
    return [...(this.#shared.get(tenant)?.values() ?? [])]
  }

  /** Changes all of them, or none where one has another version. */
  #share({ tenant, shared = [] }: Pick<Commit, 'tenant' | 'shared'>): boolean {
    const values = this.#shared.get(tenant) ?? new Map<string, SharedValue>()
    const isAsSeen = ({ name, base }: SharedChange): boolean =>
      (values.get(name)?.version ?? 0) === base
    if (!shared.every(isAsSeen)) return false
    for (const { name, base, value } of shared) values.set(name, { name, version: base + 1, value })
    if (shared.length === 0) return true
    this.#shared.set(tenant, values)
    this.#tell({ ref: { tenant, session: ANY_SESSION } })
    return true
  }

  #find(ref: SessionRef): StoredSession | undefined {
    return this.#sessions.get(keyOf(ref))
  }

  #held({ tenant, session, fencingToken }: Held): StoredSession | undefined {
    const stored = this.#find({ tenant, session })
    return stored?.owner !== undefined && stored.fencingToken === fencingToken ? stored : undefined
  }

  async #of<T>(
    ref: SessionRef,
    signal: AbortSignal,
    read: (stored: StoredSession) => T,
  ): Outcome<T | undefined> {
    return step(signal, () => {
      const stored = this.#find(ref)
      return ok(stored && read(stored))
    })
  }

  /** Marks it as the most recently used. */
  #use(stored: StoredSession): void {
    const key = keyOf(stored.ref)
    stored.updatedAt = Date.now()
    stored.used = ++this.#uses
    this.#sessions.delete(key)
    this.#sessions.set(key, stored)
  }

  /**
   * Adds a session; when the limit is reached, evicts the oldest that is expired, or at rest.
   */
  #make(stored: StoredSession): StoredSession | undefined {
    if (this.#sessions.size >= this.#options.maxSessions) {
      const [gone] = this.#expired
      const old = gone === undefined ? this.#oldestAtRest(stored.parent) : this.#sessions.get(gone)
      if (!old) return undefined
      this.#drop(old)
    }
    this.#sessions.set(keyOf(stored.ref), stored)
    return stored
  }

  #oldestAtRest(but: SessionId | undefined): StoredSession | undefined {
    for (const stored of this.#sessions.values()) {
      if (atRest(stored) && !stored.parked && stored.ref.session !== but && !this.#needed(stored))
        return stored
    }
    return undefined
  }

  #drop(stored: StoredSession): void {
    this.#sessions.delete(keyOf(stored.ref))
    this.#expired.delete(keyOf(stored.ref))
    this.#forks.delete(stored)
  }

  /** Whether a fork shows its entries. */
  #needed({ ref }: StoredSession): boolean {
    for (const fork of this.#forks)
      if (fork.parent === ref.session && fork.ref.tenant === ref.tenant) return true
    return false
  }

  #full(): Failure {
    const { maxSessions } = this.#options
    return failure(
      'STORE_FAILED',
      `all ${maxSessions} sessions that sessions-memory may keep are in use: raise maxSessions, or keep them in a database`,
    )
  }

  /** There are no other instances to notify. */
  #tell({ ref }: Pick<StoredSession, 'ref'>): void {
    if (this.#owners.size < 2) return
    for (const heard of this.#watchers) queueMicrotask(() => heard(ref))
  }
}

/** Up to this many sessions with crashes are tried one by one. */
const FEW = 8

/** Chooses which sessions of lost owners are resumed next, like the statement of `sessions`. */
function chosen(
  lost: readonly StoredSession[],
  most: number,
  trial: boolean,
): { readonly sessions: readonly StoredSession[]; readonly alone: boolean } {
  const convicted = lost.filter((stored) => stored.trial).slice(0, most)
  const fresh = lost.filter(({ crashes, trial: tried }) => crashes === 0 && !tried)
  if (fresh.length > 0) return { sessions: [...convicted, ...fresh.slice(0, most)], alone: false }
  const struck = lost
    .filter((stored) => !stored.trial)
    .sort((a, b) => a.crashes - b.crashes || a.leaseUntil - b.leaseUntil)
  if (struck.length > FEW)
    return { sessions: [...convicted, ...struck.slice(0, Math.min(most, FEW))], alone: false }
  return {
    sessions: [...convicted, ...struck.slice(0, trial ? Math.min(most, 1) : 0)],
    alone: true,
  }
}

function own(stored: StoredSession, owner: InstanceId, leaseMs: number): void {
  stored.owner = owner
  stored.fencingToken++
  stored.leaseUntil = now() + leaseMs
}

const verdictOf = (
  { fencingToken, owner, messages, controls }: StoredSession,
  commit: Commit,
): CommitVerdict => ({
  verdict: 'ok',
  mine: fencingToken === commit.fencingToken,
  released: owner === undefined,
  messages,
  controls,
})

/** Fails when the caller's signal is aborted, before anything is done. */
function step<T>(signal: AbortSignal, work: () => Result<T, Failure>): Result<T, Failure> {
  if (!signal.aborted) return work()
  const details = { aborted: true, connection: true }
  return err(
    failure('STORE_FAILED', `nobody waits for the sessions any more: ${messageOf(signal.reason)}`, {
      details,
      cause: signal.reason,
    }),
  )
}
