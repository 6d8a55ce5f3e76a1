import type { Clock, JobQueue, Logger, Worker } from '@amodal/sdk'
import type { Automation } from './definition.ts'
import type { Deliverer } from './delivery/deliverer.ts'
import type { Planner } from './planner.ts'
import type { Runner } from './runner.ts'
import { DELIVERY_QUEUE, RUN_QUEUE, type AutomationStore } from './store.ts'

export interface WorkParts {
  readonly store: AutomationStore
  readonly clock: Clock
  readonly log: Logger
  readonly queue: JobQueue
  readonly planner: Planner
  readonly runner: Runner
  readonly deliverer: Deliverer
  readonly runs: number
  /** Runs of one tenant at the same time, on all processes together. */
  readonly perTenant?: number | undefined
  readonly deliveries: number
  readonly keepDays: number
  /** `false`: no due times, no jobs. */
  readonly work: boolean
}

/** ms between looks for runs that nobody works on, and for what may be forgotten. */
const SWEEP_MS = 60_000
/** ms beyond its deadline after which a run has nobody who would end it. */
const LOST_MS = 120_000
/** Runs that wait for a person, looked at in one sweep. */
const MOST_LOOKS = 1_000
/** ms that a run or a delivery is given when the process stops. */
const GRACE_MS = 10_000
const DAY_MS = 86_400_000

/** What this process does for automations: it plans, takes jobs, and looks after what was left. */
export class Work {
  readonly #parts: WorkParts
  #workers: readonly Worker[] = []
  #sweep: ReturnType<typeof setInterval> | undefined
  #started = false
  #stopped: Promise<void> | undefined

  constructor(parts: WorkParts) {
    this.#parts = parts
  }

  async start(automations: readonly Automation[]): Promise<void> {
    const { queue, runner, deliverer, runs, perTenant, deliveries, planner, log, store } =
      this.#parts
    this.#started = true
    await this.#replan(automations)
    if (!this.#parts.work) return
    this.#workers = [
      queue.work({
        queue: RUN_QUEUE,
        concurrency: runs,
        ...(perTenant !== undefined && { perTenant }),
        handler: (job, signal) => runner.work(job, signal),
      }),
      queue.work({
        queue: DELIVERY_QUEUE,
        concurrency: deliveries,
        handler: (job, signal) => deliverer.work(job, signal),
      }),
    ].flatMap((made) => {
      if (made.ok) return [made.value]
      log.error('automations.no_worker', { message: made.error.message })
      return []
    })
    // A queue that does not outlive its process has lost its jobs; their rows are here.
    const published = await store.republish()
    if (!published.ok) log.warn('automations.not_published', { message: published.error.message })
    void this.#lookAtWaiting()
    // Where others take the jobs of runs, others keep their due times.
    if (queue.workers().some(({ queue: name, takes }) => name === RUN_QUEUE && takes))
      planner.start()
    this.#sweep = setInterval(() => void this.#sweepNow(), SWEEP_MS)
    this.#sweep.unref()
  }

  /** The agent's files are others now. */
  replan(automations: readonly Automation[]): void {
    if (this.#started) void this.#replan(automations)
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #stop(): Promise<void> {
    this.#started = false
    clearInterval(this.#sweep)
    await this.#parts.planner.stop()
    await Promise.all(this.#workers.map((worker) => worker.stop(GRACE_MS)))
  }

  async #replan(automations: readonly Automation[]): Promise<void> {
    const done = await this.#parts.planner.replan(automations)
    if (!done.ok)
      this.#parts.log.error('automations.not_planned', {
        code: done.error.code,
        message: done.error.message,
      })
  }

  /** Answers may have come where nobody could go on with their runs. */
  async #lookAtWaiting(): Promise<void> {
    const { store, runner, log } = this.#parts
    const waiting = await store.waiting(MOST_LOOKS)
    if (!waiting.ok) return log.warn('automations.not_swept', { message: waiting.error.message })
    for (const run of waiting.value) await runner.look(run)
  }

  async #sweepNow(): Promise<void> {
    const { store, runner, clock, log, keepDays } = this.#parts
    const now = clock.now()
    const open = await store.unfinished(now - LOST_MS)
    if (!open.ok) return log.warn('automations.not_swept', { message: open.error.message })
    for (const run of open.value) {
      const { startedAt = now, plan } = run
      if (now - startedAt > (plan?.deadlineMs ?? 0) + LOST_MS)
        await runner.giveUp(run, 'nobody worked on it any more')
    }
    await this.#lookAtWaiting()
    const freed = await store.letGo(now)
    if (!freed.ok) log.warn('automations.not_let_go', { message: freed.error.message })
    const pruned = await store.prune(now - keepDays * DAY_MS)
    if (!pruned.ok) log.warn('automations.not_pruned', { message: pruned.error.message })
  }
}
