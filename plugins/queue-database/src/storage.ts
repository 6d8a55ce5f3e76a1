import { randomUUID } from 'node:crypto'
import {
  err,
  ok,
  principalId,
  tenantId,
  type Database,
  type DeadJob,
  type DeadPage,
  type Failure,
  type JobCancel,
  type JobRetries,
  type PublishedJob,
  type Result,
  type Statement,
  type TransactionRun,
} from '@amodal/sdk'
import { Batches, runIn, runQuery } from '@amodal/sdk/database'
import {
  dataOf,
  type CheckedJob,
  type Claim,
  type Claimed,
  type QueueStorage,
  type Settlement,
  type Wake,
  type Want,
} from '@amodal/sdk/queue'
import {
  BEAT,
  CLAIM,
  LOCK_CLAIMS,
  PROMOTE,
  REAP,
  SETTLE,
  UNLIMITED,
  wasClaimed,
  type LaneLimit,
  type SettledJob,
} from './claim-statements.ts'
import {
  ALIVE,
  CANCEL,
  COUNTS,
  DEAD,
  DEAD_GROUPS,
  FORGET_WORKERS,
  GROUP_OF,
  groupsOf,
  HEADS,
  INSERT,
  type InsertedJob,
  KEYED,
  LEAVE,
  LOCK_GROUPS,
  OLDEST,
  PRUNE,
  REDRIVE,
} from './job-statements.ts'

/** First part of the owners of this process, whichever kernel in it they belong to. */
const PROCESS = randomUUID().slice(0, 8)
const CHANNEL = 'queue_database'
const CANCEL_CHANNEL = 'queue_database_cancel'
/** Lanes of one queue that one claim looks at; the next claim goes on behind them. */
const MOST_LANES = 1_000

/** ms after which it is looked again for jobs of lost workers. */
const UPKEEP_MS = 1_000
/** ms for writing what becomes of several jobs. */
const SETTLE_MS = 10_000

/** What becomes of a job, and its group. */
interface End {
  readonly job: SettledJob
  readonly of: { readonly tenant: string; readonly queue: string; readonly grp: string | null }
}
interface Settled {
  /** The job was still claimed. */
  readonly held: boolean
}

/** Jobs in the Database slot, shared by all processes that reach it. */
export class DatabaseStorage implements QueueStorage {
  readonly leaseMs: number
  readonly #database: Database
  /** It may have a row among the workers. */
  #alive = false
  /** The last claim: of which queues, when, and until when nothing of them has to be made ready. */
  #kept = { queues: '', at: 0, until: 0 }
  /** Of each queue, the tenant whose job was claimed last: the ones behind it are next. */
  readonly #served = new Map<string, string>()
  readonly #ends: Batches<End, Settled>
  readonly #owner = `${PROCESS}:${randomUUID().slice(0, 8)}`

