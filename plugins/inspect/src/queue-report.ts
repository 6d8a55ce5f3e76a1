import {
  ok,
  type DeadJob,
  type Failure,
  type JobQueue,
  type JsonObject,
  type Result,
  type TenantId,
} from '@amodal/sdk'

/** Dead letters of each queue that are listed, the latest first. */
const MOST_DEAD = 20

/**
 * Waiting, running and failed jobs by queue, and its consumers.
 *
 * @param tenant of the credential: dead letters of other tenants are not listed
 */
export async function queueReport(
  queue: JobQueue,
  tenant: TenantId | undefined,
  signal: AbortSignal,
): Promise<Result<JsonObject, Failure>> {
  const counts = await queue.counts(undefined, signal)
  if (!counts.ok) return counts
  const overview = await queue.overview?.(signal)
  if (overview?.ok === false) return overview
  const workers = queue.workers()
  const none = { waiting: 0, delayed: 0, active: 0, dead: 0 }
  const names = new Set([...counts.value.keys(), ...workers.map((worker) => worker.queue)])
  const dead = await deadIn(queue, [...counts.value], tenant, signal)
  if (!dead.ok) return dead
  return ok({
    queues: [...names].toSorted().map((name) => {
      const since = overview?.value.oldest.get(name)
      return {
        queue: name,
        ...(counts.value.get(name) ?? none),
        oldest: since === undefined ? null : new Date(since).toISOString(),
        worker: workerView(workers.find((worker) => worker.queue === name)),
      }
    }),
    processes: overview?.value.processes ?? null,
    dead: dead.value.map(deadView),
  })
}

function workerView(worker: ReturnType<JobQueue['workers']>[number] | undefined) {
  if (!worker) return null
  const { takes, concurrency, active } = worker
  return { takes, concurrency, active }
}

async function deadIn(
  queue: JobQueue,
  counts: readonly (readonly [name: string, of: { readonly dead: number }])[],
  tenant: TenantId | undefined,
  signal: AbortSignal,
): Promise<Result<readonly DeadJob[], Failure>> {
  const all: DeadJob[] = []
  for (const [name, { dead }] of counts) {
    if (dead === 0) continue
    const page = await queue.dead(name, { limit: MOST_DEAD }, signal)
    if (!page.ok) return page
    all.push(...page.value.jobs)
  }
  const seen = all.filter((job) => tenant === undefined || job.tenant === tenant)
  return ok(seen.toSorted((a, b) => b.diedAt - a.diedAt))
}

/** Without its data, which is content of a tenant. */
const deadView = ({ id, queue, reason, attempts, diedAt }: DeadJob): JsonObject => ({
  id,
  queue,
  reason,
  attempts,
  failed_at: new Date(diedAt).toISOString(),
})
