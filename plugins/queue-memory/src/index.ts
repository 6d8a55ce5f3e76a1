import { Clock, definePlugin, Health, JobQueue } from '@amodal/sdk'
import { deadJobs, StoredQueue } from '@amodal/sdk/queue'
import { z } from 'zod'
import { MemoryStorage } from './storage.ts'

const DAY = 24 * 60 * 60 * 1_000
/** ms between two rounds of forgetting jobs that have ended, and of counting the dead ones. */
const ROUND_MS = 30_000

/**
 * Jobs in memory: they are gone with the process. For agents that are embedded in a program; a
 * server keeps its jobs with `queue-database`.
 *
 * @example
 * use(queueMemory, { concurrency: 2 })
 */
export const queueMemory = definePlugin({
  name: 'queue-memory',
  version: '0.1.0',
  requires: { clock: Clock },
  provides: [JobQueue],
  config: z.strictObject({
    work: z
      .union([z.boolean(), z.array(z.string().min(1))])
      .default(true)
      .describe('which queues jobs are taken of: all, none, or these'),
    concurrency: z
      .int()
      .min(1)
      .optional()
      .describe('jobs of one queue at the same time at most, where its worker would take more'),
    maxJobs: z.int().min(1).default(100_000).describe('jobs that are kept at most'),
    graceMs: z
      .int()
      .min(0)
      .default(8_000)
      .describe('ms for running jobs to stop when the process ends'),
    keepEndedMs: z
      .int()
      .min(0)
      .default(DAY)
      .describe('ms for which the key of a job that has ended still counts'),
    keepDeadMs: z.int().min(0).default(DAY).describe('ms for which dead letters are kept'),
  }),
  setup({ config, deps, provide, add, hooks, log, onBoot, onDispose }) {
    const { work, concurrency, graceMs } = config
    const storage = new MemoryStorage(config.maxJobs)
    const queue = new StoredQueue({
      storage,
      clock: deps.clock,
      log,
      work,
      ...(concurrency !== undefined && { concurrency }),
      pollMs: 1_000,
      storageMs: 1_000,
      died: () => void dead.count(),
    })
    const dead = deadJobs(queue)
    provide(JobQueue, () => queue)
    add(Health, 'queue', () => dead.fact())
    hooks.kernel.drain.tap(() => queue.stop(graceMs), { timeoutMs: graceMs + 2_000 })
    onBoot(() => {
      const rounds = setInterval(() => {
        storage.forget({
          endedBefore: deps.clock.now() - config.keepEndedMs,
          deadBefore: deps.clock.now() - config.keepDeadMs,
        })
        void dead.count()
      }, ROUND_MS)
      rounds.unref()
      return () => clearInterval(rounds)
    })
    onDispose(() => queue.close())
  },
})

export default queueMemory
