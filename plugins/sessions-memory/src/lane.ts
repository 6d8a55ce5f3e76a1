import type { InboxItem, InstanceId, LaneRef, LaneRow, SessionId, SessionRow, StoredEntry } from '@amodal/sdk'

/** An inbox item; taken ones stay for a while, so that their key counts as a repetition. */
export interface Item extends InboxItem { taken: boolean; readonly at: number }

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
  readonly parent: SessionId | undefined
  readonly forkedAt: number | undefined
  meta: string
  readonly createdAt: number
  updatedAt: number
  idleAt: number
  /** A number of its own for every use: the order of the list. */
  used: number
  /** Its own entries; the first one follows `forkedAt`. */
  entries: StoredEntry[]
  readonly inbox: Map<string, Item>
}

export interface Create { readonly principal: string; readonly title: string; readonly meta: string }

export function newLane(ref: LaneRef, state: string, create: Create, from?: { readonly parent: SessionId; readonly at: number }): Lane {
  const now = Date.now()
  return {
    ref: { tenant: ref.tenant, session: ref.session }, head: from?.at ?? 0, fence: 0, owner: undefined, leaseUntil: 0, lastKey: undefined,
    messages: 0, controls: 0, parked: false, state, status: 'active', title: create.title, tags: [], principal: create.principal,
    messageCount: 0, inputTokens: 0, outputTokens: 0, cost: undefined, model: undefined, parent: from?.parent, forkedAt: from?.at, meta: create.meta,
    createdAt: now, updatedAt: now, idleAt: 0, used: 0, entries: [], inbox: new Map(),
  }
}

export function laneRow({ ref, head, fence, owner, messages, controls, parked, state, status }: Lane): LaneRow {
  return { ...ref, head, fence, owner, messages, controls, parked, state, status }
}

export function sessionRow(lane: Lane): SessionRow {
  const { ref, title, tags, principal, status, messageCount, inputTokens, outputTokens, cost, model, parent, forkedAt, createdAt, updatedAt, head, state, meta } = lane
  return { session: ref.session, title, tags, principal, status, messageCount, inputTokens, outputTokens, cost, model, parent, forkedAt, createdAt, updatedAt, head, state, meta }
}

/** Nobody is at it, and nothing waits that anybody may take. */
export const atRest = ({ owner, messages, controls, parked }: Lane): boolean => owner === undefined && controls === 0 && (messages === 0 || parked)

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
