import {
  messageOf,
  type Job,
  type JobOutcome,
  type JobQueue,
  type Logger,
  type Worker,
} from '@amodal/sdk'
import type { RunStore } from '../results/result.ts'
import type { EvalRunner, Prepared } from '../run/eval-runner.ts'
import { RUN_QUEUE } from './run-jobs.ts'
import type { RunStores } from './run-stores.ts'

/** Runs of all tenants at the same time in one process; each of them runs several cases. */
const RUNS = 2
/** ms that cases at work are given when the process stops. */
const GRACE_MS = 10_000
/** ms between looks whether somebody has cancelled the run, maybe on another instance. */
const LOOK_MS = 1_000

const DONE: JobOutcome = { kind: 'done' }
/** Another worker goes on with it at once. */
const HAND_OVER: JobOutcome = {
  kind: 'retry',
  reason: 'the worker stops',
  afterMs: 0,
  burnsAttempt: false,
}

interface Parts {
  readonly runner: EvalRunner
  readonly stores: RunStores
  readonly log: Logger
}

/**
 * Works on runs for the queue. A job says which run; what is done of it stands in its store, so the
 * same job on another instance goes on from there.
 */
export class RunWorker {
  readonly #parts: Parts
  /** Runs that are at work here, by their ids. */
  readonly #active = new Map<string, AbortController>()

  #worker: Worker | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(queue: JobQueue): void {
    const worker = queue.work({
      queue: RUN_QUEUE,
      concurrency: RUNS,
      perTenant: 1,
      handler: (job, signal) => this.work(job, signal),
    })
    if (worker.ok) this.#worker = worker.value
    else this.#parts.log.error('evals.no_worker', { message: worker.error.message })
  }

  /** Takes no more jobs, and hands over those at work. */
  async close(): Promise<void> {
    await this.#worker?.stop(GRACE_MS)
  }

  /** Stops a run that is at work here at once. */
  stop(run: string): void {
    this.#active.get(run)?.abort()
  }

  async work({ data, last, principal, tenant }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { run: id } = data
    if (typeof id !== 'string' || tenant === undefined || principal === undefined)
      return { kind: 'dead', reason: 'the job names no run' }
    const { runner, stores } = this.#parts
    const store = stores.of({ tenant, principal })
    await runner.emptyTenants(store)
    const run = await store.find(id)
    if (run?.status !== 'open') return DONE
    const prepared = runner.resume(run)
    if (!prepared.ok) {
      await this.#fail(store, { header: run })
      return DONE
    }
    try {
      return await this.#drive(prepared.value, store, signal)
    } catch (cause) {
      // What a store throws may be over the next time.
      if (last) await this.#giveUp(store, id, cause)
      throw cause
    }
  }

  async #drive(prepared: Prepared, store: RunStore, signal: AbortSignal): Promise<JobOutcome> {
    const { runner } = this.#parts
    const { id } = prepared.header
    const own = new AbortController()
    this.#active.set(id, own)
    const looks = setInterval(() => void this.#look(store, id), LOOK_MS)
    looks.unref()
    try {
      const either = AbortSignal.any([signal, own.signal])
      const status = await runner.run(prepared, { store, signal: either })
      if (status === 'open' && !either.aborted) await this.#fail(store, prepared)
    } finally {
      clearInterval(looks)
      this.#active.delete(id)
    }
    return signal.aborted ? HAND_OVER : DONE
  }

  async #look(store: RunStore, id: string): Promise<void> {
    try {
      const status = await store.statusOf(id)
      if (status !== 'open') this.stop(id)
    } catch (cause) {
      this.#parts.log.warn('evals.not_looked', { run: id, message: messageOf(cause) })
    }
  }

  /** It cannot go on: the agent's files are others than it began with. */
  async #fail(store: RunStore, { header }: Pick<Prepared, 'header'>): Promise<void> {
    const resumed = this.#parts.runner.resume({ ...header, status: 'open', results: [] })
    if (resumed.ok) return
    const { code, message } = resumed.error
    await store.end(header.id, 'failed', { code, message })
  }

  async #giveUp(store: RunStore, id: string, cause: unknown): Promise<void> {
    const error = { code: 'STORE_FAILED', message: messageOf(cause) }
    await store.end(id, 'failed', error).catch(() => undefined)
  }
}
