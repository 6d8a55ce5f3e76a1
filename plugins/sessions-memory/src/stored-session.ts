import type {
  Creation,
  InboxItem,
  InstanceId,
  SessionRef,
  SessionRecord,
  LastEnd,
  Page,
  SessionId,
  SessionKind,
  SessionRow,
  SessionStanding,
  StoredEntry,
} from '@amodal/sdk'
import { IDLE } from '@amodal/sdk/loop'

/** State of a session without a run, as JSON. */
export const IDLE_STATE = JSON.stringify(IDLE)

/** An inbox item; acknowledged ones are retained for a while, so that their key is recognised. */
export interface Item extends InboxItem {
  isAcknowledged: boolean
  readonly at: number
}

/** A session: its lease, its row, its own entries and its inbox. */
export interface StoredSession {
  readonly ref: SessionRef
  head: number
  fencingToken: number
  owner: InstanceId | undefined
  /** Monotonic ms. */
  leaseUntil: number
  lastKey: string | undefined
  messages: number
  controls: number
  parked: boolean
  /** Owners that were lost since it last made progress. */
  crashes: number
  /** It runs alone, so that a crash can be attributed to it. */
  trial: boolean
  /** JSON of a `SetAside`. */
  setAside: string | undefined
  unknownEffects: number
  /** ms since the epoch. */
  due: number
  state: string
  status: SessionRow['status']
  title: string
  tags: readonly string[]
  readonly principal: string
  readonly kind: SessionKind
  messageCount: number
  inputTokens: number
  outputTokens: number
  cost: number | undefined
  model: string | undefined
  provider: string | undefined
  lastEnd: LastEnd | undefined
  readonly parent: SessionId | undefined
  readonly forkedAt: number | undefined
  meta: string
  /** Digest of the request that created it. */
  readonly request: string | undefined
  readonly createdAt: number
  updatedAt: number
  idleAt: number
  /** A unique, growing number set on every use; it orders the list. */
  used: number
  /** Its own entries; the first one follows `forkedAt`. */
  entries: StoredEntry[]
  readonly inbox: Map<string, Item>
}

export function newSession(
  ref: SessionRef,
  state: string,
  create: Creation,
  from?: { readonly parent: SessionId; readonly at: number },
): StoredSession {
  const now = Date.now()
  return {
    ref: { tenant: ref.tenant, session: ref.session },
    head: from?.at ?? 0,
    fencingToken: 0,
    owner: undefined,
    leaseUntil: 0,
    lastKey: undefined,
    messages: 0,
    controls: 0,
    parked: false,
    due: Infinity,
    crashes: 0,
    trial: false,
    setAside: undefined,
    unknownEffects: 0,
    state,
    status: 'active',
    title: create.title,
    tags: [...(create.tags ?? [])],
    principal: create.principal,
    kind: create.kind ?? 'chat',
    messageCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: undefined,
    model: undefined,
    provider: undefined,
    lastEnd: undefined,
    parent: from?.parent,
    forkedAt: from?.at,
    meta: create.meta,
    request: create.request,
    createdAt: now,
    updatedAt: now,
    idleAt: 0,
    used: 0,
    entries: [],
    inbox: new Map(),
  }
}

export function sessionRecordOf({
  ref,
  head,
  fencingToken,
  owner,
  messages,
  controls,
  parked,
  state,
  status,
  crashes,
  setAside,
}: StoredSession): SessionRecord {
  return {
    ...ref,
    head,
    fencingToken,
    owner,
    messages,
    controls,
    parked,
    state,
    status,
    crashes,
    at: Date.now(),
    ...(setAside !== undefined && { setAside }),
  }
}

export function sessionRow(stored: StoredSession): SessionRow {
  const {
    ref,
    title,
    tags,
    principal,
    kind,
    status,
    messageCount,
    inputTokens,
    outputTokens,
    cost,
    model,
    provider,
    lastEnd,
  } = stored
  const { parent, forkedAt, createdAt, updatedAt, head, state, meta, setAside, unknownEffects } =
    stored
  const standing = standingOf(stored)
  return {
    session: ref.session,
    kind,
    title,
    tags,
    principal,
    status,
    messageCount,
    inputTokens,
    outputTokens,
    cost,
    model,
    provider,
    lastEnd,
    parent,
    forkedAt,
    createdAt,
    updatedAt,
    head,
    state,
    meta,
    unknownEffects,
    ...(setAside !== undefined && { setAside }),
    ...(standing !== undefined && { standing }),
  }
}

/** Where a session stands; see {@link SessionStanding}. */
export function standingOf(stored: StoredSession): SessionStanding | undefined {
  const { setAside, parked, owner, messages, lastEnd, status } = stored
  if (setAside !== undefined) return 'set_aside'
  if (parked) return 'waiting'
  if (owner !== undefined || messages > 0) return 'running'
  if (lastEnd?.reason === 'error') return 'failed'
  return lastEnd !== undefined && status !== 'expired' ? 'done' : undefined
}

/** Whether a session matches the filters of a list, apart from its principal. */
export function matchesPage(stored: StoredSession, page: Page): boolean {
  const { waiting, tags = [], kinds, search, standing, model } = page
  const { from = -Infinity, to = Infinity } = page
  return (
    (waiting === undefined || stored.parked === waiting) &&
    (kinds === undefined || kinds.includes(stored.kind)) &&
    tags.every((tag) => stored.tags.includes(tag)) &&
    (search === undefined || isFound(stored, search)) &&
    (standing === undefined || standingOf(stored) === standing) &&
    (model === undefined || stored.model === model) &&
    stored.updatedAt >= from &&
    stored.updatedAt < to
  )
}

const isFound = ({ title, ref }: StoredSession, text: string): boolean =>
  title.includes(text) ||
  title.toLowerCase().includes(text.toLowerCase()) ||
  ref.session.startsWith(text)

/** Whether an inbox item can be processed: while the run waits for a person, only a control can. */
export const hasWork = ({ messages, controls, parked }: StoredSession): boolean =>
  controls > 0 || (messages > 0 && !parked)

/**
 * Whether no instance owns it, nothing waits for which one may claim it, and no person has to
 * decide about it.
 */
export const isUnclaimed = (stored: StoredSession): boolean =>
  stored.owner === undefined && stored.setAside === undefined && !hasWork(stored)

/** Acknowledges items; returns how many existed and were not acknowledged before. */
export function acknowledge({ inbox }: StoredSession, keys: readonly string[]): number {
  let count = 0
  for (const key of keys) {
    const item = inbox.get(key)
    if (!item || item.isAcknowledged) continue
    item.isAcknowledged = true
    count++
  }
  return count
}

/** Now, in the time of {@link StoredSession.leaseUntil}. */
export const monotonicMs = (): number => performance.now()

export function acquireLease(stored: StoredSession, owner: InstanceId, leaseMs: number): void {
  stored.owner = owner
  stored.fencingToken++
  stored.leaseUntil = monotonicMs() + leaseMs
}
