import type { HealthFact } from '../ports/health.ts'
import type { JobQueue } from '../ports/queue.ts'
import { timeLimit } from '../time.ts'

/** ms for one count. */
const COUNT_MS = 10_000

/** What `GET /health` says of dead letters, counted now and then. */
export interface DeadJobs {
  fact(): HealthFact
  count(): Promise<void>
}

/** Counts the dead letters of all queues. Where counting fails, the last count stands. */
export function deadJobs(queue: Pick<JobQueue, 'counts' | 'workers'>): DeadJobs {
  let dead: ReadonlyMap<string, number> = new Map()
  let counting = false
  return {
    fact() {
      const total = [...dead.values()].reduce((sum, count) => sum + count, 0)
      const working = queue.workers().filter(({ takes }) => takes)
      return {
        facts: { queue: { works: working.map((worker) => worker.queue), dead: total } },
        ...(total > 0 && {
          problem: `${total} jobs are dead, in ${[...dead.keys()].join(', ')}: see \`amodal ops queue dead\``,
        }),
      }
    },
    async count() {
      if (counting) return
      counting = true
      const counts = await queue.counts(undefined, timeLimit(COUNT_MS, 'counting jobs'))
      counting = false
      if (counts.ok)
        dead = new Map(
          [...counts.value].flatMap(([name, of]) => (of.dead > 0 ? [[name, of.dead]] : [])),
        )
    },
  }
}
