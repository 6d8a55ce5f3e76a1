import { err, ok, type Failure, type JsonObject, type Result } from '@amodal/kernel'
import { parseExact } from '../data/exact-number.ts'
import { failure } from '../errors.ts'
import type { JobRetries, NewJob } from '../ports/queue.ts'

/** Retries of a job that names none. */
export const JOB_RETRIES: JobRetries = {
  limit: 5,
  delayMs: 5_000,
  maxDelayMs: 600_000,
  lostWorkers: 10,
}

/** Characters of JSON that the data of a job may have. */
const MOST_DATA = 64 * 1_024
const MOST_KEY = 512
/** What no text of a database may have. */
const NO_TEXT = /[\0\p{Cs}]/u
const QUEUE = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** A job that may be stored: everything it left out has its value. */
export interface CheckedJob {
  readonly queue: string
  /** JSON. */
  readonly data: string
  readonly key: string | undefined
  readonly group: string | undefined
  /** Empty for a job without one. */
  readonly lane: string
  /** ms since the epoch. */
  readonly due: number
  readonly priority: number
  readonly retries: JobRetries
  readonly attemptMs: number | undefined
  readonly deadline: number | undefined
  /** Empty for a job of no tenant. */
  readonly tenant: string
  readonly principal: string | undefined
}

/**
 * Checks jobs before they are stored.
 *
 * @param now ms since the epoch, for those that may begin at once
 * @returns `VALIDATION_ERROR` with the place of the first one that is wrong
 */
export function checkJobs(
  jobs: readonly NewJob[],
  now: number,
): Result<readonly CheckedJob[], Failure> {
  const checked: CheckedJob[] = []
  for (const [at, job] of jobs.entries()) {
    const problem = problemOf(job)
    if (problem !== undefined)
      return err(failure('VALIDATION_ERROR', `job ${at + 1} of queue "${job.queue}": ${problem}`))
    checked.push(checkedOf(job, now))
  }
  return ok(checked)
}

function problemOf(job: NewJob): string | undefined {
  if (!QUEUE.test(job.queue))
    return 'a queue is named with 1 to 64 letters, digits, ".", "_" and "-", a letter or digit first'
  const { length } = JSON.stringify(job.data)
  if (length > MOST_DATA)
    return `its data has ${length} characters, and ${MOST_DATA} is the limit: keep content elsewhere`
  for (const [name, text] of [
    ['key', job.key],
    ['group', job.group],
    ['lane', job.lane],
  ] as const)
    if (text !== undefined && (text === '' || text.length > MOST_KEY || NO_TEXT.test(text)))
      return `its ${name} has 1 to ${MOST_KEY} characters, none of them NUL or half of one`
  return numberProblem(job)
}

function numberProblem({ retries, ...job }: NewJob): string | undefined {
  const wrong = Object.entries({ ...job, ...retries, data: undefined }).find(
    ([, value]) => typeof value === 'number' && !Number.isSafeInteger(value),
  )
  if (wrong) return `${wrong[0]} is a whole number, not ${String(wrong[1])}`
  const negative = Object.entries({ attemptMs: job.attemptMs, ...retries }).find(
    ([, value]) => value !== undefined && value < 0,
  )
  if (negative) return `${negative[0]} is not negative, as ${negative[1]} is`
  return Math.abs(job.priority ?? 0) > 1_000_000 ? 'its priority is at most 1000000' : undefined
}

const checkedOf = (job: NewJob, now: number): CheckedJob => ({
  queue: job.queue,
  data: JSON.stringify(job.data),
  key: job.key,
  group: job.group,
  lane: job.lane ?? '',
  due: Math.max(job.at ?? now, 0),
  priority: job.priority ?? 0,
  retries: { ...JOB_RETRIES, ...job.retries },
  attemptMs: job.attemptMs,
  deadline: job.deadline,
  tenant: job.tenant ?? '',
  principal: job.principal,
})

/** The data of a stored job; it was an object when it was stored. */
export const dataOf = (text: string): JsonObject => parseExact(text) as JsonObject