  /** @param leaseMs ms after which the jobs of a process that died are taken over */
  constructor(database: Database, leaseMs: number) {
    this.#database = database
    this.leaseMs = leaseMs
    this.#ends = new Batches({
      what: 'the ends of jobs',
      keyOf: ({ job }) => job.id,
      sizeOf: ({ job }) => job.reason?.length ?? 0,
      write: (ends, limit) => this.#settleAll(ends, limit),
      concurrency: 1,
      timeoutMs: SETTLE_MS,
    })
  }

  insert(
    jobs: readonly CheckedJob[],
    now: number,
    signal: AbortSignal,
  ): Promise<Result<readonly PublishedJob[], Failure>> {
    return this.#database.transaction((run) => this.insertIn(run, jobs, now), signal)
  }

  async insertIn(
    run: TransactionRun,
    jobs: readonly CheckedJob[],
    now: number,
  ): Promise<readonly PublishedJob[]> {
    const published = new Map<number, PublishedJob>()
    let left: readonly InsertedJob[] = jobs.map(insertedOf)
    const groups = groupsOf(left)
    if (groups !== undefined) await runIn(run, LOCK_GROUPS({ groups }))
    // A job that has the key may be forgotten between the two statements: then it is published.
    while (left.length > 0) {
      const made = await runIn(run, INSERT({ jobs: JSON.stringify(left), now, channel: CHANNEL }))
      const ids = new Set(made.map(({ id }) => id))
      for (const { at, id } of left) if (ids.has(id)) published.set(at, { id, fresh: true })
      left = left.filter(({ id }) => !ids.has(id))
      if (left.length === 0) break
      const keyed = left.map(({ at, tenant, queue, key }) => ({ at, tenant, queue, key }))
      for (const { at, id } of await runIn(run, KEYED({ jobs: JSON.stringify(keyed) })))
        published.set(at, { id, fresh: false })
      left = left.filter(({ at }) => !published.has(at))
    }
    if (groups !== undefined) await runIn(run, HEADS({ groups }))
    return jobs.flatMap((_, at) => published.get(at) ?? [])
  }

  async claim({ wants, now }: Claim, signal: AbortSignal): ReturnType<QueueStorage['claim']> {
    const queues = wants.map(({ queue }) => queue)
    const before = [...this.#upkeep(queues, now), LOCK_CLAIMS({ queues })]
    const claim = CLAIM({
      queues,
      limits: wants.map(({ limit }) => limit),
      perTenant: wants.map(({ perTenant = UNLIMITED }) => perTenant),
      after: queues.map((queue) => this.#served.get(queue) ?? ''),
      lanes: JSON.stringify(wants.flatMap(laneLimits)),
      mostLanes: MOST_LANES,
      salt: randomUUID(),
      owner: this.#owner,
      leaseMs: this.leaseMs,
    })
    this.#alive = true
    const rows = await runQuery(this.#database, { ...claim, before }, signal)
    if (!rows.ok) return rows
    const { next_due: nextDue = null, stopped_at: stoppedAt = null } = rows.value[0] ?? {}
    this.#kept = {
      queues: queues.join(' '),
      until: Math.min(nextDue ?? Infinity, now + UPKEEP_MS),
      at: now,
    }
    const claimed = rows.value.filter(wasClaimed)
    // Where nothing could be claimed of the lanes that were looked at, others are next.
    for (const [queue, tenant] of Object.entries(stoppedAt ?? {})) this.#served.set(queue, tenant)
    for (const { queue, tenant } of claimed) this.#served.set(queue, tenant)
    return ok({ jobs: claimed.map(claimedOf), ...(nextDue !== null && { nextDue }) })
  }

  /**
   * Makes delayed jobs ready, and jobs of lost workers. Claims follow each other closely where much
   * is to do: none is due before the moment that the last one named, and workers are not lost so
   * often.
   */
  #upkeep(queues: readonly string[], now: number): readonly Statement[] {
    const { queues: before, at, until } = this.#kept
    if (before === queues.join(' ') && now >= at && now < until) return []
    const { exclusive: alone } = this.#database
    return [PROMOTE({ queues, now }), REAP({ queues, process: PROCESS, alone })]
  }

  beat(signal: AbortSignal): ReturnType<QueueStorage['beat']> {
    return runQuery(this.#database, BEAT({ owner: this.#owner, leaseMs: this.leaseMs }), signal)
  }

  async settle(
    { id, fence, queue, tenant, group }: Claimed,
    settlement: Settlement,
    now: number,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    const job = { id, fence, ...columnsOf(settlement, now), now }
    const of = { tenant: tenant ?? '', queue, grp: group ?? null }
    const settled = await this.#ends.submit({ job, of }, signal)
    return settled.ok ? ok(settled.value.held) : settled
  }

  async #settleAll(
    ends: readonly End[],
    signal: AbortSignal,
  ): Promise<Result<readonly Settled[], Failure>> {
    const settle = SETTLE({
      owner: this.#owner,
      jobs: JSON.stringify(ends.map(({ job }) => job)),
      channel: CHANNEL,
    })
    const groups = groupsOf(ends.map(({ of }) => of))
    const before = groups === undefined ? [] : [LOCK_GROUPS({ groups })]
    const rows = await runQuery(this.#database, { ...settle, before }, signal)
    if (!rows.ok) return rows
    const held = new Set(rows.value.map(({ id }) => id))
    return ok(ends.map(({ job: { id } }) => ({ held: held.has(id) })))
  }

  async counts(
    queue: string | undefined,
    now: number,
    signal: AbortSignal,
  ): ReturnType<QueueStorage['counts']> {
    const rows = await runQuery(this.#database, COUNTS({ queue: queue ?? null, now }), signal)
    return rows.ok ? ok(new Map(rows.value.map(({ queue: name, ...of }) => [name, of]))) : rows
  }

  async overview(
    now: number,
    signal: AbortSignal,
  ): ReturnType<NonNullable<QueueStorage['overview']>> {
    const [jobs, workers] = await Promise.all([
      runQuery(this.#database, OLDEST({ now }), signal),
      runQuery(this.#database, ALIVE(), signal),
    ])
    if (!jobs.ok) return jobs
    if (!workers.ok) return workers
    return ok({
      oldest: new Map(jobs.value.map(({ queue, due }) => [queue, due])),
      processes: workers.value[0]?.processes ?? 0,
    })
  }

  async dead(
    queue: string,
    { limit, after }: DeadPage,
    signal: AbortSignal,
  ): ReturnType<QueueStorage['dead']> {
    const from = cursorOf(after)
    const rows = await runQuery(this.#database, DEAD({ queue, limit: limit + 1, ...from }), signal)
    if (!rows.ok) return rows
    const page = rows.value.slice(0, limit)
    const last = rows.value.length > limit ? page.at(-1) : undefined
    return ok({ jobs: page.map(deadOf), ...(last && { next: `${last.ended_at}.${last.n}` }) })
  }

  async redrive(
    queue: string,
    ids: readonly string[] | 'all',
    now: number,
    signal: AbortSignal,
  ): Promise<Result<number, Failure>> {
    const chosen = ids === 'all' ? null : ids
    return this.#database.transaction(async (run) => {
      const groups = groupsOf(await runIn(run, DEAD_GROUPS({ queue, ids: chosen })))
      if (groups !== undefined) await runIn(run, LOCK_GROUPS({ groups }))
      const back = await runIn(run, REDRIVE({ queue, ids: chosen, now, channel: CHANNEL }))
      const live = groupsOf(back)
      if (live !== undefined) await runIn(run, HEADS({ groups: live }))
      return back.length
    }, signal)
  }

  cancel(
    queue: string,
    id: string,
    now: number,
    signal: AbortSignal,
  ): Promise<Result<JobCancel, Failure>> {
    const channels = { channel: CHANNEL, cancelChannel: CANCEL_CHANNEL }
    return this.#database.transaction(async (run) => {
      const groups = groupsOf(await runIn(run, GROUP_OF({ queue, id })))
      if (groups !== undefined) await runIn(run, LOCK_GROUPS({ groups }))
      const [was] = await runIn(run, CANCEL({ queue, id, now, ...channels }))
      if (groups !== undefined) await runIn(run, HEADS({ groups }))
      return cancelOf(was?.state)
    }, signal)
  }

  async prune(
    before: Parameters<QueueStorage['prune']>[0],
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const workers = await runQuery(this.#database, FORGET_WORKERS(), signal)
    if (!workers.ok) return workers
    for (;;) {
      const gone = await runQuery(this.#database, PRUNE(before), signal)
      if (!gone.ok) return err(gone.error)
      if (gone.value.length === 0) return ok(undefined)
    }
  }

  watch(wake: (what: Wake) => void): () => void {
    const ends = [
      this.#database.listen(CHANNEL, (queue) => wake({ kind: 'ready', queue })),
      this.#database.listen(CANCEL_CHANNEL, () => wake({ kind: 'cancelled' })),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  async close(signal: AbortSignal): Promise<Result<void, Failure>> {
    // A process that took no jobs does not open the database for this.
    if (!this.#alive) return ok(undefined)
    const left = await runQuery(this.#database, LEAVE({ owner: this.#owner }), signal)
    return left.ok ? ok(undefined) : left
  }
}

const laneLimits = ({ queue, perLane }: Want): readonly LaneLimit[] =>
  Object.entries(perLane).map(([lane, most]) => ({ queue, lane, most }))

const insertedOf = (job: CheckedJob, at: number): InsertedJob => ({
  at,
  id: randomUUID(),
  tenant: job.tenant,
  queue: job.queue,
  key: job.key ?? null,
  grp: job.group ?? null,
  lane: job.lane,
  principal: job.principal ?? null,
  priority: job.priority,
  due: job.due,
  deadline: job.deadline ?? null,
  attempt_ms: job.attemptMs ?? null,
  data: job.data,
  retries: JSON.stringify(job.retries),
})

type ClaimRow = NonNullable<ReturnType<typeof CLAIM>['~row']>

const claimedOf = (row: Extract<ClaimRow, { readonly id: string }>): Claimed => ({
  id: row.id,
  queue: row.queue,
  fence: row.fence,
  data: dataOf(row.data),
  ...(row.key !== null && { key: row.key }),
  ...(row.grp !== null && { group: row.grp }),
  ...(row.tenant !== '' && { tenant: tenantId(row.tenant) }),
  ...(row.principal !== null && { principal: principalId(row.principal) }),
  priority: row.priority,
  publishedAt: row.published_at,
  ...(row.deadline !== null && { deadline: row.deadline }),
  ...(row.reason !== null && { reason: row.reason }),
  attempts: row.attempts,
  lost: row.lost,
  cancelling: row.cancelling,
  retries: JSON.parse(row.retries) as JobRetries, // as it was stored
  ...(row.attempt_ms !== null && { attemptMs: row.attempt_ms }),
})

type DeadRow = NonNullable<ReturnType<typeof DEAD>['~row']>

const deadOf = (row: DeadRow): DeadJob => ({
  id: row.id,
  queue: row.queue,
  data: dataOf(row.data),
  ...(row.key !== null && { key: row.key }),
  ...(row.grp !== null && { group: row.grp }),
  ...(row.tenant !== '' && { tenant: tenantId(row.tenant) }),
  attempts: row.attempts,
  reason: row.reason ?? '',
  publishedAt: row.published_at,
  diedAt: row.ended_at ?? 0,
})

function columnsOf(
  settlement: Settlement,
  now: number,
): {
  readonly state: 'done' | 'waiting' | 'delayed' | 'dead'
  readonly due: number
  readonly attempts: number
  readonly reason: string | null
} {
  switch (settlement.to) {
    case 'done':
      return { state: 'done', due: now, attempts: 0, reason: null }
    case 'dead':
      return { ...settlement, state: 'dead', due: now }
    case 'again':
      return { ...settlement, state: settlement.due > now ? 'delayed' : 'waiting' }
    default:
      return settlement satisfies never
  }
}

function cancelOf(state: string | undefined): JobCancel {
  if (state === undefined) return 'unknown'
  if (state === 'active') return 'cancelling'
  return state === 'waiting' || state === 'delayed' ? 'cancelled' : 'ended'
}

/** Where a page begins; an invalid cursor is the first page. */
function cursorOf(after = ''): { readonly endedAt: number; readonly n: number } {
  const [, endedAt, n] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? []
  return endedAt === undefined
    ? { endedAt: Number.MAX_SAFE_INTEGER, n: 0 }
    : { endedAt: Number(endedAt), n: Number(n) }
}
