import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  queue_database_job: {
    /** Empty for a job of no tenant. */
    tenant: string
    queue: string
    id: string
    /** The order in which jobs were published. */
    n: Generated<number>
    key: string | null
    grp: string | null
    /** Empty for a job without one. */
    lane: Generated<string>
    /** It may begin: it has no group, or no job of its group is before it. */
    head: boolean
    principal: string | null
    state: 'waiting' | 'delayed' | 'active' | 'done' | 'dead' | 'cancelled'
    priority: number
    /** ms since the epoch, as are all times but leases. */
    due: number
    deadline: number | null
    attempt_ms: number | null
    /** JSON. */
    data: string
    /** JSON of `JobRetries`. */
    retries: string
    attempts: Generated<number>
    /** Workers that were lost with it. */
    lost: Generated<number>
    /** Claims so far. */
    fence: Generated<number>
    owner: string | null
    cancelling: Generated<boolean>
    reason: string | null
    published_at: number
    ended_at: number | null
  }
  queue_database_worker: {
    /** A process and a queue in it. */
    id: string
    alive_until: Date
  }
}

export const db = tables<Tables>()
