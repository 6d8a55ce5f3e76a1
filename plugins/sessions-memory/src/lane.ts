import type {
  Creation,
  InboxItem,
  InstanceId,
  LaneRef,
  LaneRow,
  LastEnd,
  SessionId,
  SessionRow,
  StoredEntry,
} from '@amodal/sdk'

/** An inbox item; taken ones stay for a while, so that their key counts as a repetition. */
export interface Item extends InboxItem {
  taken: boolean
  readonly at: number
}

/** A session: its lane, its row, its own entries and its inbox. */
export interface Lane {
  readonly ref: LaneRef
  head: number
  fence: number
  owner: InstanceId | undefined
  /** Monotonic ms. */
  leaseUntil: number
  lastKey: string | undefined
  messages: number
  controls: number
  parked: boolean
  /** Owners that were lost since it last made progress. */
  crashes: number
  /** It runs alone, so that a crash says whose fault it is. */
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
  /** Digest of the request that made it. */
  readonly request: string | undefined
  readonly createdAt: number
  updatedAt: number
  idleAt: number
  /** A number of its own for every use: the order of the list. */
  used: number
  /** Its own entries; the first one follows `forkedAt`. */
  entries: StoredEntry[]
  readonly inbox: Map<string, Item>
}

export interface Create {
  readonly principal: string
  readonly title: string
  readonly meta: string
}

export function newLane(
  ref: LaneRef,
  state: string,
  create: Create & Pick<Creation, 'tags' | 'request'>,
  from?: { readonly parent: SessionId; readonly at: number },
): Lane {
  const now = Date.now()
  return {
    ref: { tenant: ref.tenant, session: ref.session },
    head: from?.at ?? 0,
    fence: 0,
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

export function laneRow({
  ref,
  head,
  fence,
  owner,
  messages,
  controls,
  parked,
  state,
  status,
  crashes,
  setAside,
}: Lane): LaneRow {
  return {
    ...ref,
    head,
    fence,
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

export function sessionRow(lane: Lane): SessionRow {
  const {
    ref,
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
  } = lane
  const { parent, forkedAt, createdAt, updatedAt, head, state, meta, setAside, unknownEffects } =
    lane
  return {
    session: ref.session,
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
  }
}

/** Nobody is at it, and nothing waits that anybody may take. */
export const atRest = ({ owner, messages, controls, parked, setAside }: Lane): boolean =>
  owner === undefined && controls === 0 && (messages === 0 || parked) && setAside === undefined

/** Takes items; the number of those that were there and not taken before. */
export function take({ inbox }: Lane, keys: readonly string[]): number {
  let taken = 0
  for (const key of keys) {
    const item = inbox.get(key)
    if (!item || item.taken) continue
    item.taken = true
    taken++
  }
  return taken
}
