import {
  sessionId,
  slot,
  type Code,
  type Failure,
  type InboxItem,
  type InstanceId,
  type JournalStore,
  type SessionRef,
  type SharedValue,
  type LastEnd,
  type PrincipalId,
  type Result,
  type SessionId,
  type StoredEntry,
  type TenantId,
} from '@amodal/kernel'
import type { OverdueSession, Retention, SessionKind } from './retention.ts'
import { stateOf } from './run-record.ts'

/**
 * An item to put into an inbox. An item whose key is known changes nothing, and returns the session
 * as it is.
 */
export interface Accept extends SessionRef {
  readonly key: string
  /** JSON of an `InboxBody`. */
  readonly body: string
  readonly control: boolean
  readonly owner: InstanceId
  readonly leaseMs: number
  /** `false`: a session without an owner is not claimed; the item waits for the next takeover. */
  readonly mayClaim?: boolean
  /** Resumes a session that was set aside: its crashes are forgotten. */
  readonly resumes?: boolean
  /**
   * ms since the epoch on the store's clock; from then on nothing is written, because the question
   * has expired.
   */
  readonly expiresAt?: number
  /**
   * The most messages that may wait, not counting the one in progress; further ones are refused.
   */
  readonly maxWaiting?: number
  /** Title of a session without messages that has none yet. */
  readonly title?: string
  /**
   * Written when the session is new; without it an unknown session is refused (`isNew: false`, no
   * session).
   */
  readonly create?: SessionSeed
}

/** What a session begins with. */
export interface SessionSeed {
  readonly principal: string
  readonly title: string
  readonly meta: string
  /** A chat where it is left out; of a fork that of its parent. */
  readonly kind?: SessionKind
}

export interface Accepted {
  /** `false`: this key was accepted before. */
  readonly isNew: boolean
  /** Body of the earlier item, where `isNew` is false. */
  readonly earlier?: string
  /** The session after the accept; absent for an unknown session without `create`. */
  readonly sessionRecord?: SessionRecord
  /** This accept claimed the session, which had no owner: the caller must drive it now. */
  readonly claimed: boolean
  /** It came after `expiresAt`. */
  readonly late?: true
  /** There are `maxWaiting` messages before it. */
  readonly full?: true
}

export interface SessionRecord extends SessionRef {
  readonly head: number
  readonly fencingToken: number
  readonly owner: InstanceId | undefined
  /** Messages that are not acknowledged yet. */
  readonly messages: number
  /** Answers and cancels that are not acknowledged yet. */
  readonly controls: number
  /** The run waits for a person: only controls may claim the session. */
  readonly parked: boolean
  /** JSON of a `StoredState`. */
  readonly state: string
  readonly status: 'active' | 'idle' | 'expired'
  /** Owners that were lost with this session since it last made progress. */
  readonly crashes: number
  /**
   * JSON of a {@link SetAside}: it is neither claimed nor taken over until a person decides.
   */
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

/** Limits of one search for work. */
export interface Takeover {
  /**
   * A lease must have lapsed by so many ms. Below 0: every session of other owners, allowed only to
   * the process that alone reaches the storage.
   */
  readonly marginMs: number
  readonly leaseMs: number
  /** Limit of sessions that were returned by their owner, or have work without an owner. */
  readonly limit: number
  /** Limit of suspects: sessions whose owner was lost. Each counts a crash when it is acquired. */
  readonly maxSuspects: number
  /**
   * Whether a suspect with an earlier crash may be acquired for a trial: alone, so that another
   * crash says whose fault it is.
   */
  readonly trial: boolean
  /**
   * Sessions that this owner still works on; excluded even if their lease has lapsed while the
   * process was suspended.
   */
  readonly held?: readonly HeldSession[]
}

/** A session that was taken over. */
export interface AcquiredSession extends SessionRecord {
  /** Its owner was lost. */
  readonly suspect: boolean
  /** It is on trial until it makes progress or its trial is ended. */
  readonly trial: boolean
  /** Its owner was lost during its trial. */
  readonly convicted: boolean
}

/** `suspectsFound`: the number of sessions of lost owners, acquired ones included. */
export interface TakenOver {
  readonly sessions: readonly AcquiredSession[]
  readonly suspectsFound: number
}

/**
 * Where a session stands, the first that applies: set aside, waiting for a person, a run in
 * progress (or a message that waits for one), the last run failed, it ended. One without a run has
 * none.
 */
export const SESSION_STANDINGS = ['set_aside', 'waiting', 'running', 'failed', 'done'] as const
export type SessionStanding = (typeof SESSION_STANDINGS)[number]

export interface SessionRow {
  readonly session: SessionId
  readonly kind: SessionKind
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
  /** Effects whose outcome is unknown and not settled. */
  readonly unknownEffects: number
  readonly standing?: SessionStanding
}

export interface HeldSession extends SessionRef {
  readonly fencingToken: number
}
/** What waits in a session that is still held. */
export interface RenewedSession extends HeldSession {
  readonly messages: number
  readonly controls: number
}

/**
 * `principal`: only sessions that they began. `subagents`: also those of sub-agents, which belong
 * to others. `waiting`: only those that wait for a person, or do not. `tags`: only those that have
 * all of them. `kinds`: only those that were begun for one of them. `search`: only those whose
 * title has this text, whatever the case of its letters, or whose id begins with it. `standing`:
 * only those that stand there. `model`: only those that used it last. `from`, `to`: only those last
 * used at or after, and before, ms since the epoch.
 */
export interface Page {
  readonly limit: number
  readonly cursor?: string
  readonly principal?: PrincipalId
  readonly subagents?: boolean
  readonly waiting?: boolean
  readonly tags?: readonly string[]
  readonly kinds?: readonly SessionKind[]
  readonly search?: string
  readonly standing?: SessionStanding
  readonly model?: string
  readonly from?: number
  readonly to?: number
}
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  readonly next: string | undefined
}

