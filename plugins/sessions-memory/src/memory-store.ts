import {
  ok, err, failure, type Accept, type Accepted, type Commit, type CommitVerdict, type Failure, type Held, type InboxItem, type InstanceId, type LaneRef, type LaneRow,
  type Result, type SessionId, type SessionRow, type SessionStore, type StoredEntry, type TenantId,
} from '@amodal/sdk'

interface Item { readonly key: string; readonly n: number; readonly body: string; readonly control: boolean; taken: boolean; readonly at: number }

interface Session {
  readonly ref: LaneRef
  head: number
  fence: number
  owner: InstanceId | undefined
  leaseUntil: number
  lastKey: string | undefined
  parked: boolean
  state: string
  status: 'active' | 'idle' | 'expired'
  title: string
  tags: readonly string[]
  readonly principal: string
  meta: string
  model: string | undefined
  messageCount: number
  inputTokens: number
  outputTokens: number
  readonly parent: Session | undefined
  readonly forkedAt: number | undefined
  forks: number
  readonly createdAt: number
  updatedAt: number
  readonly inbox: Map<string, Item>
  entries: StoredEntry[]
}

const IDLE = '{"v":1,"kind":"idle"}'

/** Lanes, journals and inboxes in memory. Every method is one tick, so each is a transaction. */
export class MemorySessionStore implements SessionStore {
  readonly exclusive = true
  readonly #sessions = new Map<string, Session>()
  readonly #watchers = new Set<(ref: LaneRef) => void>()
  readonly #max: number
  #items = 0

