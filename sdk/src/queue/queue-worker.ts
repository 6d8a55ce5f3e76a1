import type { WorkerFacts, WorkOptions } from '../ports/queue.ts'
import type { Attempt } from './attempt.ts'
import type { Want } from './storage.ts'

/** The worker of one queue, and the attempts it runs. */
export class QueueWorker {
  readonly options: WorkOptions
  /** Attempts until they are settled, each with what ends then. */
  readonly attempts = new Map<Attempt, Promise<void>>()
  readonly #takes: boolean
  #stopping: Promise<void> | undefined

  /** @param takes whether this process takes jobs of the queue */
  constructor(options: WorkOptions, takes: boolean) {
    this.options = options
    this.#takes = takes
  }

  /** Jobs that it may take now. */
  get free(): number {
    return this.taking ? Math.max(0, this.options.concurrency - this.attempts.size) : 0
  }

  get taking(): boolean {
    return this.#takes && this.#stopping === undefined
  }

  /** What it would claim; nothing where it is busy. */
  want(): Want | undefined {
    const { queue, perTenant, perLane } = this.options
    const limit = this.free
    if (limit === 0) return undefined
    return {
      queue,
      limit,
      perLane: perLane?.() ?? {},
      ...(perTenant !== undefined && { perTenant }),
    }
  }

  facts(): WorkerFacts {
    const { queue, concurrency } = this.options
    return { queue, takes: this.#takes, concurrency, active: this.attempts.size }
  }

  /** @param claiming ends when no claim is on its way any more */
  stop(graceMs: number, claiming: () => Promise<void>): Promise<void> {
    return (this.#stopping ??= this.#stop(graceMs, claiming))
  }

  async #stop(graceMs: number, claiming: () => Promise<void>): Promise<void> {
    for (const attempt of this.attempts.keys()) attempt.abort('stopping')
    await claiming()
    const ended = Promise.all(this.attempts.values())
    const grace = setTimeout(() => {
      for (const attempt of this.attempts.keys()) attempt.leave()
    }, graceMs)
    await ended
    clearTimeout(grace)
  }
}
