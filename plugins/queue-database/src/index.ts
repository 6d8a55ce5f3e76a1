import {
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Health,
  JobQueue,
  Migrations,
  timeLimit,
} from '@amodal/sdk'
import { InstallationChecks } from '@amodal/sdk/inspection'
import { deadJobs, StoredQueue } from '@amodal/sdk/queue'
import { z } from 'zod'
import { queueCheckup } from './checkup.ts'
import { eraser } from './eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { queueCommand } from './queue-command.ts'
import { DatabaseStorage } from './storage.ts'
import { workerCommand } from './worker-command.ts'

const DAY = 24 * 60 * 60 * 1_000
/** ms between two counts of dead letters. */
const COUNT_MS = 30_000
/** ms between two rounds of forgetting jobs that have ended. */
const PRUNE_MS = 600_000
const PRUNE_LIMIT_MS = 60_000

/**
 * Jobs in the database: they survive the process, and any number of processes share them.
 *
 * @example
 * use(queueDatabase, { work: false }) // a web process: it publishes jobs and runs none
 */
export const queueDatabase = definePlugin({
  name: 'queue-database',
  version: '0.1.0',
  requires: { database: Database, clock: Clock },
  provides: [JobQueue],
  config: z.strictObject({
    work: z
      .union([z.boolean(), z.array(z.string().min(1))])
      .default(true)
      .describe('which queues this process takes jobs of: all, none, or these'),
    concurrency: z
      .int()
      .min(1)
      .optional()
      .describe('jobs of one queue at the same time at most, where its worker would take more'),
    leaseMs: z
      .int()
      .min(1_000)
      .max(60_000)
      .default(7_500)
      .describe('ms after which the jobs of a process that died are taken over'),
    pollMs: z
      .int()
      .min(1_000)
      .default(2_000)
      .describe('ms after which an idle process looks for jobs, if nothing woke it'),
    timeoutMs: z.int().min(100).default(5_000).describe('ms for one statement'),
    graceMs: z
      .int()
      .min(0)
      .default(8_000)
      .describe('ms for running jobs to stop when the process ends; then they are handed over'),
    keepEndedMs: z
      .int()
      .min(0)
      .default(7 * DAY)
      .describe('ms for which the key of a job that has ended still counts'),
    keepDeadMs: z
      .int()
      .min(0)
      .default(30 * DAY)
      .describe('ms for which dead letters are kept'),
  }),
  setup({ config, deps: { database, clock }, provide, add, hooks, log, onBoot, onDispose }) {
    const { work, concurrency, graceMs } = config
    const storage = new DatabaseStorage(database, config.leaseMs)
    const queue = new StoredQueue({
      storage,
      clock,
      log,
      work,
      ...(concurrency !== undefined && { concurrency }),
      pollMs: config.pollMs,
      storageMs: config.timeoutMs,
      died: () => void dead.count(),
    })
    const dead = deadJobs(queue)
    add(Migrations, 'queue-database', MIGRATIONS)
    add(InstallationChecks, 'jobs', queueCheckup)
    add(Erasers, 'queue-database', eraser)
    add(Health, 'queue', () => dead.fact())
    add(Commands, 'ops queue', queueCommand)
    add(
      Commands,
      'worker',
      workerCommand(() => queueDatabase),
    )
    provide(JobQueue, () => queue)
    hooks.kernel.drain.tap(() => queue.stop(graceMs), { timeoutMs: graceMs + config.timeoutMs })
    onBoot(() => {
      const life = new AbortController()
      const prune = async (): Promise<void> => {
        const now = clock.now()
        const before = {
          endedBefore: now - config.keepEndedMs,
          deadBefore: now - config.keepDeadMs,
        }
        const limit = timeLimit(PRUNE_LIMIT_MS, 'forgetting jobs', life.signal)
        const done = await storage.prune(before, limit)
        if (!done.ok) log.debug('queue.prune_failed', { message: done.error.message })
      }
      const timers = [
        setInterval(() => void dead.count(), COUNT_MS),
        setInterval(() => void prune(), PRUNE_MS),
      ]
      for (const timer of timers) timer.unref()
      return () => {
        life.abort()
        for (const timer of timers) clearInterval(timer)
      }
    })
    onDispose(() => queue.close())
  },
})

export default queueDatabase
