import { unwrap, type JobQueue, type Logger, type SessionStore } from '@amodal/sdk'
import { publishMissing } from './missing-jobs.ts'
import { RUN_QUEUE, WEBHOOK_QUEUE, type RunJobs } from './run-jobs.ts'
import type { RunNews } from './run-news.ts'
import type { RunTable } from './run-table.ts'
import type { RunWorker } from './run-worker.ts'
import type { Webhooks } from './webhook.ts'

/** ms between two looks for jobs that are missing. */
const MISSING_MS = 30_000
/** ms that running jobs get when the process stops. */
const STOP_MS = 5_000
/** Webhooks that are delivered at the same time. */
const DELIVERIES = 10

interface QueueParts {
  readonly jobs: RunJobs
  readonly log: Logger
  readonly news: RunNews
  readonly queue: JobQueue
  readonly sessions: SessionStore
  readonly table: RunTable
  readonly webhooks: Webhooks
  readonly worker: RunWorker
}

export interface QueueLimits {
  /** Runs that this process works on at the same time. */
  readonly concurrency: number
  /** Runs of one tenant at the same time, on all processes together. */
  readonly perTenant: number | undefined
  /** The same by profile. */
  readonly perProfile: () => Readonly<Record<string, number>>
}

/**
 * Works on the queues of runs and of their webhooks, and finds runs whose job is missing.
 *
 * @returns what stops it: jobs that run get some seconds, then others take them over
 */
export function workOnQueues(parts: QueueParts, limits: QueueLimits): () => Promise<void> {
  const { jobs, log, news, queue, sessions, table, webhooks, worker } = parts
  const listeners = [
    news.listen(),
    sessions.watch((ref) => news.ring(ref, { isUrgent: false, ofRow: false })),
  ]
  const workers = [
    unwrap(
      queue.work({
        queue: RUN_QUEUE,
        concurrency: limits.concurrency,
        perLane: limits.perProfile,
        ...(limits.perTenant !== undefined && { perTenant: limits.perTenant }),
        handler: (job, signal) => worker.work(job, signal),
      }),
      ({ message }) => message,
    ),
    unwrap(
      queue.work({
        queue: WEBHOOK_QUEUE,
        concurrency: DELIVERIES,
        handler: (job, signal) => webhooks.work(job, signal),
      }),
      ({ message }) => message,
    ),
  ]
  const missing = setInterval(() => void publishMissing(table, jobs, log), MISSING_MS)
  missing.unref()
  return async () => {
    clearInterval(missing)
    await Promise.all(workers.map((one) => one.stop(STOP_MS)))
    for (const stop of listeners) stop()
  }
}