  constructor(maxSessions: number) { this.#max = maxSessions }

  accept(item: Accept, signal: AbortSignal): Promise<Result<Accepted, Failure>> {
    return this.#now(signal, () => {
      const session = this.#find(item) ?? (item.create ? this.#create(item, item.create) : undefined)
      if (!session) return { fresh: false, claimed: false }
      const known = session.inbox.get(item.key)
      if (known) return { fresh: false, earlier: known.body, lane: rowOf(session), claimed: false }
      if (session.status === 'expired') return { fresh: false, lane: rowOf(session), claimed: false }
      session.inbox.set(item.key, { key: item.key, n: ++this.#items, body: item.body, control: item.control, taken: false, at: Date.now() })
      session.status = 'active'
      session.updatedAt = Date.now()
      const claimed = session.owner === undefined && (item.control || !session.parked)
      if (claimed) this.#own(session, item.owner, item.leaseMs)
      this.#tell(session)
      return { fresh: true, lane: rowOf(session), claimed }
    })
  }

  commit(commit: Commit, signal: AbortSignal): Promise<Result<CommitVerdict, Failure>> {
    return this.#now(signal, () => {
      const session = this.#find(commit)
      if (!session || session.fence !== commit.fence) return session?.lastKey === commit.key ? this.#verdict(session, commit) : { verdict: 'fenced' }
      if (session.lastKey === commit.key) return this.#verdict(session, commit)
      if (session.head !== commit.base) return { verdict: 'gap' }
      for (const entry of commit.entries) session.entries.push({ seq: ++session.head, ...entry })
      session.entries = commit.erase.length === 0 ? session.entries : session.entries.map(({ sealed, ...entry }) => (sealed === undefined || commit.erase.includes(entry.seq) ? entry : { ...entry, sealed }))
      for (const key of [...commit.took.messages, ...commit.took.controls]) { const item = session.inbox.get(key); if (item) item.taken = true }
      session.lastKey = commit.key
      session.state = commit.state
      session.messageCount += commit.add.messages
      session.inputTokens += commit.add.input
      session.outputTokens += commit.add.output
      session.model = commit.model ?? session.model
      session.updatedAt = Date.now()
      const { messages, controls } = waiting(session)
      if (commit.end !== 'hold') session.parked = commit.end === 'park'
      if ((commit.end === 'end' && messages + controls === 0) || (commit.end === 'park' && controls === 0)) session.owner = undefined
      else session.leaseUntil = Date.now() + commit.leaseMs
      this.#tell(session)
      return this.#verdict(session, commit)
    })
  }

  lane(ref: LaneRef, signal: AbortSignal): Promise<Result<LaneRow | undefined, Failure>> {
    return this.#now(signal, () => { const session = this.#find(ref); return session && rowOf(session) })
  }

  entries(ref: LaneRef, { after, upto = Infinity, limit = Infinity }: { readonly after: number; readonly upto?: number; readonly limit?: number }, signal: AbortSignal): Promise<Result<readonly StoredEntry[], Failure>> {
    return this.#now(signal, () => entriesOf(this.#find(ref), after, upto).slice(0, limit))
  }

  inbox(ref: LaneRef, signal: AbortSignal): Promise<Result<readonly InboxItem[], Failure>> {
    return this.#now(signal, () => [...this.#find(ref)?.inbox.values() ?? []].filter(({ taken }) => !taken).map(({ key, n, body, control }) => ({ key, n, body, control })))
  }

  renew(owner: InstanceId, held: readonly Held[], leaseMs: number, signal: AbortSignal): Promise<Result<readonly (Held & { readonly messages: number; readonly controls: number })[], Failure>> {
    return this.#now(signal, () => held.flatMap((one) => {
      const session = this.#find(one)
      if (!session || session.owner !== owner || session.fence !== one.fence) return []
      session.leaseUntil = Date.now() + leaseMs
      return [{ ...one, ...waiting(session) }]
    }))
  }

  takeover(owner: InstanceId, marginMs: number, leaseMs: number, limit: number, signal: AbortSignal): Promise<Result<readonly LaneRow[], Failure>> {
    return this.#now(signal, () => [...this.#sessions.values()].filter((session) => {
      const { messages, controls } = waiting(session)
      if (session.owner === undefined) return controls > 0 || (messages > 0 && !session.parked)
      return marginMs < 0 ? session.owner !== owner : session.leaseUntil < Date.now() - marginMs
    }).slice(0, limit).map((session) => {
      this.#own(session, owner, leaseMs)
      return rowOf(session)
    }))
  }

  list(tenant: TenantId, { limit, cursor }: { readonly limit: number; readonly cursor?: string }, signal: AbortSignal): Promise<Result<{ readonly rows: readonly SessionRow[]; readonly next: string | undefined }, Failure>> {
    return this.#now(signal, () => {
      const place = (session: Session): string => `${String(session.updatedAt).padStart(16, '0')} ${session.ref.session}`
      const all = [...this.#sessions.values()].filter(({ ref }) => ref.tenant === tenant).sort((a, b) => (place(a) < place(b) ? 1 : -1))
      const rest = cursor === undefined ? all : all.filter((session) => place(session) < cursor)
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      return { rows: page.map(sessionRow), next: rest.length > page.length && last ? place(last) : undefined }
    })
  }

  row(ref: LaneRef, signal: AbortSignal): Promise<Result<SessionRow | undefined, Failure>> {
    return this.#now(signal, () => { const session = this.#find(ref); return session && sessionRow(session) })
  }

  update(ref: LaneRef, { title, tags, meta }: { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: string }, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return this.#now(signal, () => {
      const session = this.#find(ref)
      if (!session) return false
      session.title = title ?? session.title
      session.tags = tags ?? session.tags
      session.meta = meta ?? session.meta
      session.updatedAt = Date.now()
      this.#tell(session)
      return true
    })
  }

  remove(ref: LaneRef, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return this.#now(signal, () => {
      const session = this.#find(ref)
      if (!session || session.owner !== undefined || session.forks > 0) return false
      if (session.parent) session.parent.forks--
      this.#tell(session)
      return this.#sessions.delete(keyOf(ref))
    })
  }

  fork(parent: LaneRef, child: SessionId, at: number, create: NonNullable<Accept['create']>, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return this.#now(signal, () => {
      const source = this.#find(parent)
      if (!source || source.status === 'expired' || at > source.head) return false
      const made = this.#create({ tenant: parent.tenant, session: child }, create, source, at)
      made.head = at
      source.forks++
      return true
    })
  }

  expire(ttlMs: number, limit: number, signal: AbortSignal): Promise<Result<{ readonly idle: readonly LaneRef[]; readonly expired: readonly LaneRef[] }, Failure>> {
    return this.#now(signal, () => {
      const quiet = [...this.#sessions.values()].filter((session) => session.owner === undefined && waiting(session).messages + waiting(session).controls === 0)
      const idle = quiet.filter(({ status, updatedAt }) => status === 'active' && updatedAt < Date.now() - ttlMs).slice(0, limit)
      const expired = quiet.filter(({ status, updatedAt }) => status === 'idle' && updatedAt < Date.now() - 2 * ttlMs).slice(0, limit)
      for (const session of idle) session.status = 'idle'
      for (const session of expired) {
        session.status = 'expired'
        session.state = IDLE
        session.parked = false
        session.inbox.clear()
        if (session.forks === 0) session.entries = []
      }
      return { idle: idle.map(({ ref }) => ref), expired: expired.map(({ ref }) => ref) }
    })
  }

  watch(heard: (ref: LaneRef) => void): () => void {
    this.#watchers.add(heard)
    return () => { this.#watchers.delete(heard) }
  }

  clear(): void {
    this.#sessions.clear()
    this.#watchers.clear()
  }

  #find(ref: LaneRef): Session | undefined { return this.#sessions.get(keyOf(ref)) }

  #create({ tenant, session }: LaneRef, { principal, title, meta }: NonNullable<Accept['create']>, parent?: Session, forkedAt?: number): Session {
    this.#makeRoom()
    const now = Date.now()
    const made: Session = {
      ref: { tenant, session }, head: 0, fence: 0, owner: undefined, leaseUntil: 0, lastKey: undefined, parked: false, state: IDLE, status: 'active',
      title, tags: [], principal, meta, model: undefined, messageCount: 0, inputTokens: 0, outputTokens: 0, parent, forkedAt, forks: 0,
      createdAt: now, updatedAt: now, inbox: new Map(), entries: [],
    }
    this.#sessions.set(keyOf(made.ref), made)
    return made
  }

  /** Drops what has expired, and past the cap the idle sessions that were quiet the longest. */
  #makeRoom(): void {
    if (this.#sessions.size < this.#max) return
    const free = [...this.#sessions.values()].filter(({ owner, forks, parked }) => owner === undefined && forks === 0 && !parked).sort((a, b) => a.updatedAt - b.updatedAt)
    for (const session of free.slice(0, 1 + this.#sessions.size - this.#max)) this.#sessions.delete(keyOf(session.ref))
  }

  #own(session: Session, owner: InstanceId, leaseMs: number): void {
    session.owner = owner
    session.fence++
    session.leaseUntil = Date.now() + leaseMs
  }

  #verdict(session: Session, commit: Commit): CommitVerdict {
    return { verdict: 'ok', mine: session.fence === commit.fence, released: session.owner === undefined && session.fence === commit.fence, ...waiting(session) }
  }

  #tell({ ref }: Session): void { for (const heard of this.#watchers) heard(ref) }

  #now<T>(signal: AbortSignal, work: () => T): Promise<Result<T, Failure>> {
    return Promise.resolve(signal.aborted ? err(failure('STORE_FAILED', 'the request was aborted')) : ok(work()))
  }
}

