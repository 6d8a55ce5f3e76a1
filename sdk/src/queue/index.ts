/** What plugins that fill the JobQueue slot share: running jobs over a storage of theirs. */
export { checkJobs, dataOf, JOB_RETRIES, type CheckedJob } from './checked-job.ts'
export { deadJobs, type DeadJobs } from './dead-jobs.ts'
export { backoffMs, settlementOf, type AttemptEnd } from './settlement.ts'
export { StoredQueue, type StoredQueueOptions } from './stored-queue.ts'
export type {
  Claim,
  Claimed,
  ClaimRef,
  ClaimResult,
  QueueStorage,
  Settlement,
  Wake,
  Want,
} from './storage.ts'
