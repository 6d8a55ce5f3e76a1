import type { Code, Failure } from '../errors.ts'
import type { InstanceId, PrincipalId, SessionId, TenantId } from '../ids.ts'
import type { Result } from '../result.ts'
import { slot } from '../token.ts'
import type { DoneReason } from '../events.ts'
import type { StoredEntry } from '../journal/entry.ts'

export interface LaneRef {
  readonly tenant: TenantId
  readonly session: SessionId
}

/**
 * One thing to put into an inbox. The same key again changes nothing and answers with the lane as
 * it is.
 */
export interface Accept extends LaneRef {
  readonly key: string
  /** JSON of an `InboxBody`. */
  readonly body: string
  readonly control: boolean
  readonly owner: InstanceId
  readonly leaseMs: number
  /** `false`: an idle lane is not claimed; the item waits until somebody looks for work. */
  readonly claims?: boolean
  /** Resumes a session that was set aside: its crashes are forgotten. */
  readonly resumes?: boolean
  /**
   * ms since the epoch on the store's clock, from which on nothing is written: what it answers has
   * expired.
   */
  readonly until?: number
  /** Messages that may wait besides the one that is worked on; one more is refused. */
  readonly most?: number
  /** Of a session that nothing was said in and that has none yet. */
  readonly title?: string
  /**
   * Written when the lane is new; without it an unknown session is refused (`fresh: false`, no
   * lane).
   */
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
  /** It came after `until`. */
  readonly late?: true
  /** There are `most` messages before it. */
  readonly full?: true
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
  /** Owners that were lost with this lane since it last made progress. */
  readonly crashes: number
  /** JSON of a {@link SetAside}: nobody claims or takes over this lane until a person decides. */
  readonly setAside?: string
  /** ms since the epoch on the store's clock, when this was read. */
  readonly at: number
}

/** Why a session is not continued by itself. */
export interface SetAside {
  readonly code: Code
  readonly message: string
  readonly crashes: number
  /** ms since the epoch. */
  readonly at: number
}

/** What one look for work may take. */
export interface Takeover {
  /**
   * A lease must have lapsed by so many ms. Below 0: every lane of other owners, allowed only to
   * the process that alone reaches the storage.
   */
  readonly marginMs: number
  readonly leaseMs: number
  /** At most so many lanes that were handed over, or have work that nobody took. */
  readonly limit: number
  /** At most so many lanes whose owner was lost. Each counts a crash when it is taken. */
  readonly suspects: number
  /**
   * Whether a lane that has been lost before may be taken for a trial: alone, so that another crash
   * says whose fault it is.
   */
  readonly trial: boolean
  /**
   * Lanes that this owner works on are its own, however long their leases have lapsed: a process
   * that slept takes nothing over from itself.
   */
  readonly held?: readonly Held[]
}

/** A lane that was taken over. */
export interface TakenLane extends LaneRow {
  /** Its owner was lost. */
  readonly suspect: boolean
  /** It is on trial until it makes progress or is acquitted. */
  readonly trial: boolean
  /** Its owner was lost during its trial. */
  readonly convicted: boolean
}

/** `suspects`: lanes of lost owners that there were, those that were taken included. */
export interface TakenOver {
  readonly lanes: readonly TakenLane[]
  readonly suspects: number
}

/**
 * How a commit leaves the lane: kept, ended (released when nothing is pending), or parked for a
 * person.
 */
export type CommitEnd = 'hold' | 'end' | 'park'

/**
 * All that one commit point writes of one session, in one transaction, fenced and repeatable by
 * `key`.
 */
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
  /** ms since the epoch on the store's clock: a lane that this parks has work from then on. */
  readonly due?: number
  readonly leaseMs: number
  /** The run got further than it ever was: its crashes are forgotten. */
  readonly progress: boolean
  /** Added to the session's row: the number of messages, tokens. */
  readonly add: {
    readonly messages: number
    readonly input: number
    readonly output: number
    /** Billionths of a dollar. */
    readonly cost?: number
    /** Effects of unknown outcome; below 0: settled ones. */
    readonly unknown?: number
  }
  readonly model?: string
  readonly provider?: string
  /** How the run ended that this commit ends. */
  readonly ended?: LastEnd
}

export type CommitVerdict =
  /**
   * Written now or by an earlier try. Without `mine` another owner has the lane: no further
   * effects. `released`: nobody owns it now.
   */
  | {
      readonly verdict: 'ok'
      readonly mine: boolean
      readonly released: boolean
      readonly messages: number
      readonly controls: number
    }
  /**
   * Another owner has it, or the head moved under the same fence (a defect): nothing was written.
   */
  | { readonly verdict: 'fenced' | 'gap' }

export interface InboxItem {
  readonly key: string
  readonly n: number
  readonly body: string
  readonly control: boolean
}

/** How a run ended; `at` is ms since the epoch. */
export interface LastEnd {
  readonly reason: DoneReason
  readonly at: number
  readonly code?: string
  readonly message?: string
}

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
  readonly provider: string | undefined
  /** How its last run ended. */
  readonly lastEnd: LastEnd | undefined
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
  /** JSON of a {@link SetAside}. */
  readonly setAside?: string
  /** Effects whose outcome is unknown and that nobody has settled. */
  readonly unknownEffects: number
}

