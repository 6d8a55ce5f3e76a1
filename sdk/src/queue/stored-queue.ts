import { err, ok, type Failure, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'
import type {
  DeadPage,
  JobCancel,
  JobQueue,
  NewJob,
  PublishedJob,
  TransactionRun,
  Worker,
  WorkerFacts,
  WorkOptions,
} from '../ports/queue.ts'
import { timeLimit } from '../time.ts'
import { checkJobs } from './checked-job.ts'
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.ts'
import { QueueWorker } from './queue-worker.ts'

export interface StoredQueueOptions extends ClaimLoopOptions {
  /** Which queues this process takes jobs of: all, none, or these. */
  readonly work: boolean | readonly string[]
  /** Jobs of one queue at the same time at most, whatever its worker says. */
  readonly concurrency?: number
}

/** The JobQueue slot over a storage. */
export class StoredQueue implements JobQueue {
  readonly #options: StoredQueueOptions
  readonly #workers = new Map<string, QueueWorker>()
  readonly #loop: ClaimLoop
  #unwatch: (() => void) | undefined
  #closed = false

  constructor(options: StoredQueueOptions) {
    this.#options = options
    this.#loop = new ClaimLoop(options, () => this.#workers.values())
    const { overview } = options.storage
    if (overview)
      this.overview = (signal) => overview.call(options.storage, options.clock.now(), signal)
    if (options.storage.insertIn) this.publishIn = (run, jobs) => this.#publishIn(run, jobs)
  }

  readonly overview?: NonNullable<JobQueue['overview']>
  readonly publishIn?: NonNullable<JobQueue['publishIn']>

  async publish(
    jobs: readonly NewJob[],
    signal: AbortSignal,
  ): Promise<Result<readonly PublishedJob[], Failure>> {
    const now = this.#options.clock.now()
    const checked = checkJobs(jobs, now)
    if (!checked.ok || checked.value.length === 0) return checked.ok ? ok([]) : checked
    const published = await this.#options.storage.insert(checked.value, now, signal)
    if (published.ok) this.#woken(jobs.map(({ queue }) => queue))
    return published
  }

  async #publishIn(
    run: TransactionRun,
    jobs: readonly NewJob[],
  ): Promise<Result<readonly PublishedJob[], Failure>> {
    const now = this.#options.clock.now()
    const checked = checkJobs(jobs, now)
    if (!checked.ok) return checked
    return ok((await this.#options.storage.insertIn?.(run, checked.value, now)) ?? [])
  }

  work(options: WorkOptions): Result<Worker, Failure> {
    const { queue, concurrency, perTenant = 1 } = options
    if (this.#closed) return err(failure('KERNEL_CLOSED', 'the job queue is closing'))
    if (this.#workers.has(queue))
      return err(failure('VALIDATION_ERROR', `the queue "${queue}" has a worker in this process`))
    if (!Number.isSafeInteger(concurrency) || concurrency < 1)
      return err(failure('VALIDATION_ERROR', `concurrency of "${queue}" is 1 or more`))
    if (!Number.isSafeInteger(perTenant) || perTenant < 1)
      return err(failure('VALIDATION_ERROR', `perTenant of "${queue}" is 1 or more`))
    const { work, concurrency: most = concurrency } = this.#options
    const takes = typeof work === 'boolean' ? work : work.includes(queue)
    const bounded = { ...options, concurrency: Math.min(concurrency, most) }
    const worker = new QueueWorker(bounded, takes)
    this.#workers.set(queue, worker)
    if (takes) this.#watch()
    return ok({
      stop: async (graceMs) => {
        await worker.stop(graceMs, () => this.#loop.settled())
        if (this.#workers.get(queue) === worker) this.#workers.delete(queue)
      },
    })
  }

  workers(): readonly WorkerFacts[] {
    return [...this.#workers.values()].map((worker) => worker.facts())
  }

  counts(queue: string | undefined, signal: AbortSignal): ReturnType<JobQueue['counts']> {
    const { storage, clock } = this.#options
    return storage.counts(queue, clock.now(), signal)
  }

  dead(queue: string, page: DeadPage, signal: AbortSignal): ReturnType<JobQueue['dead']> {
    return this.#options.storage.dead(queue, page, signal)
  }

  async redrive(
    queue: string,
    ids: readonly string[] | 'all',
    signal: AbortSignal,
  ): ReturnType<JobQueue['redrive']> {
    const { storage, clock } = this.#options
    const done = await storage.redrive(queue, ids, clock.now(), signal)
    if (!done.ok) return done
    this.#woken([queue])
    return ok({ redriven: done.value })
  }

  async cancel(
    queue: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Result<JobCancel, Failure>> {
    const { storage, clock } = this.#options
    const done = await storage.cancel(queue, id, clock.now(), signal)
    if (done.ok && done.value === 'cancelling') void this.#loop.check()
    if (done.ok && done.value === 'cancelled') this.#woken([queue])
    return done
  }

  /** Stops every worker; see `Worker.stop`. */
  async stop(graceMs: number): Promise<void> {
    this.#closed = true
    await Promise.all(
      [...this.#workers.values()].map((worker) => worker.stop(graceMs, () => this.#loop.settled())),
    )
  }

  /** Stops every worker at once, and gives up what this process has claimed. */
  async close(): Promise<void> {
    await this.stop(0)
    this.#workers.clear()
    this.#loop.close()
    this.#unwatch?.()
    const { storage, storageMs, log } = this.#options
    const closed = await storage.close(timeLimit(storageMs, 'closing the job queue'))
    if (!closed.ok) log.debug('queue.close_failed', { message: closed.error.message })
  }

  #watch(): void {
    this.#unwatch ??= this.#options.storage.watch((what) => {
      if (what.kind === 'ready') this.#woken([what.queue])
      else void this.#loop.check()
    })
    this.#loop.wake()
  }

  #woken(queues: readonly string[]): void {
    if (queues.some((queue) => (this.#workers.get(queue)?.free ?? 0) > 0)) this.#loop.wake()
  }
}