const keyOf = ({ tenant, session }: LaneRef): string => `${tenant}\0${session}`

function waiting(session: Session): { readonly messages: number; readonly controls: number } {
  let messages = 0
  let controls = 0
  for (const { taken, control } of session.inbox.values()) {
    if (taken) continue
    if (control) controls++
    else messages++
  }
  return { messages, controls }
}

/** A fork shares its parent's entries up to where it began. */
function entriesOf(session: Session | undefined, after: number, upto: number): readonly StoredEntry[] {
  if (!session) return []
  const inherited = session.parent ? entriesOf(session.parent, after, Math.min(upto, session.forkedAt ?? 0)).map(({ seq, body }) => ({ seq, body })) : []
  return [...inherited, ...session.entries.filter(({ seq }) => seq > after && seq <= upto)]
}

function rowOf(session: Session): LaneRow {
  const { ref, head, fence, owner, parked, state, status } = session
  return { ...ref, head, fence, owner, parked, state, status, ...waiting(session) }
}

function sessionRow(session: Session): SessionRow {
  const { ref, title, tags, principal, status, messageCount, inputTokens, outputTokens, model, parent, forkedAt, createdAt, updatedAt, head, state, meta } = session
  return { session: ref.session, title, tags, principal, status, messageCount, inputTokens, outputTokens, model, parent: parent?.ref.session, forkedAt, createdAt, updatedAt, head, state, meta }
}
