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
  type LaneRef,
  type LaneRow,
  type PrincipalId,
  type Result,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type SetAside,
  type StoredEntry,
  type TakenLane,
  type TakenOver,
  type Takeover,
  type TenantId,
} from '@amodal/sdk'
import { IDLE } from '@amodal/sdk/loop'
import { atRest, type Create, laneRow, newLane, sessionRow, take, type Lane } from './lane.ts'
import { subagentOf, totalsOf } from './totals.ts'

export interface MemoryOptions {
  /** Sessions kept at most. */
  readonly maxSessions: number
  /** ms a session that waits for a person is kept, where the time to live is shorter. */
  readonly parkedTtlMs: number
  /** ms for which the key of an answered item still counts as a repetition. */
  readonly keyTtlMs: number
}

type Outcome<T> = Promise<Result<T, Failure>>
type Range = Parameters<SessionStore['entries']>[1]
type Page = Parameters<SessionStore['list']>[1]
type Change = Parameters<SessionStore['update']>[1]

const AT_REST = JSON.stringify(IDLE)
const keyOf = ({ tenant, session }: LaneRef): string => `${tenant}\0${session}`
const now = (): number => performance.now()

/** Lanes, journals and inboxes in this process. Every method is one uninterrupted step. */
export class MemorySessions implements SessionStore {
  readonly exclusive = true
  readonly #options: MemoryOptions
  /** Least recently used first. */
  readonly #lanes = new Map<string, Lane>()
  readonly #expired = new Set<string>()
  /** Those that show entries of another one. */
  readonly #forks = new Set<Lane>()
  readonly #watchers = new Set<(ref: LaneRef) => void>()
  readonly #owners = new Set<InstanceId>()
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
        return ok({ fresh: false, claimed: false, lane: laneRow(known) })
      const earlier = known?.inbox.get(key)
      if (known && earlier)
        return ok({ fresh: false, claimed: false, earlier: earlier.body, lane: laneRow(known) })
      if (known && Date.now() >= until)
        return ok({ fresh: false, claimed: false, late: true, lane: laneRow(known) })
      // The one whose run has begun without a commit does not wait.
      const room = most + (known?.owner !== undefined && known.state === AT_REST ? 1 : 0)
      if (known && known.messages >= room)
        return ok({ fresh: false, claimed: false, full: true, lane: laneRow(known) })
      if (!known && !create) return ok({ fresh: false, claimed: false })
      const lane = known ?? (create && this.#make(newLane(item, AT_REST, create)))
      if (!lane) return err(this.#full())
      lane.inbox.set(key, { key, n: ++this.#items, body, control, taken: false, at: Date.now() })
      lane[control ? 'controls' : 'messages']++
      lane.status = 'active'
      if (lane.title === '' && lane.head === 0) lane.title = title
      if (resumes) Object.assign(lane, { setAside: undefined, crashes: 0, trial: false })
      const claimed =
        claims &&
        lane.owner === undefined &&
        lane.setAside === undefined &&
        (control || !lane.parked)
      if (claimed) own(lane, owner, leaseMs)
      this.#use(lane)
      if (lane.owner !== undefined && lane.owner !== owner) this.#tell(lane)
      return ok({ fresh: true, claimed, lane: laneRow(lane) })
    })
  }

  async commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict> {
    return step(signal, () => {
      const lane = this.#find(commit)
      if (lane && lane.lastKey === commit.key) return ok(said(lane, commit))
      if (!lane || lane.fence !== commit.fence || lane.owner === undefined)
        return ok({ verdict: 'fenced' })
      if (lane.head !== commit.base) return ok({ verdict: 'gap' })
      this.#write(lane, commit)
      return ok(said(lane, commit))
    })
  }

  async lane(ref: LaneRef, signal: AbortSignal): Outcome<LaneRow | undefined> {
    return this.#of(ref, signal, laneRow)
  }

  async entries(
    ref: LaneRef,
    { after, upto, limit }: Range,
    signal: AbortSignal,
  ): Outcome<readonly StoredEntry[]> {
    return step(signal, () => {
      const found: StoredEntry[][] = []
      let most = upto ?? Infinity
      for (
        let lane = this.#find(ref);
        lane && most > after;
        lane = lane.parent && this.#find({ tenant: ref.tenant, session: lane.parent })
      ) {
        const first = lane.forkedAt ?? 0
        found.unshift(lane.entries.slice(Math.max(0, after - first), Math.max(0, most - first)))
        most = Math.min(most, first)
      }
      return ok(found.flat().slice(0, limit))
    })
  }

  async inbox(ref: LaneRef, signal: AbortSignal): Outcome<readonly InboxItem[]> {
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
        held.flatMap(({ tenant, session, fence }) => {
          const lane = this.#find({ tenant, session })
          if (!lane || lane.owner !== owner || lane.fence !== fence) return []
          lane.leaseUntil = leaseMs > 0 ? now() + leaseMs : -Infinity
          return [{ tenant, session, fence, messages: lane.messages, controls: lane.controls }]
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
      const mine = new Map(held.map((one) => [keyOf(one), one.fence]))
      const free = (lane: Lane): boolean => {
        if (lane.setAside !== undefined) return false
        if (lane.owner === undefined)
          return !atRest(lane) || (lane.parked && lane.due <= Date.now())
        if (lane.owner === owner && mine.get(keyOf(lane.ref)) === lane.fence) return false
        return marginMs < 0 ? lane.owner !== owner : lane.leaseUntil < now() - marginMs
      }
      const isSuspect = (lane: Lane): boolean =>
        lane.owner !== undefined && lane.owner !== owner && lane.leaseUntil > -Infinity
      const lapsed = [...this.#lanes.values()].filter(free)
      const lost = lapsed.filter(isSuspect)
      const { lanes, alone } = chosen(lost, suspects, trial)
      const taken = [...lapsed.filter((lane) => !isSuspect(lane)).slice(0, limit), ...lanes].map(
        (lane): TakenLane => {
          const suspect = isSuspect(lane)
          const convicted = suspect && lane.trial
          if (suspect) lane.crashes++
          else if (lane.leaseUntil === -Infinity) lane.crashes = 0
          lane.trial = suspect && (lane.trial || alone)
          own(lane, owner, leaseMs)
          return { ...laneRow(lane), suspect, convicted, trial: lane.trial }
        },
      )
      return ok({ lanes: taken, suspects: lost.length })
    })
  }

  async acquit(held: Held, crashes: number, signal: AbortSignal): Outcome<void> {
    return step(signal, () => {
      const lane = this.#held(held)
      if (lane) Object.assign(lane, { trial: false, crashes })
      return ok(undefined)
    })
  }

  async setAside(held: Held, why: SetAside, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const lane = this.#held(held)
      if (!lane) return ok(false)
      Object.assign(lane, {
        setAside: JSON.stringify(why),
        owner: undefined,
        trial: false,
        status: 'active',
        updatedAt: Date.now(),
      })
      this.#tell(lane)
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
      const isTroubled = (lane: Lane): boolean =>
        lane.ref.tenant === tenant && (lane.setAside !== undefined || lane.unknownEffects > 0)
      const lanes = [...this.#lanes.values()].filter(
        (lane) => isTroubled(lane) && (principal === undefined || lane.principal === principal),
      )
      return ok(
        lanes
          .sort((a, b) => b.used - a.used)
          .slice(0, limit)
          .map(sessionRow),
      )
    })
  }

