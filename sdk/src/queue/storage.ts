import type { Failure, Result } from '@amodal/kernel'
import type {
  DeadJob,
  DeadPage,
  Job,
  JobCancel,
  JobCounts,
  JobRetries,
  PublishedJob,
  QueueOverview,
  TransactionRun,
} from '../ports/queue.ts'
import type { CheckedJob } from './checked-job.ts'

/** One claim of a job. The fence counts the claims of a job, so a later claim has another fence. */
export interface ClaimRef {
  readonly id: string
  readonly queue: string
  readonly fence: number
}

/** A job as it was claimed. */
export interface Claimed extends ClaimRef, Omit<Job, 'attempt' | 'last'> {
  /** Attempts that counted, before this one. */
  readonly attempts: number
  /** Workers that were lost with it. */
  readonly lost: number
  /** It was cancelled while a worker had it that is lost. */
  readonly cancelling: boolean
  readonly retries: JobRetries
  readonly attemptMs?: number
}

/** What becomes of a claimed job. A job that was cancelled meanwhile ends with any of them. */
export type Settlement =
  | { readonly to: 'done' }
  | {
      readonly to: 'again'
      /** ms since the epoch. */
      readonly due: number
      /** Attempts that count, this one included where it does. */
      readonly attempts: number
      readonly reason: string
    }
  | { readonly to: 'dead'; readonly attempts: number; readonly reason: string }

/** What a worker may take of its queue. */
export interface Want {
  readonly queue: string
  readonly limit: number
  /** Active jobs of one tenant, of all workers. */
  readonly perTenant?: number
  /** Active jobs of a lane of one tenant, by the name of the lane. */
  readonly perLane: Readonly<Record<string, number>>
}

export interface Claim {
  readonly wants: readonly Want[]
  /** ms since the epoch: what is due then may be claimed. */
  readonly now: number
}

export interface ClaimResult {
  readonly jobs: readonly Claimed[]
  /** ms since the epoch, when the next delayed job of these queues is due. */
  readonly nextDue?: number
}

/**
 * Storage of jobs and of their claims. The provider decides which jobs are claimed together, and
 * guarantees that none is claimed twice; `StoredQueue` runs the claimed jobs. Times are ms since
 * the epoch of the Clock slot; only leases use the clock of the storage.
 */
export interface QueueStorage {
  /** ms for which claims hold without a {@link beat}; no end where owners cannot die. */
  readonly leaseMs: number
  insert(
    jobs: readonly CheckedJob[],
    now: number,
    signal: AbortSignal,
  ): Promise<Result<readonly PublishedJob[], Failure>>
  readonly insertIn?: (
    run: TransactionRun,
    jobs: readonly CheckedJob[],
    now: number,
  ) => Promise<readonly PublishedJob[]>
  /**
   * Takes over what belongs to lost workers, and claims. Extends the lease where it claims.
   *
   * The tenant with the fewest active jobs of the queue is next; tenants that are even take turns.
   * Within a tenant the highest priority is next, then the lane with the fewest active jobs.
   */
  claim(claim: Claim, signal: AbortSignal): Promise<Result<ClaimResult, Failure>>
  /** Extends the lease. Answers with what is still claimed by this process. */
  beat(
    signal: AbortSignal,
  ): Promise<Result<readonly (ClaimRef & { readonly cancelling: boolean })[], Failure>>
  /** `false`: the claim is lost, and nothing changed. */
  settle(
    claim: Claimed,
    settlement: Settlement,
    now: number,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  counts(
    queue: string | undefined,
    now: number,
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, JobCounts>, Failure>>
  readonly overview?: (now: number, signal: AbortSignal) => Promise<Result<QueueOverview, Failure>>
  dead(
    queue: string,
    page: DeadPage,
    signal: AbortSignal,
  ): Promise<Result<{ readonly jobs: readonly DeadJob[]; readonly next?: string }, Failure>>
  redrive(
    queue: string,
    ids: readonly string[] | 'all',
    now: number,
    signal: AbortSignal,
  ): Promise<Result<number, Failure>>
  cancel(
    queue: string,
    id: string,
    now: number,
    signal: AbortSignal,
  ): Promise<Result<JobCancel, Failure>>
  /** Forgets jobs that are done or cancelled since `endedBefore`, and dead since `deadBefore`. */
  prune(
    before: { readonly endedBefore: number; readonly deadBefore: number },
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
  /**
   * Has `wake` called when jobs of a queue may have become ready, or claims were cancelled. Calls
   * may be missed.
   */
  watch(wake: (what: Wake) => void): () => void
  /** Gives up the lease. */
  close(signal: AbortSignal): Promise<Result<void, Failure>>
}

export type Wake =
  | { readonly kind: 'ready'; readonly queue: string }
  | { readonly kind: 'cancelled' }
