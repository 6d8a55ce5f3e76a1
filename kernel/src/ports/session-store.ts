import type { Failure } from '../errors.ts'
import type { InstanceId, PrincipalId, SessionId, TenantId } from '../ids.ts'
import type { Result } from '../result.ts'
import { slot } from '../token.ts'
import type { StoredEntry } from '../journal/entry.ts'

export interface LaneRef { readonly tenant: TenantId; readonly session: SessionId }

/** One thing to put into an inbox. The same key again changes nothing and answers with the lane as it is. */
export interface Accept extends LaneRef {
  readonly key: string
  /** JSON of an `InboxBody`. */
  readonly body: string
  readonly control: boolean
  readonly owner: InstanceId
  readonly leaseMs: number
  /** Written when the lane is new; without it an unknown session is refused (`fresh: false`, no lane). */
  readonly create?: { readonly principal: string; readonly title: string; readonly meta: string }
}

export interface Accepted {
  /** `false`: this key was accepted before. */
  readonly fresh: boolean
  /** Body of the earlier item, where `fresh` is false. */
  readonly earlier?: string
  /** The lane after the accept; absent for an unknown session without `create`. */
  readonly lane?: LaneRow
  /** This accept took the idle lane: the caller must drive it now. */
  readonly claimed: boolean
}

export interface LaneRow extends LaneRef {
  readonly head: number
  readonly fence: number
  readonly owner: InstanceId | undefined
  /** Messages not taken yet. */
  readonly messages: number
  /** Answers and cancels not taken yet. */
  readonly controls: number
  /** Waiting for a person: only controls may claim it. */
  readonly parked: boolean
  /** JSON of a `LaneState`. */
  readonly state: string
  readonly status: 'active' | 'idle' | 'expired'
}

/** How a commit leaves the lane: kept, ended (released when nothing is pending), or parked for a person. */
export type CommitEnd = 'hold' | 'end' | 'park'

/** All that one commit point writes of one session, in one transaction, fenced and repeatable by `key`. */
export interface Commit extends LaneRef {
  readonly fence: number
  /** The head it builds on. */
  readonly base: number
  /** Client-made; repeating a commit with its key is safe. */
  readonly key: string
  readonly state: string
  readonly entries: readonly { readonly body: string; readonly sealed?: string }[]
  /** Keys of inbox items that these entries answer. */
  readonly took: { readonly messages: readonly string[]; readonly controls: readonly string[] }
  /** Seqs whose sealed part is not needed any more. */
  readonly erase: readonly number[]
  readonly end: CommitEnd
  readonly leaseMs: number
  /** Added to the session's row: the number of messages, tokens. */
  readonly add: { readonly messages: number; readonly input: number; readonly output: number; /** Billionths of a dollar. */ readonly cost?: number }
  readonly model?: string
}

export type CommitVerdict =
  /** Written now or by an earlier try. Without `mine` another owner has the lane: no further effects. `released`: nobody owns it now. */
  | { readonly verdict: 'ok'; readonly mine: boolean; readonly released: boolean; readonly messages: number; readonly controls: number }
  /** Another owner has it, or the head moved under the same fence (a defect): nothing was written. */
  | { readonly verdict: 'fenced' | 'gap' }

export interface InboxItem { readonly key: string; readonly n: number; readonly body: string; readonly control: boolean }