  async list(
    tenant: TenantId,
    { limit, cursor, principal, subagents = false, waiting, tags = [] }: Page,
    signal: AbortSignal,
  ): ReturnType<SessionStore['list']> {
    return step(signal, () => {
      const before =
        cursor === undefined ? Infinity : /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined
      if (before === undefined)
        return err(
          failure('VALIDATION_ERROR', 'cursor: is none that a list of sessions gave', {
            status: 400,
          }),
        )
      const listed = (lane: Lane): boolean =>
        lane.ref.tenant === tenant &&
        lane.used < before &&
        (principal === undefined || lane.principal === principal) &&
        (subagents || subagentOf(lane) === undefined) &&
        (waiting === undefined || lane.parked === waiting) &&
        tags.every((tag) => lane.tags.includes(tag))
      const lanes = [...this.#lanes.values()].filter(listed).sort((a, b) => b.used - a.used)
      const page = lanes.slice(0, limit)
      return ok({
        rows: page.map(sessionRow),
        next: lanes.length > limit ? page.at(-1)?.used.toString() : undefined,
      })
    })
  }

  async waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Outcome<number> {
    const waits = (lane: Lane): boolean =>
      lane.ref.tenant === tenant &&
      lane.parked &&
      (principal === undefined || lane.principal === principal) &&
      subagentOf(lane) === undefined
    return step(signal, () => ok([...this.#lanes.values()].filter(waits).length))
  }

  async create(ref: LaneRef, create: Creation, signal: AbortSignal): Outcome<Created> {
    return step(signal, () => {
      const there = this.#find(ref)
      const lane = there ?? this.#make(newLane(ref, AT_REST, create))
      if (!lane) return err(this.#full())
      if (!there) this.#use(lane)
      return ok({ fresh: !there, request: lane.request })
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
          [...this.#lanes.values()].filter(
            (lane) =>
              lane.ref.tenant === tenant &&
              (principal === undefined || lane.principal === principal),
          ),
        ),
      ),
    )
  }

  async row(ref: LaneRef, signal: AbortSignal): Outcome<SessionRow | undefined> {
    return this.#of(ref, signal, sessionRow)
  }

  async update(ref: LaneRef, change: Change, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const lane = this.#find(ref)
      if (!lane) return ok(false)
      lane.title = change.title ?? lane.title
      lane.tags = change.tags ? [...change.tags] : lane.tags
      lane.meta = change.meta ?? lane.meta
      return ok(true)
    })
  }

  async remove(ref: LaneRef, signal: AbortSignal): Outcome<boolean> {
    return step(signal, () => {
      const lane = this.#find(ref)
      if (!lane || !atRest(lane) || this.#needed(lane)) return ok(false)
      this.#drop(lane)
      return ok(true)
    })
  }

  async fork(
    parent: LaneRef,
    child: SessionId,
    at: number,
    create: Create,
    signal: AbortSignal,
  ): Outcome<boolean> {
    return step(signal, () => {
      const from = this.#find(parent)
      if (!from || from.status === 'expired' || at < 0 || at > from.head) return ok(false)
      const ref = { tenant: parent.tenant, session: child }
      const there = this.#find(ref)
      if (there) return ok(there.parent === parent.session && there.forkedAt === at)
      const made = this.#make(newLane(ref, AT_REST, create, { parent: parent.session, at }))
      if (!made) return err(this.#full())
      if (at > 0) this.#forks.add(made)
      this.#use(made)
      return ok(true)
    })
  }

  async expire(
    ttlMs: number,
    limit: number,
    signal: AbortSignal,
  ): ReturnType<SessionStore['expire']> {
    return step(signal, () => {
      const { parkedTtlMs, keyTtlMs } = this.#options
      const time = Date.now()
      const quiet = [...this.#lanes.values()].filter(
        ({ owner, messages, controls, setAside }) =>
          owner === undefined && messages === 0 && controls === 0 && setAside === undefined,
      )
      const over = ({ idleAt, parked }: Lane): boolean =>
        idleAt < time - (parked ? Math.max(ttlMs, parkedTtlMs) : ttlMs)
      const expired = quiet
        .filter((lane) => lane.status === 'idle' && over(lane) && !this.#needed(lane))
        .slice(0, limit)
      const idle = quiet
        .filter(({ status, updatedAt }) => status === 'active' && updatedAt < time - ttlMs)
        .slice(0, limit)
      for (const lane of expired) {
        Object.assign(lane, {
          status: 'expired',
          state: AT_REST,
          parked: false,
          due: Infinity,
          entries: [],
        })
        lane.inbox.clear()
        this.#forks.delete(lane)
        this.#expired.add(keyOf(lane.ref))
      }
      for (const lane of idle) Object.assign(lane, { status: 'idle', idleAt: time })
      for (const { inbox } of this.#lanes.values()) {
        for (const { key, taken, at } of inbox.values())
          if (taken && at < time - keyTtlMs) inbox.delete(key)
      }
      return ok({ idle: idle.map(({ ref }) => ref), expired: expired.map(({ ref }) => ref) })
    })
  }

  watch(heard: (ref: LaneRef) => void): () => void {
    const watcher = (ref: LaneRef): void => heard(ref)
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
    }
  }

  #write(
    lane: Lane,
    {
      entries,
      key,
      state,
      took,
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
    if (progress) Object.assign(lane, { crashes: 0, trial: false })
    lane.unknownEffects = Math.max(0, lane.unknownEffects + (add.unknown ?? 0))
    lane.entries.push(
      ...entries.map(({ body, sealed }, at) => ({
        seq: lane.head + at + 1,
        body,
        ...(sealed !== undefined && { sealed }),
      })),
    )
    for (const seq of erase) {
      const at = seq - (lane.forkedAt ?? 0) - 1
      const entry = lane.entries[at]
      if (entry) lane.entries[at] = { seq, body: entry.body }
    }
    lane.head += entries.length
    lane.lastKey = key
    lane.state = state
    lane.messages -= take(lane, took.messages)
    lane.controls -= take(lane, took.controls)
    if (end !== 'hold') lane.parked = end === 'park'
    lane.due = end === 'park' ? due : Infinity
    const keeps = end === 'hold' || lane.controls > 0 || (end === 'end' && lane.messages > 0)
    lane.owner = keeps ? lane.owner : undefined
    lane.leaseUntil = now() + leaseMs
    lane.messageCount += add.messages
    lane.inputTokens += add.input
    lane.outputTokens += add.output
    if (add.cost !== undefined) lane.cost = (lane.cost ?? 0) + add.cost
    lane.model = model ?? lane.model
    lane.provider = provider ?? lane.provider
    lane.lastEnd = ended ?? lane.lastEnd
    this.#use(lane)
    this.#tell(lane)
  }

  #find(ref: LaneRef): Lane | undefined {
    return this.#lanes.get(keyOf(ref))
  }

  #held({ tenant, session, fence }: Held): Lane | undefined {
    const lane = this.#find({ tenant, session })
    return lane?.owner !== undefined && lane.fence === fence ? lane : undefined
  }

  async #of<T>(ref: LaneRef, signal: AbortSignal, read: (lane: Lane) => T): Outcome<T | undefined> {
    return step(signal, () => {
      const lane = this.#find(ref)
      return ok(lane && read(lane))
    })
  }

  /** Moves it behind all others. */
  #use(lane: Lane): void {
    const key = keyOf(lane.ref)
    lane.updatedAt = Date.now()
    lane.used = ++this.#uses
    this.#lanes.delete(key)
    this.#lanes.set(key, lane)
  }

