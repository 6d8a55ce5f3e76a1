import type { JobAbort, JobOutcome, JobRetries } from '../ports/queue.ts'
import type { Claimed, Settlement } from './storage.ts'

/** How an attempt ended: with the outcome of its handler, or with what it threw. */
export type AttemptEnd =
  | { readonly kind: 'returned'; readonly outcome: JobOutcome }
  | { readonly kind: 'threw'; readonly message: string }
  /** It did not end after its signal had aborted. */
  | { readonly kind: 'left' }

interface Moment {
  /** ms since the epoch. */
  readonly now: number
  /** 0 to 1. */
  readonly random: number
}

/**
 * What becomes of a job after an attempt.
 *
 * @param abort why its signal had aborted, if it had
 */
export function settlementOf(
  job: Claimed,
  end: AttemptEnd,
  abort: JobAbort | undefined,
  moment: Moment,
): Settlement {
  const outcome = end.kind === 'returned' ? end.outcome : failedOutcome(job, end, abort)
  switch (outcome.kind) {
    case 'done':
      return { to: 'done' }
    case 'dead':
      return { to: 'dead', attempts: job.attempts + 1, reason: outcome.reason }
    case 'retry':
      return retryOf(job, outcome, moment)
    default:
      return outcome satisfies never
  }
}

/** A stop or a lost lease is no failure of the job. */
function failedOutcome(
  job: Claimed,
  end: Exclude<AttemptEnd, { kind: 'returned' }>,
  abort: JobAbort | undefined,
): Extract<JobOutcome, { kind: 'retry' }> {
  if (abort === 'stopping' || abort === 'lost')
    return { kind: 'retry', reason: 'its worker stopped', afterMs: 0, burnsAttempt: false }
  const tooLong = abort === 'timeout' ? timeoutReason(job) : undefined
  const reason = tooLong ?? (end.kind === 'threw' ? end.message : 'its handler did not end')
  return { kind: 'retry', reason, burnsAttempt: true }
}

const timeoutReason = ({ attemptMs }: Claimed): string =>
  attemptMs === undefined ? 'its deadline has passed' : `it took longer than ${attemptMs} ms`

function retryOf(
  job: Claimed,
  outcome: Extract<JobOutcome, { kind: 'retry' }>,
  { now, random }: Moment,
): Settlement {
  const { reason } = outcome
  const attempts = job.attempts + (outcome.burnsAttempt ? 1 : 0)
  if (outcome.burnsAttempt && attempts > job.retries.limit) return { to: 'dead', attempts, reason }
  const due = now + Math.max(0, outcome.afterMs ?? backoffMs(job.retries, attempts, random))
  if (job.deadline !== undefined && due >= job.deadline)
    return { to: 'dead', attempts, reason: `${reason}; no attempt is left before its deadline` }
  return { to: 'again', due, attempts, reason }
}

/**
 * ms until the next attempt.
 *
 * @param attempts that have failed, the first one included
 * @param random 0 to 1
 */
export function backoffMs(
  { delayMs, maxDelayMs }: JobRetries,
  attempts: number,
  random: number,
): number {
  const doubled = Math.min(maxDelayMs, delayMs * 2 ** Math.min(30, Math.max(0, attempts - 1)))
  return Math.min(maxDelayMs, Math.round(doubled * (0.75 + random / 2)))
}