export interface SessionRow {
  readonly session: SessionId
  readonly title: string
  readonly tags: readonly string[]
  readonly principal: string
  readonly status: 'active' | 'idle' | 'expired'
  readonly messageCount: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly model: string | undefined
  /** Billionths of a dollar; undefined where no price was known. */
  readonly cost: number | undefined
  readonly parent: SessionId | undefined
  readonly forkedAt: number | undefined
  /** ms since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly head: number
  readonly state: string
  readonly meta: string
}

export interface Held extends LaneRef { readonly fence: number }
/** What waits in a lane that is still held. */
export interface Renewed extends Held { readonly messages: number; readonly controls: number }

/** `principal`: only sessions that they began. */
export interface Page { readonly limit: number; readonly cursor?: string; readonly principal?: PrincipalId }
export interface SessionPage { readonly rows: readonly SessionRow[]; readonly next: string | undefined }

/** What some of the sessions came to; `name` is what they have in common. */
export interface TotalsOf { readonly name: string; readonly sessions: number; readonly inputTokens: number; readonly outputTokens: number; readonly cost: number | undefined }

/** Key in the `meta` of a sub-agent's session that has its name. */
export const SUBAGENT_META = 'subagent'

/** What sessions came to, all together, by the model they used last, and by the sub-agent whose they are. */
export interface SessionTotals {
  readonly sessions: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Billionths of a dollar; undefined where no price was known. */
  readonly cost: number | undefined
  /** ms since the epoch; undefined where there is no session. */
  readonly lastActive: number | undefined
  /** Those with the most tokens first, ten at most. */
  readonly models: readonly TotalsOf[]
  /** The same of sub-agents. */
  readonly agents: readonly TotalsOf[]
}

/**
 * Storage of lanes, journals and inboxes. It knows nothing of loops: every rule about *what* is written
 * is in `kernel/src/journal`. Methods never throw; `STORE_FAILED` means nothing is known about the write.
 */
export interface SessionStore {
  accept(item: Accept, signal: AbortSignal): Promise<Result<Accepted, Failure>>
  /** Several calls may share one statement; each gets its own verdict. */
  commit(commit: Commit, signal: AbortSignal): Promise<Result<CommitVerdict, Failure>>
  lane(ref: LaneRef, signal: AbortSignal): Promise<Result<LaneRow | undefined, Failure>>
  /** Entries after `after`, oldest first, those of a fork's parent included. */
  entries(ref: LaneRef, range: { readonly after: number; readonly upto?: number; readonly limit?: number }, signal: AbortSignal): Promise<Result<readonly StoredEntry[], Failure>>
  inbox(ref: LaneRef, signal: AbortSignal): Promise<Result<readonly InboxItem[], Failure>>
  /** Prolongs the leases of lanes that this owner still holds; answers with those, and what waits in them. */
  renew(owner: InstanceId, held: readonly Held[], leaseMs: number, signal: AbortSignal): Promise<Result<readonly Renewed[], Failure>>
  /**
   * Takes over lanes whose lease lapsed by `marginMs`, and unowned lanes with work waiting.
   * `all`: every owned lane at once, allowed only to the process that holds an embedded database.
   */
  takeover(owner: InstanceId, marginMs: number, leaseMs: number, limit: number, signal: AbortSignal): Promise<Result<readonly LaneRow[], Failure>>
  /** `true` while one process alone can reach this storage, so that its boot may take every lease at once. */
  readonly exclusive: boolean
  list(tenant: TenantId, page: Page, signal: AbortSignal): Promise<Result<SessionPage, Failure>>
  /** Sessions that were removed do not count. */
  totals(tenant: TenantId, principal: PrincipalId | undefined, signal: AbortSignal): Promise<Result<SessionTotals, Failure>>
  row(ref: LaneRef, signal: AbortSignal): Promise<Result<SessionRow | undefined, Failure>>
  update(ref: LaneRef, change: { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: string }, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /** Refused (`false`) while a run is active or a fork needs its entries. */
  remove(ref: LaneRef, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /** A new session that shares the parent's entries up to `at`. */
  fork(parent: LaneRef, child: SessionId, at: number, create: NonNullable<Accept['create']>, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /** Two steps: active → idle after `ttlMs`, idle → expired (history deleted, row kept) after as long again. */
  expire(ttlMs: number, limit: number, signal: AbortSignal): Promise<Result<{ readonly idle: readonly LaneRef[]; readonly expired: readonly LaneRef[] }, Failure>>
  /** Tells of sessions that changed, on any instance; the returned function ends it. */
  watch(heard: (ref: LaneRef) => void): () => void
}

export const SessionStore = slot.kernel<SessionStore>('session-store')