  /**
   * Keeps a new session; where there is no room, instead of the oldest that is expired, or at rest.
   */
  #make(lane: Lane): Lane | undefined {
    if (this.#lanes.size >= this.#options.maxSessions) {
      const [gone] = this.#expired
      const old = gone === undefined ? this.#oldestAtRest(lane.parent) : this.#lanes.get(gone)
      if (!old) return undefined
      this.#drop(old)
    }
    this.#lanes.set(keyOf(lane.ref), lane)
    return lane
  }

  #oldestAtRest(but: SessionId | undefined): Lane | undefined {
    for (const lane of this.#lanes.values()) {
      if (atRest(lane) && !lane.parked && lane.ref.session !== but && !this.#needed(lane))
        return lane
    }
    return undefined
  }

  #drop(lane: Lane): void {
    this.#lanes.delete(keyOf(lane.ref))
    this.#expired.delete(keyOf(lane.ref))
    this.#forks.delete(lane)
  }

  /** A fork shows its entries. */
  #needed({ ref }: Lane): boolean {
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

  /** An instance that is alone has nobody to tell. */
  #tell({ ref }: Lane): void {
    if (this.#owners.size < 2) return
    for (const heard of this.#watchers) queueMicrotask(() => heard(ref))
  }
}

/** So many lanes with crashes, and fewer, are tried one by one. */
const FEW = 8

