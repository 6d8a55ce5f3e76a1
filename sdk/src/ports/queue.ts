import {
  slot,
  type Failure,
  type JsonObject,
  type PrincipalId,
  type Result,
  type TenantId,
} from '@amodal/kernel'
import type { Row, Statement } from './database.ts'

/** How a job is retried. Attempts without cost, such as after a 429, are not counted. */
export interface JobRetries {
  /** Attempts after the first one; with 0 the first failure is the last. */
  readonly limit: number
  /** ms before the first retry; doubled for each further one, and spread at random by a quarter. */
  readonly delayMs: number
  /** ms between two attempts at most. */
  readonly maxDelayMs: number
  /** How many workers may die with it in their hands before it is dead. */
  readonly lostWorkers: number
}

/** One job to publish. */
export interface NewJob {
  /** Letters, digits, `.`, `-` and `_`, 64 at most: the queue of a plugin begins with its name. */
  readonly queue: string
  /** Small facts and ids, 64 KiB as JSON: content belongs where the handler reads it. */
  readonly data: JsonObject
  /**
   * Idempotency key: a job with a key that is known in its queue and tenant is not published. Keys
   * are known for as long as ended jobs are kept.
   */
  readonly key?: string
  /**
   * Jobs of one group (in a queue and tenant) run one at a time, in the order in which they were
   * published, whatever their priority. One that waits for its time or its next attempt holds up
   * those behind it; one that is dead or cancelled does not.
   */
  readonly group?: string
  /**
   * What shares a queue fairly within a tenant, such as a profile: of equal priority, jobs of the
   * lane with the fewest active ones begin first.
   */
  readonly lane?: string
  /** ms since the epoch, before which it does not begin. */
  readonly at?: number
  /** The highest of a tenant begin first; 0 where it is left out. */
  readonly priority?: number
  readonly retries?: Partial<JobRetries>
  /** ms that one attempt may take; then its signal aborts with `timeout`. */
  readonly attemptMs?: number
  /**
   * ms since the epoch: an attempt that runs then is aborted with `timeout`, and none begins any
   * more. The job is dead.
   */
  readonly deadline?: number
  readonly tenant?: TenantId
  /** Whose job it is: it goes with what is erased of them. */
  readonly principal?: PrincipalId
}

export interface PublishedJob {
  readonly id: string
  /** `false`: this key was published before, and `id` is the job of then. */
  readonly fresh: boolean
}

/** One attempt at a job. */
export interface Job {
  readonly id: string
  readonly queue: string
  readonly data: JsonObject
  readonly key?: string
  readonly group?: string
  readonly tenant?: TenantId
  readonly principal?: PrincipalId
  readonly priority: number
  /** 1 for the first one. */
  readonly attempt: number
  /** A failure of this attempt is the end: the job is dead then. */
  readonly last: boolean
  /** ms since the epoch. */
  readonly publishedAt: number
  readonly deadline?: number
  /** Why the attempt before did not end the job. */
  readonly reason?: string
}

/**
 * Why the signal of an attempt aborts; it is the signal's `reason`.
 * - `stopping`: the worker stops. Return `retry` with `afterMs: 0` and `burnsAttempt: false`, and
 *   another one goes on at once.
 * - `timeout`: the attempt or the job took too long.
 * - `cancelled`: by `cancel`. The job ends, whatever the handler returns.
 * - `lost`: another worker may have the job already. What the handler returns counts only where
 *   none has.
 *
 * A handler that is still running ten seconds after `timeout`, `cancelled` or `lost` is left
 * behind: its job goes on without it, and what it returns is ignored.
 */
export type JobAbort = 'stopping' | 'timeout' | 'cancelled' | 'lost'

/**
 * What came of an attempt. A handler that throws has failed: `retry` with the message of the error,
 * and the attempt counts.
 */
export type JobOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'retry'
      readonly reason: string
      /** ms until the next attempt; by the job's `retries` where it is left out. */
      readonly afterMs?: number
      /** `false`: the attempt costs nothing, such as where a provider answered 429. */
      readonly burnsAttempt: boolean
    }
  | { readonly kind: 'dead'; readonly reason: string }

export type JobHandler = (job: Job, signal: AbortSignal) => Promise<JobOutcome>

export interface WorkOptions {
  readonly queue: string
  /** Jobs of this queue at the same time in this process; the process may be set to fewer. */
  readonly concurrency: number
  /** Active jobs of one tenant on all processes together. */
  readonly perTenant?: number
  /**
   * Active jobs of a lane of one tenant, on all processes together, by the name of the lane; asked
   * before each claim. Lanes that are left out have no limit.
   */
  readonly perLane?: () => Readonly<Record<string, number>>
  readonly handler: JobHandler
}

