import { messageOf, type Clock } from '@amodal/kernel'
import type { Job, JobAbort, JobHandler } from '../ports/queue.ts'
import type { AttemptEnd } from './settlement.ts'
import type { Claimed } from './storage.ts'

/** ms that a handler has to end after its signal has aborted. */
const LEAVE_MS = 10_000
/** A longer timer rings at once: what is due later is found by {@link Attempt.check}. */
const LONGEST_TIMER = 2 ** 31 - 1

/** A claimed job while its handler runs. */
export class Attempt {
  readonly job: Claimed
  /** How it ended. Never rejects. */
  readonly ended: Promise<AttemptEnd>
  readonly #controller = new AbortController()
  readonly #clock: Clock
  readonly #timers: NodeJS.Timeout[] = []
  #abort: JobAbort | undefined
  #leave: () => void = () => undefined

  constructor(job: Claimed, handler: JobHandler, clock: Clock) {
    this.job = job
    this.#clock = clock
    if (job.attemptMs !== undefined) this.#after(job.attemptMs, () => this.abort('timeout'))
    if (job.deadline !== undefined) this.#after(job.deadline - clock.now(), () => this.check())
    const abandoned = new Promise<AttemptEnd>((resolve) => {
      this.#leave = () => resolve({ kind: 'left' })
    })
    this.ended = Promise.race([this.#run(handler), abandoned]).finally(() => {
      for (const timer of this.#timers) clearTimeout(timer)
    })
  }

  /** Why its signal aborted. */
  get aborted(): JobAbort | undefined {
    return this.#abort
  }

  /** The first reason stays, but for a stop, which says nothing against the attempt. */
  abort(reason: JobAbort): void {
    if (this.#abort !== undefined && this.#abort !== 'stopping') return
    const first = this.#abort === undefined
    this.#abort = reason
    // A worker that stops waits for the time of its `stop` call.
    if (reason !== 'stopping') this.#after(LEAVE_MS, this.#leave)
    if (first) this.#controller.abort(reason)
  }

  /** Goes on without its handler. */
  leave(): void {
    this.#leave()
  }

  /** Whether its deadline has passed, also on a clock that jumps. */
  check(): void {
    const { deadline } = this.job
    if (deadline !== undefined && this.#clock.now() >= deadline) this.abort('timeout')
  }

  async #run(handler: JobHandler): Promise<AttemptEnd> {
    try {
      const outcome = await handler(jobOf(this.job), this.#controller.signal)
      return { kind: 'returned', outcome }
    } catch (cause) {
      return { kind: 'threw', message: messageOf(cause) }
    }
  }

  #after(ms: number, act: () => void): void {
    if (ms > LONGEST_TIMER) return
    this.#timers.push(setTimeout(act, Math.max(0, ms)))
  }
}

const jobOf = (claimed: Claimed): Job => {
  const { id, queue, data, key, group, tenant, principal, priority } = claimed
  const { publishedAt, deadline, reason, attempts, retries } = claimed
  return {
    id,
    queue,
    data,
    ...(key !== undefined && { key }),
    ...(group !== undefined && { group }),
    ...(tenant !== undefined && { tenant }),
    ...(principal !== undefined && { principal }),
    priority,
    attempt: attempts + 1,
    last: attempts >= retries.limit,
    publishedAt,
    ...(deadline !== undefined && { deadline }),
    ...(reason !== undefined && { reason }),
  }
}
