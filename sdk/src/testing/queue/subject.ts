import { vi } from 'vitest'
import { systemClock, type Clock, type Failure, type Result } from '@amodal/kernel'
import type {
  Job,
  JobCounts,
  JobHandler,
  JobOutcome,
  JobQueue,
  NewJob,
  PublishedJob,
  Worker,
  WorkOptions,
} from '../../ports/queue.ts'

/** A clock whose time of day can be set ahead; what takes time still takes it. */
export interface MovableClock extends Clock {
  advance(ms: number): void
}

/** @returns a clock that begins with the time of day */
export function movableClock(): MovableClock {
  let ahead = 0
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic(),
    advance: (ms) => {
      ahead += ms
    },
  }
}

/** A process that works on a queue, and never ends a job. */
export interface DoomedWorker {
  /** Ends when it has begun a job. */
  readonly began: Promise<void>
  /** Kills it so that it can do nothing any more. */
  kill(): Promise<void>
}

export interface QueueUnderTest {
  readonly queue: JobQueue
  /** The same jobs as another instance reaches them. */
  readonly peer: JobQueue
  /** The clock of both. */
  readonly clock: MovableClock
  /** ms after which the jobs of a lost worker are taken over; left out where none is lost. */
  readonly leaseMs?: number
  /** Starts a process that works on this queue; left out where jobs end with their process. */
  readonly doomed?: (queue: string) => Promise<DoomedWorker>
  close(): Promise<void>
}

/** What a test of the kit works with: a queue of its own. */
export interface Bench extends Pick<QueueUnderTest, 'queue' | 'peer' | 'clock'> {
  readonly name: string
  readonly signal: AbortSignal
  /** Publishes to the queue of the test. */
  publish(jobs: readonly Partial<NewJob>[], by?: JobQueue): Promise<readonly PublishedJob[]>
  /** Works on it until the test ends. */
  work(
    handler: JobHandler,
    options?: Partial<Pick<WorkOptions, 'concurrency' | 'perTenant' | 'perLane'>> & {
      readonly by?: JobQueue
    },
  ): Worker
  counts(): Promise<JobCounts>
}

/** ms that a test may take: what it waits for comes in seconds at most. */
export const TEST_MS = 60_000

/** Runs a test with a queue of its own; workers end with it. */
export type QueueTest = (
  title: string,
  test: (bench: Bench, under: QueueUnderTest) => Promise<void>,
) => void

/** Waits until something is so, for as long as a test may take. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: TEST_MS / 2, interval: 25 })

export const value = <T>(result: Result<T, Failure>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

export const DONE: JobOutcome = { kind: 'done' }
export const retry = (reason: string, more: object = {}): JobOutcome => ({
  kind: 'retry',
  reason,
  burnsAttempt: true,
  ...more,
})

/** Keeps what it was called with, and answers with the outcomes in turn; the last one stays. */
export function recording(
  ...outcomes: readonly JobOutcome[]
): JobHandler & { readonly jobs: readonly Job[] } {
  const jobs: Job[] = []
  const handler: JobHandler = (job) => {
    const outcome = outcomes[Math.min(jobs.length, outcomes.length - 1)] ?? DONE
    jobs.push(job)
    return Promise.resolve(outcome)
  }
  return Object.assign(handler, { jobs })
}

/** A handler that waits to be let go, or for its signal. */
export function held(outcome: JobOutcome = DONE) {
  const jobs: Job[] = []
  const signals: AbortSignal[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const handler: JobHandler = async (job, signal) => {
    jobs.push(job)
    signals.push(signal)
    const aborted = new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true })
    })
    await Promise.race([released, aborted])
    return signal.aborted ? retry('stopped', { afterMs: 0, burnsAttempt: false }) : outcome
  }
  return { handler, jobs, signals, release: () => release(undefined) }
}
