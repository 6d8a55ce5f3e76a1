import {
  timeLimit,
  type Caller,
  type JobQueue,
  type NewJob,
  type TransactionRun,
} from '@amodal/sdk'
import { DatabaseError } from '@amodal/sdk/database'
import { randomUUID } from 'node:crypto'

/** Jobs that work on runs. */
export const RUN_QUEUE = 'evals.run'

/** ms for publishing one job. */
const PUBLISH_MS = 10_000

/** Whose run it is. */
export type Owner = Pick<Caller, 'tenant' | 'principal'>

/** Publishes the jobs of runs. */
export class RunJobs {
  readonly #queue: JobQueue

  constructor(queue: JobQueue) {
    this.#queue = queue
  }

  /** Jobs are published with their runs, in one transaction. */
  get isTransactional(): boolean {
    return this.#queue.publishIn !== undefined
  }

  async publishIn(run: TransactionRun, owner: Owner, id: string): Promise<void> {
    const published = await this.#queue.publishIn?.(run, [jobOf(owner, id)])
    if (published?.ok === false) throw new DatabaseError(published.error)
  }

  publish(owner: Owner, id: string): ReturnType<JobQueue['publish']> {
    return this.#queue.publish([jobOf(owner, id)], timeLimit(PUBLISH_MS, 'publishing a job'))
  }
}

/** Two jobs of one run never work at the same time. */
const jobOf = ({ principal, tenant }: Owner, run: string): NewJob => ({
  queue: RUN_QUEUE,
  key: `${run}:${randomUUID()}`,
  group: run,
  data: { run },
  tenant,
  principal,
})
