import type { DoneReason } from '../events.ts'
import type { Failure } from '../errors.ts'
import type { SessionId, TenantId } from '../ids.ts'
import type { Json } from '../json.ts'
import type { Result } from '../result.ts'

export interface SessionRef {
  readonly tenant: TenantId
  readonly session: SessionId
}

export interface InboxItem {
  readonly key: string
  readonly n: number
  readonly body: string
  readonly control: boolean
}

/** A value that all sessions of a tenant share; `version`: how often it has changed. */
export interface SharedValue {
  readonly name: string
  readonly version: number
  readonly value: Json
}

/** Changes a shared value that has changed so often, and no more. */
export interface SharedChange {
  readonly name: string
  readonly base: number
  readonly value: Json
}

/** How a run ended; `at` is ms since the epoch. */
export interface LastEnd {
  readonly reason: DoneReason
  readonly at: number
  readonly code?: string
  readonly message?: string
}

/**
 * How a commit leaves the session: kept, ended (released when nothing is pending), or parked for a
 * person.
 */
export type CommitEnd = 'hold' | 'end' | 'park'

/**
 * All that one commit point writes of one session, in one transaction, guarded by the fencing token
 * and repeatable by `key`.
 */
export interface Commit extends SessionRef {
  readonly fencingToken: number
  /** The head it builds on. */
  readonly base: number
  /** Client-made; repeating a commit with its key is safe. */
  readonly key: string
  readonly state: string
  readonly entries: readonly { readonly body: string; readonly sealed?: string }[]
  /** Keys of inbox items that these entries answer. */
  readonly acknowledged: {
    readonly messages: readonly string[]
    readonly controls: readonly string[]
  }
  /** Seqs whose sealed part is not needed any more. */
  readonly erase: readonly number[]
  readonly end: CommitEnd
  /** ms since the epoch on the store's clock: a session that this parks has work from then on. */
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
  /** Shared values that it changes; all of it is refused where one has changed meanwhile. */
  readonly shared?: readonly SharedChange[]
}

export type CommitVerdict =
  /**
   * Written now or by an earlier try. Without `mine` another owner has the session: no further
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
   * Another owner has it, or the head moved under the same fencing token (a defect): nothing was
   * written.
   */
  | { readonly verdict: 'fenced' | 'gap' }
  /**
   * A shared value has changed meanwhile; nothing was written. `shared`: those of the tenant now.
   */
  | { readonly verdict: 'conflict'; readonly shared: readonly SharedValue[] }

/**
 * Where the journal of a session is written, and all that the kernel asks of a storage of sessions:
 * its catalogue, inboxes and leases are the business of whoever runs turns. Methods never throw;
 * `STORE_FAILED` means nothing is known about the write.
 */
export interface JournalStore {
  /** Several calls may share one statement; each gets its own verdict. */
  commit(commit: Commit, signal: AbortSignal): Promise<Result<CommitVerdict, Failure>>
}
