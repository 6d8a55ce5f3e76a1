import { sleep, type Clock, type Logger } from '@amodal/kernel'
import { timeLimit } from '../time.ts'
import { Attempt } from './attempt.ts'
import type { QueueWorker } from './queue-worker.ts'
import { settlementOf } from './settlement.ts'
import type { Claimed, QueueStorage, Settlement } from './storage.ts'

export interface ClaimLoopOptions {
  readonly storage: QueueStorage
  readonly clock: Clock
  readonly log: Logger
  /** ms after which an idle process looks for jobs, if nothing woke it; at least 1,000. */
  readonly pollMs: number
  /** ms for one call of the storage. */
  readonly storageMs: number
  /** A job of this process is dead. */
  readonly died?: () => void
}

/** ms between two tries to settle a job while the storage fails. */
const SETTLE_RETRY_MS = 1_000
/** How many times settling a job is tried once its worker has left. */
const LAST_TRIES = 2

/** Claims jobs for the workers of a process, runs them, and keeps the claims alive. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions
  readonly #workers: () => Iterable<QueueWorker>
  readonly #attempts = new Map<string, Attempt>()
  #claiming: Promise<void> | undefined
  /** Something became ready while a claim was on its way. */
  #isWakePending = false
  #timer: NodeJS.Timeout | undefined
  #heart: NodeJS.Timeout | undefined
  /** Monotonic ms until which the claims hold. */
  #leaseEnds = 0
  #failing = false
  #closed = false

  constructor(options: ClaimLoopOptions, workers: () => Iterable<QueueWorker>) {
    this.#options = options
    this.#workers = workers
  }

  /** Looks for jobs now. */
  wake(): void {
    if (this.#claiming) this.#isWakePending = true
    else if (!this.#closed) this.#claiming = this.#claim().finally(() => this.#claimed())
  }

  /** Ends when no claim is on its way. */
  async settled(): Promise<void> {
    while (this.#claiming) await this.#claiming
  }

  /** Asks which claims still hold, such as after one was cancelled. */
  async check(): Promise<void> {
    if (this.#attempts.size > 0) await this.#beat()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#heart)
  }

  #claimed(): void {
    this.#claiming = undefined
    if (!this.#isWakePending) return
    this.#isWakePending = false
    this.wake()
  }

  async #claim(): Promise<void> {
    const { clock, pollMs } = this.#options
    clearTimeout(this.#timer)
    for (const attempt of this.#attempts.values()) attempt.check()
    const workers = new Map([...this.#workers()].map((worker) => [worker.options.queue, worker]))
    const due = await this.#claimFor(workers)
    if (this.#closed || ![...this.#workers()].some(({ taking }) => taking)) return
    const wait = due === undefined ? pollMs : Math.min(pollMs, Math.max(1, due - clock.now()))
    this.#timer = setTimeout(() => this.wake(), wait).unref()
  }

  /** @returns ms since the epoch, when the next delayed job is due */
  async #claimFor(workers: ReadonlyMap<string, QueueWorker>): Promise<number | undefined> {
    const { storage, clock } = this.#options
    const wants = [...workers.values()].flatMap((worker) => worker.want() ?? [])
    if (wants.length === 0) return undefined
    const started = clock.monotonic()
    const found = await storage.claim({ wants, now: clock.now() }, this.#limit('claiming jobs'))
    if (!found.ok) {
      this.#failed('queue.claim_failed', found.error.message)
      return undefined
    }
    this.#failing = false
    const { jobs, nextDue } = found.value
    if (jobs.length > 0) this.#hold(started)
    await Promise.all(jobs.map((job) => this.#begin(job, workers.get(job.queue))))
    return nextDue
  }

  /** Runs it, or ends when a job that is not run has been settled. */
  async #begin(job: Claimed, worker: QueueWorker | undefined): Promise<void> {
    const { clock } = this.#options
    if (!worker?.taking) {
      const { attempts, reason = 'its worker stopped' } = job
      return this.#settle(job, { to: 'again', due: clock.now(), attempts, reason }, () => true)
    }
    const over = unfit(job, clock.now())
    if (over) return this.#settle(job, over, () => !worker.taking)
    const attempt = new Attempt(job, worker.options.handler, clock)
    this.#attempts.set(job.id, attempt)
    worker.attempts.set(attempt, this.#finish(attempt, worker))
  }

  async #finish(attempt: Attempt, worker: QueueWorker): Promise<void> {
    const { clock, log } = this.#options
    const { job } = attempt
    const end = await attempt.ended
    if (end.kind === 'left')
      log.warn('queue.handler_left', { queue: job.queue, job: job.id, reason: attempt.aborted })
    const moment = { now: clock.now(), random: Math.random() }
    const settlement = settlementOf(job, end, attempt.aborted, moment)
    await this.#settle(job, settlement, () => !worker.taking)
    if (this.#attempts.get(job.id) === attempt) this.#attempts.delete(job.id)
    worker.attempts.delete(attempt)
    this.wake()
  }

  /** Tries until the storage answers; a claim that is lost meanwhile changes nothing. */
  async #settle(job: Claimed, settlement: Settlement, leaving: () => boolean): Promise<void> {
    const { storage, clock, log } = this.#options
    const about = { queue: job.queue, job: job.id }
    for (let tries = 1; ; tries++) {
      const limit = this.#limit('settling a job')
      const done = await storage.settle(job, settlement, clock.now(), limit)
      if (done.ok) {
        if (!done.value) log.info('queue.claim_lost', about)
        else if (settlement.to === 'dead') {
          log.warn('queue.job_dead', { ...about, reason: settlement.reason })
          this.#options.died?.()
        }
        return
      }
      this.#failed('queue.settle_failed', done.error.message)
      if (this.#closed || (leaving() && tries >= LAST_TRIES)) return
      await sleep(SETTLE_RETRY_MS)
    }
  }

  #hold(started: number): void {
    const { leaseMs } = this.#options.storage
    this.#leaseEnds = started + leaseMs
    if (this.#heart === undefined) this.#nextBeat(leaseMs / 3)
  }

  #nextBeat(ms: number): void {
    clearTimeout(this.#heart)
    this.#heart = undefined
    if (this.#closed || !Number.isFinite(ms)) return
    this.#heart = setTimeout(() => {
      this.#heart = undefined
      if (this.#attempts.size > 0) void this.#beat()
    }, ms)
    this.#heart.unref()
  }

  async #beat(): Promise<void> {
    const { storage, clock } = this.#options
    const known = [...this.#attempts]
    const started = clock.monotonic()
    const limit = timeLimit(Math.min(storage.leaseMs / 3, this.#options.storageMs), 'a heartbeat')
    const held = await storage.beat(limit)
    if (held.ok) {
      this.#leaseEnds = started + storage.leaseMs
      const claims = new Map(held.value.map((claim) => [claim.id, claim]))
      for (const [id, attempt] of known) {
        const claim = claims.get(id)
        if (claim?.fence !== attempt.job.fence) attempt.abort('lost')
        else if (claim.cancelling) attempt.abort('cancelled')
      }
      return this.#nextBeat(storage.leaseMs / 3)
    }
    this.#failed('queue.beat_failed', held.error.message)
    const next = storage.leaseMs / 10
    if (clock.monotonic() + next >= this.#leaseEnds)
      for (const [, attempt] of known) attempt.abort('lost')
    this.#nextBeat(next)
  }

  #limit(what: string): AbortSignal {
    return timeLimit(this.#options.storageMs, what)
  }

  /** Once for each time in which the storage fails. */
  #failed(event: string, message: string): void {
    this.#options.log[this.#failing ? 'debug' : 'warn'](event, { message })
    this.#failing = true
  }
}

/** What becomes of a job that is not to begin any more. */
function unfit(job: Claimed, now: number): Settlement | undefined {
  const { attempts, lost, retries, deadline } = job
  if (job.cancelling) return { to: 'done' }
  if (lost > retries.lostWorkers)
    return { to: 'dead', attempts, reason: `${lost} workers were lost with it` }
  if (deadline === undefined || now < deadline) return undefined
  const { reason = 'it did not begin in time' } = job
  return { to: 'dead', attempts, reason: `${reason}; its deadline has passed` }
}