/** Takes jobs of one queue in this process. */
export interface Worker {
  /**
   * Takes no more jobs, aborts the running attempts with `stopping` and waits for them. What is
   * still running after `graceMs` milliseconds is handed over as it is: another worker takes it at
   * once, and what its handler returns is ignored. Never rejects; a second call waits as well.
   */
  stop(graceMs: number): Promise<void>
}

/** A worker as this process has it. */
export interface WorkerFacts {
  readonly queue: string
  /** `false`: this process is set to take no jobs of this queue. */
  readonly takes: boolean
  readonly concurrency: number
  readonly active: number
}

export interface JobCounts {
  /** They can begin now, or wait for others of their group. */
  readonly waiting: number
  /** They wait for their time or their next attempt. */
  readonly delayed: number
  readonly active: number
  readonly dead: number
}

/** What a queue's counts do not say. */
export interface QueueOverview {
  /** ms since the epoch, of each queue in which a job could begin: since when the oldest could. */
  readonly oldest: ReadonlyMap<string, number>
  /** Processes that take jobs, on all machines together. */
  readonly processes: number
}

/** A dead letter: a job that failed for good. */
export interface DeadJob {
  readonly id: string
  readonly queue: string
  readonly data: JsonObject
  readonly key?: string
  readonly group?: string
  readonly tenant?: TenantId
  readonly attempts: number
  readonly reason: string
  /** ms since the epoch. */
  readonly publishedAt: number
  /** ms since the epoch. */
  readonly diedAt: number
}

export interface DeadPage {
  readonly limit: number
  /** `next` of the page before. */
  readonly after?: string
}

/**
 * `cancelled`: it will not run. `cancelling`: its attempt was signalled, and the job ends when the
 * attempt does. `ended`: it is already done, dead or cancelled.
 */
export type JobCancel = 'cancelled' | 'cancelling' | 'ended' | 'unknown'

/** Runs statements of the caller's transaction, as `Database.transaction` hands it out. */
export type TransactionRun = (statement: Statement) => Promise<readonly Row[]>

/**
 * Durable jobs. A job runs at least once: on one worker at a time while that worker is alive, and
 * on another one within seconds after a crash. So handlers must be idempotent.
 *
 * Scheduling is fair between tenants: the tenant with the fewest active jobs of a queue is next,
 * however many jobs of other tenants are waiting.
 *
 * Any plugin may publish to any queue; `work` in `onBoot`, and `stop` in what it returns.
 *
 * @example
 * onBoot(() => {
 *   const worker = deps.queue.work({
 *     queue: 'reports',
 *     concurrency: 2,
 *     handler: async (job, signal) => {
 *       await writeReport(job.data, signal)
 *       return { kind: 'done' }
 *     },
 *   })
 *   return () => (worker.ok ? worker.value.stop(8_000) : undefined)
 * })
 * const may = { queue: 'reports', data: { month: '2026-05' }, key: '2026-05' }
 * await deps.queue.publish([may], signal)
 */
export interface JobQueue {
  /**
   * Publishes all of them, or none. Answers in their order; a key that comes twice among them is
   * fresh once.
   */
  publish(
    jobs: readonly NewJob[],
    signal: AbortSignal,
  ): Promise<Result<readonly PublishedJob[], Failure>>
  /**
   * The same within a transaction on the Database slot: the jobs are there, and workers are woken,
   * once it commits. Throws what the transaction is to fail with. Not there where jobs are kept in
   * memory.
   */
  publishIn?(
    run: TransactionRun,
    jobs: readonly NewJob[],
  ): Promise<Result<readonly PublishedJob[], Failure>>
  /** One worker of a queue in a process; a second one is refused. */
  work(options: WorkOptions): Result<Worker, Failure>
  /** The workers of this process, those that take nothing as well. */
  workers(): readonly WorkerFacts[]
  /** Of every queue that has jobs, or of this one, by name. */
  counts(
    queue: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, JobCounts>, Failure>>
  /** How long jobs wait, and who takes them. Not there where a queue does not know. */
  overview?(signal: AbortSignal): Promise<Result<QueueOverview, Failure>>
  /** The dead letters of a queue, latest first. */
  dead(
    queue: string,
    page: DeadPage,
    signal: AbortSignal,
  ): Promise<Result<{ readonly jobs: readonly DeadJob[]; readonly next?: string }, Failure>>
  /** Resets the attempts of dead letters: they run at once, without their deadline. */
  redrive(
    queue: string,
    ids: readonly string[] | 'all',
    signal: AbortSignal,
  ): Promise<Result<{ readonly redriven: number }, Failure>>
  cancel(queue: string, id: string, signal: AbortSignal): Promise<Result<JobCancel, Failure>>
}
export const JobQueue = slot.kernel<JobQueue>('job-queue')
