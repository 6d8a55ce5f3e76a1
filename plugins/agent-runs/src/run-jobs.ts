import {
  ok,
  principalId,
  timeLimit,
  type Failure,
  type JobQueue,
  type NewJob,
  type Result,
} from '@amodal/sdk'
import { DatabaseError } from '@amodal/sdk/database'
import { refOf, type PublishIn, type RunRef, type RunRow } from './run-table.ts'

/** Jobs that drive runs. */
export const RUN_QUEUE = 'agent-runs.run'
/** Jobs that tell of them. */
export const WEBHOOK_QUEUE = 'agent-runs.webhook'

/** ms for publishing one job. */
const PUBLISH_MS = 10_000

/** Attempts at a webhook: after 5 s, then longer and longer, over more than a day. */
const WEBHOOK_RETRIES = { limit: 14, delayMs: 5_000, maxDelayMs: 36_000_000 } as const

type Outcome = Promise<Result<void, Failure>>
type Owned = Pick<RunRow, 'tenant' | 'session' | 'principal'>
type Started = Owned & Pick<RunRow, 'profile'>

/**
 * Publishes jobs of runs, in a lane for each profile, and of webhooks. Two jobs of one run may work
 * at the same time: what they do is done once.
 */
export class RunJobs {
  readonly #queue: JobQueue

  constructor(queue: JobQueue) {
    this.#queue = queue
  }

  /**
   * What publishes the first jobs of runs in a transaction; `undefined` where jobs are kept in
   * memory.
   */
  get startIn(): PublishIn | undefined {
    if (!this.#queue.publishIn) return undefined
    return async (run, rows) => {
      const published = await this.#queue.publishIn?.(run, rows.map(startJob))
      if (published?.ok === false) throw new DatabaseError(published.error)
    }
  }

  start(row: Started): Outcome {
    return this.#publish(startJob(row))
  }

  /** @param cause what it is for, such as the question that was answered; the same is one job */
  drive(row: Started, cause: string): Outcome {
    return this.#publish(runJob(row, cause))
  }

  webhook(row: Owned, event: string, ask?: string): Outcome {
    const { tenant, session } = refOf(row)
    return this.#publish({
      queue: WEBHOOK_QUEUE,
      key: `${session}:${event}${ask === undefined ? '' : `:${ask}`}`,
      data: { session, event, ...(ask !== undefined && { ask }) },
      tenant,
      principal: principalId(row.principal),
      retries: WEBHOOK_RETRIES,
    })
  }

  async #publish(job: NewJob): Outcome {
    const published = await this.#queue.publish([job], timeLimit(PUBLISH_MS, 'publishing a job'))
    return published.ok ? ok(undefined) : published
  }
}

const startJob = (row: Started): NewJob => runJob(row, 'start')

const runJob = (row: Started, cause: string): NewJob => {
  const { tenant, session }: RunRef = refOf(row)
  return {
    queue: RUN_QUEUE,
    key: `${session}:${cause}`,
    lane: row.profile,
    data: { session },
    tenant,
    principal: principalId(row.principal),
  }
}