/** `request`: digest of the request, to recognize a repetition of it. */
export interface Creation extends SessionSeed {
  readonly tags?: readonly string[]
  readonly request?: string
}
/** `isNew`: the session was created now. `request`: the digest of the request that created it. */
export interface Created {
  readonly isNew: boolean
  readonly request: string | undefined
}

/** Totals of a group of sessions; `name`: the name of the group. */
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
 * Totals of sessions: of all, by the model they used last, and by the sub-agent that they belong
 * to.
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
 * Storage of sessions, journals and inboxes, and the catalogue of sessions. It knows nothing of
 * loops: every rule about *what* is written is in `kernel/src/journal`. Methods never throw;
 * `STORE_FAILED` means nothing is known about the write.
 */
export interface SessionStore extends JournalStore {
  accept(item: Accept, signal: AbortSignal): Promise<Result<Accepted, Failure>>
  sessionRecord(
    ref: SessionRef,
    signal: AbortSignal,
  ): Promise<Result<SessionRecord | undefined, Failure>>
  /** Entries after `after`, oldest first, those of a fork's parent included. */
  entries(
    ref: SessionRef,
    range: { readonly after: number; readonly upto?: number; readonly limit?: number },
    signal: AbortSignal,
  ): Promise<Result<readonly StoredEntry[], Failure>>
  inbox(ref: SessionRef, signal: AbortSignal): Promise<Result<readonly InboxItem[], Failure>>
  /**
   * Prolongs the leases of sessions that this owner still holds; answers with those, and what waits
   * in them. With a length of 0 the owner returns them: their leases end now, whatever the margin
   * of a takeover, and no crash is counted.
   */
  renew(
    owner: InstanceId,
    held: readonly HeldSession[],
    leaseMs: number,
    signal: AbortSignal,
  ): Promise<Result<readonly RenewedSession[], Failure>>
  /**
   * Takes over sessions whose lease has lapsed, and sessions without an owner that have work or are
   * due; never one that is set aside. Suspects that were on trial are acquired at once. The others
   * in this order: those without an earlier crash; then, while there are more than eight, up to
   * eight together; then one alone, where a trial is allowed.
   */
  takeover(
    owner: InstanceId,
    how: Takeover,
    signal: AbortSignal,
  ): Promise<Result<TakenOver, Failure>>
  /** Ends the trial of a session that is still held, and stores its crash count. */
  endTrial(held: HeldSession, crashes: number, signal: AbortSignal): Promise<Result<void, Failure>>
  /**
   * Releases a session that is still held, for a person to decide about. `false`: it is not held
   * any more.
   */
  setAside(held: HeldSession, why: SetAside, signal: AbortSignal): Promise<Result<boolean, Failure>>
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
  /** How many sessions of listed kinds wait for a person, those of sub-agents left out. */
  waiting(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<number, Failure>>
  /** Creates a session without messages; repeating it changes nothing. */
  create(ref: SessionRef, create: Creation, signal: AbortSignal): Promise<Result<Created, Failure>>
  /** Totals without removed sessions. */
  totals(
    tenant: TenantId,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<SessionTotals, Failure>>
  row(ref: SessionRef, signal: AbortSignal): Promise<Result<SessionRow | undefined, Failure>>
  update(
    ref: SessionRef,
    change: { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: string },
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /** Refused (`false`) while a run is active or a fork needs its entries. */
  remove(ref: SessionRef, signal: AbortSignal): Promise<Result<boolean, Failure>>
  /** A new session that shares the parent's entries up to `at`. */
  fork(
    parent: SessionRef,
    child: SessionId,
    at: number,
    create: SessionSeed,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /**
   * Sessions without a message for long enough become idle: `limit` of them, the oldest of each
   * tenant first. The first of two steps; the next message takes it back.
   *
   * @returns those that became idle now
   */
  idle(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): Promise<Result<readonly SessionRef[], Failure>>
  /**
   * Idle sessions whose time is over and whose entries no fork shows: `limit` of them. Locks
   * nothing.
   */
  overdue(
    retention: Retention,
    limit: number,
    signal: AbortSignal,
  ): Promise<Result<readonly OverdueSession[], Failure>>
  /**
   * The second step, idle → expired: deletes the history of those that are still as they were, and
   * keeps their rows.
   *
   * @returns those that expired now
   */
  expire(
    sessions: readonly OverdueSession[],
    signal: AbortSignal,
  ): Promise<Result<readonly SessionRef[], Failure>>
  /** The values that all sessions of a tenant share. Commits change them. */
  shared(tenant: TenantId, signal: AbortSignal): Promise<Result<readonly SharedValue[], Failure>>
  /**
   * Calls the listener for sessions that changed on another instance, and with {@link ANY_SESSION}
   * where a shared value did. Returns what removes it.
   */
  watch(listener: (ref: SessionRef) => void): () => void
}

/** Stands for all sessions of a tenant in the notification that shared values have changed. */
export const ANY_SESSION = sessionId('*')

export const SessionStore = slot.kernel<SessionStore>('session-store')

/** Whether no instance owns the session and nothing waits: no more events will be emitted. */
export const isAtRest = (
  sessionRecord: Pick<SessionRecord, 'owner' | 'messages' | 'state'>,
): boolean =>
  sessionRecord.owner === undefined &&
  sessionRecord.messages === 0 &&
  stateOf(sessionRecord).kind === 'idle'