/** Which lanes of lost owners go on next, as the statement of `sessions` chooses them. */
function chosen(
  lost: readonly Lane[],
  most: number,
  trial: boolean,
): { readonly lanes: readonly Lane[]; readonly alone: boolean } {
  const convicted = lost.filter((lane) => lane.trial).slice(0, most)
  const fresh = lost.filter(({ crashes, trial: tried }) => crashes === 0 && !tried)
  if (fresh.length > 0) return { lanes: [...convicted, ...fresh.slice(0, most)], alone: false }
  const struck = lost
    .filter((lane) => !lane.trial)
    .sort((a, b) => a.crashes - b.crashes || a.leaseUntil - b.leaseUntil)
  if (struck.length > FEW)
    return { lanes: [...convicted, ...struck.slice(0, Math.min(most, FEW))], alone: false }
  return { lanes: [...convicted, ...struck.slice(0, trial ? Math.min(most, 1) : 0)], alone: true }
}

function own(lane: Lane, owner: InstanceId, leaseMs: number): void {
  lane.owner = owner
  lane.fence++
  lane.leaseUntil = now() + leaseMs
}

const said = ({ fence, owner, messages, controls }: Lane, commit: Commit): CommitVerdict => ({
  verdict: 'ok',
  mine: fence === commit.fence,
  released: owner === undefined,
  messages,
  controls,
})

/** Who has left is told so; nothing is done for them. */
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