export interface Held extends LaneRef {
  readonly fence: number
}
/** What waits in a lane that is still held. */
export interface Renewed extends Held {
  readonly messages: number
  readonly controls: number
}

/**
 * `principal`: only sessions that they began. `subagents`: also those of sub-agents, which belong
 * to others. `waiting`: only those that wait for a person, or do not. `tags`: only those that have
 * all of them.
 */
export interface Page {
  readonly limit: number
  readonly cursor?: string
  readonly principal?: PrincipalId
  readonly subagents?: boolean
  readonly waiting?: boolean
  readonly tags?: readonly string[]
}
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  readonly next: string | undefined
}

/** `request`: digest of what was asked for, where the same may be asked for again. */
export interface Creation extends NonNullable<Accept['create']> {
  readonly tags?: readonly string[]
  readonly request?: string
}
/** `fresh`: it was made now. `request`: of whoever made it. */
export interface Created {
  readonly fresh: boolean
  readonly request: string | undefined
}

/** What some of the sessions came to; `name` is what they have in common. */
export interface TotalsOf {
  readonly name: string
  readonly sessions: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number | undefined
}

/** Key in the `meta` of a sub-agent's session that has its name. */
export const SUBAGENT_META = 'subagent'

/**
 * What sessions came to, all together, by the model they used last, and by the sub-agent whose they
 * are.
 */
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
 * Storage of lanes, journals and inboxes. It knows nothing of loops: every rule about *what* is
 * written is in `kernel/src/journal`. Methods never throw; `STORE_FAILED` means nothing is known
 * about the write.
 */
export interface SessionStore {
  accept(item: Accept, signal: AbortSignal): Promise<Result<Accepted, Failure>>
  /** Several calls may share one statement; each gets its own verdict. */
  commit(commit: Commit, signal: AbortSignal): Promise<Result<CommitVerdict, Failure>>
  lane(ref: LaneRef, signal: AbortSignal): Promise<Result<LaneRow | undefined, Failure>>
  /** Entries after `after`, oldest first, those of a fork's parent included. */
  entries(
    ref: LaneRef,
    range: { readonly after: number; readonly upto?: number; readonly limit?: number },
    signal: AbortSignal,
  ): Promise<Result<readonly StoredEntry[], Failure>>
  inbox(ref: LaneRef, signal: AbortSignal): Promise<Result<readonly InboxItem[], Failure>>
  /**
   * Prolongs the leases of lanes that this owner still holds; answers with those, and what waits in
   * them.
   */
  renew(
    owner: InstanceId,
    held: readonly Held[],
    leaseMs: number,
    signal: AbortSignal,
  ): Promise<Result<readonly Renewed[], Failure>>
  /**
   * Takes over lanes whose lease lapsed, those with the fewest crashes first, and unowned lanes
   * with work waiting, or due. Never one that is set aside.
   */
  takeover(
    owner: InstanceId,
    how: Takeover,
    signal: AbortSignal,
  ): Promise<Result<TakenOver, Failure>>
  /** Ends the trial of a lane that is still held, with so many crashes against it. */
  acquit(held: Held, crashes: number, signal: AbortSignal): Promise<Result<void, Failure>>
  /**
   * Releases a lane that is still held, for a person to decide about. `false`: it is not held any
   * more.
   */
  setAside(held: Held, why: SetAside, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /**
   * Sessions that are set aside or have effects of unknown outcome, those of sub-agents included;
   * the newest first.
   */
  troubled(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    limit: number,
    signal: AbortSignal,
  ): Promise<Result<readonly SessionRow[], Failure>>
  /**
   * `true` while one process alone can reach this storage, so that its boot may take every lease at
   * once.
   */
  readonly exclusive: boolean
  list(tenant: TenantId, page: Page, signal: AbortSignal): Promise<Result<SessionPage, Failure>>
  /** How many sessions wait for a person, those of sub-agents left out. */
  waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<number, Failure>>
  /** A new session that nothing was said in; the same again changes nothing. */
  create(ref: LaneRef, create: Creation, signal: AbortSignal): Promise<Result<Created, Failure>>
  /** Sessions that were removed do not count. */
  totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<SessionTotals, Failure>>
  row(ref: LaneRef, signal: AbortSignal): Promise<Result<SessionRow | undefined, Failure>>
  update(
    ref: LaneRef,
    change: { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: string },
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /** Refused (`false`) while a run is active or a fork needs its entries. */
  remove(ref: LaneRef, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /** A new session that shares the parent's entries up to `at`. */
  fork(
    parent: LaneRef,
    child: SessionId,
    at: number,
    create: NonNullable<Accept['create']>,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /**
   * Two steps: active → idle after `ttlMs`, idle → expired (history deleted, row kept) after as
   * long again.
   */
  expire(
    ttlMs: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<
    Result<{ readonly idle: readonly LaneRef[]; readonly expired: readonly LaneRef[] }, Failure>
  >
  /** Tells of sessions that changed, on any instance; the returned function ends it. */
  watch(heard: (ref: LaneRef) => void): () => void
}

export const SessionStore = slot.kernel<SessionStore>('session-store')
