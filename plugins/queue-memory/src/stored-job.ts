import { principalId, tenantId, type DeadJob } from '@amodal/sdk'
import { dataOf, type CheckedJob, type Claimed } from '@amodal/sdk/queue'

export type JobState = 'open' | 'active' | 'done' | 'dead' | 'cancelled'

/** A job as it is kept; `open` ones may begin when they are due. */
export interface StoredJob {
  readonly id: string
  /** Jobs are numbered as they are published. */
  readonly n: number
  readonly job: CheckedJob
  readonly publishedAt: number
  state: JobState
  due: number
  deadline: number | undefined
  attempts: number
  /** Claims so far. */
  fence: number
  cancelling: boolean
  reason: string | undefined
  endedAt: number
}

export const storedJob = (id: string, n: number, job: CheckedJob, now: number): StoredJob => ({
  id,
  n,
  job,
  publishedAt: now,
  state: 'open',
  due: job.due,
  deadline: job.deadline,
  attempts: 0,
  fence: 0,
  cancelling: false,
  reason: undefined,
  endedAt: 0,
})

export const isLive = ({ state }: StoredJob): boolean => state === 'open' || state === 'active'

/** Texts that name a key or group of one tenant and queue. */
export const scoped = ({ tenant, queue }: CheckedJob, name: string): string =>
  JSON.stringify([tenant, queue, name])

export function claimedOf({
  id,
  job,
  fence,
  attempts,
  deadline,
  reason,
  ...at
}: StoredJob): Claimed {
  const { queue, key, group, tenant, principal, priority, retries, attemptMs } = job
  return {
    id,
    queue,
    fence,
    data: dataOf(job.data),
    ...(key !== undefined && { key }),
    ...(group !== undefined && { group }),
    ...(tenant !== '' && { tenant: tenantId(tenant) }),
    ...(principal !== undefined && { principal: principalId(principal) }),
    priority,
    publishedAt: at.publishedAt,
    ...(deadline !== undefined && { deadline }),
    ...(reason !== undefined && { reason }),
    attempts,
    lost: 0,
    cancelling: false,
    retries,
    ...(attemptMs !== undefined && { attemptMs }),
  }
}

export function deadOf({
  id,
  job,
  attempts,
  reason = '',
  publishedAt,
  endedAt,
}: StoredJob): DeadJob {
  const { queue, data, key, group, tenant } = job
  return {
    id,
    queue,
    data: dataOf(data),
    ...(key !== undefined && { key }),
    ...(group !== undefined && { group }),
    ...(tenant !== '' && { tenant: tenantId(tenant) }),
    attempts,
    reason,
    publishedAt,
    diedAt: endedAt,
  }
}
