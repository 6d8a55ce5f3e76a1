import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import {
  Database,
  Erasers,
  explain,
  Health,
  JobQueue,
  Kernel,
  principalId,
  unwrap,
  use,
  type Failure,
  type Job,
  type Result,
  type Row,
} from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { queueDatabase } from '../src/index.ts'
import { CLAIM } from '../src/claim-statements.ts'
import { MIGRATIONS } from '../src/migrations.ts'

const { signal } = new AbortController()
const WAIT = { timeout: 30_000, interval: 25 }

let postgres: Postgres
let url: string
const kernels: Kernel[] = []
beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
}, 120_000)
afterAll(async () => {
  await Promise.all(kernels.map((kernel) => kernel.close()))
  await postgres.stop()
})

const value = <T>(result: Result<T, Failure>): T => unwrap(result, ({ message }) => message)

interface Instance {
  readonly kernel: Kernel
  readonly queue: JobQueue
  readonly sql: (sql: string, ...parameters: unknown[]) => Promise<readonly Row[]>
}

async function instance(
  config: Parameters<typeof use<typeof queueDatabase>>[1] = {},
): Promise<Instance> {
  const kernel = unwrap(
    await Kernel.create([
      use(secretsEnv, { env: {} }),
      use(dbPostgres, { url, max: 4 }),
      use(queueDatabase, config),
    ]),
    explain,
  )
  kernels.push(kernel)
  const database = kernel.scope.get(Database)
  return {
    kernel,
    queue: kernel.scope.get(JobQueue),
    sql: async (sql, ...parameters) => value(await database.run({ sql, parameters }, signal)),
  }
}

it('has tables as the house wants them', async () => {
  const { kernel } = await instance()
  const across = 'jobs are found by id, and claimed across tenants'
  expect(
    await catalogueProblems(
      kernel.scope.get(Database),
      [MIGRATIONS],
      { queue_database_job: across, queue_database_worker: 'processes belong to no tenant' },
      signal,
    ),
  ).toEqual({ ok: true, value: [] })
})

describe('publishing in a transaction', () => {
  it('publishes with it, and not without it', async () => {
    const { kernel, queue } = await instance()
    const database = kernel.scope.get(Database)
    const ran: Job[] = []
    const worker = value(
      queue.work({
        queue: 'outbox',
        concurrency: 1,
        handler: (job) => {
          ran.push(job)
          return Promise.resolve({ kind: 'done' })
        },
      }),
    )
    const publish = (n: number, fails: boolean) =>
      database.transaction(async (run) => {
        await queue.publishIn?.(run, [{ queue: 'outbox', data: { n } }])
        if (fails) throw new Error('rolled back')
        return n
      }, signal)
    expect(await publish(1, true)).toMatchObject({ ok: false })
    expect(await publish(2, false)).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(ran).toHaveLength(1), WAIT)
    expect(ran[0]?.data).toEqual({ n: 2 })
    await worker.stop(0)
  })
})

describe('a process that stood still for longer than its lease', () => {
  it('is told that its jobs are lost, and changes nothing any more', async () => {
    const [slow, other] = [await instance({ leaseMs: 1_500 }), await instance({ leaseMs: 1_500 })]
    const signals: AbortSignal[] = []
    const taken: Job[] = []
    const begun = Promise.withResolvers<undefined>()
    const released = Promise.withResolvers<undefined>()
    const slowly = value(
      slow.queue.work({
        queue: 'frozen',
        concurrency: 1,
        handler: async (_, aborted) => {
          signals.push(aborted)
          await new Promise((resolve) => {
            aborted.addEventListener('abort', resolve)
          })
          await begun.promise
          return { kind: 'done' }
        },
      }),
    )
    await slow.queue.publish([{ queue: 'frozen', data: {}, key: 'k' }], signal)
    await vi.waitFor(() => expect(signals).toHaveLength(1), WAIT)
    const there = value(
      other.queue.work({
        queue: 'frozen',
        concurrency: 1,
        handler: async (job) => {
          taken.push(job)
          begun.resolve(undefined)
          await released.promise
          return { kind: 'done' }
        },
      }),
    )
    // What another process does once the lease has run out.
    await slow.sql(
      `update queue_database_job set state = 'waiting', owner = null, lost = 1 where queue = 'frozen'`,
    )
    await vi.waitFor(() => expect(signals[0]?.reason).toBe('lost'), WAIT)
    await vi.waitFor(() => expect(taken).toHaveLength(1), WAIT)
    await slowly.stop(10_000)
    expect(
      await slow.sql(`select state, lost from queue_database_job where queue = 'frozen'`),
    ).toEqual([{ state: 'active', lost: 1 }])
    released.resolve(undefined)
    await vi.waitFor(
      async () =>
        expect(
          await slow.sql(`select state from queue_database_job where queue = 'frozen'`),
        ).toEqual([{ state: 'done' }]),
      WAIT,
    )
    await there.stop(0)
  })
})

describe('claims that cross', () => {
  it('one job of a group is active, whatever two processes see of each other', async () => {
    const { sql } = await instance()
    const insert = (id: string, state: string): Promise<readonly Row[]> =>
      sql(
        `insert into queue_database_job (tenant, queue, id, grp, head, state, priority, due, data, retries, published_at)
         values ('', 'crossing', $1, 'g', true, $2, 0, 0, '{}', '{}', 0)`,
        id,
        state,
      )
    await insert('one', 'active')
    await expect(insert('two', 'active')).rejects.toThrow('queue_database_job_head')
    await sql(`delete from queue_database_job where queue = 'crossing'`)
  })
})

describe('an idle process', () => {
  it('asks the database once in two seconds at most, and less where nothing works', async () => {
    const [works, publishes] = [await instance(), await instance({ work: false })]
    const handler = () => Promise.resolve({ kind: 'done' } as const)
    for (const queue of ['idle-a', 'idle-b', 'idle-c'])
      for (const { queue: jobs } of [works, publishes])
        value(jobs.work({ queue, concurrency: 1, handler }))
    let statements = 0
    const spied = vi.spyOn(works.kernel.scope.get(Database), 'run')
    const none = vi.spyOn(publishes.kernel.scope.get(Database), 'run')
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    statements = spied.mock.calls.length
    expect(statements).toBeGreaterThan(0)
    expect(statements).toBeLessThanOrEqual(5)
    expect(none.mock.calls).toEqual([])
    spied.mockRestore()
    none.mockRestore()
  })
})

describe('the jobs of a person', () => {
  it('go with the person', async () => {
    const { kernel, queue } = await instance()
    const database = kernel.scope.get(Database)
    const job = { queue: 'personal', data: { text: 'mine' } }
    const [anna, bob] = [principalId('jwt:anna'), principalId('jwt:bob')]
    await queue.publish([{ ...job, principal: anna }, { ...job, principal: bob }, job], signal)
    const eraser = kernel.current().registry(Erasers).get('queue-database')
    const erased = await database.transaction(
      async (run) => eraser?.erase({ principal: anna, sessions: [] }, run),
      signal,
    )
    expect(erased).toMatchObject({ value: { ok: true, value: { removed: 1, unknown: 0 } } })
    const counts = value(await queue.counts('personal', signal))
    expect(counts.get('personal')).toMatchObject({ waiting: 2 })
  })
})

describe('health', () => {
  it('says that jobs are dead', async () => {
    const { kernel, queue } = await instance()
    const worker = value(
      queue.work({
        queue: 'sick',
        concurrency: 1,
        handler: () => Promise.resolve({ kind: 'dead', reason: 'x' }),
      }),
    )
    await queue.publish([{ queue: 'sick', data: {} }], signal)
    await vi.waitFor(
      async () => expect(value(await queue.counts('sick', signal)).get('sick')?.dead).toBe(1),
      WAIT,
    )
    const health = kernel.current().registry(Health).get('queue')
    await vi.waitFor(() => expect(health?.().problem).toContain('1 jobs are dead, in sick'), WAIT)
    await worker.stop(0)
  }, 60_000)
})

describe('a tenant with 100,000 jobs that wait', () => {
  it('costs a claim no more rows than any other, and holds up no other tenant', async () => {
    const { sql } = await instance({ work: false })
    await sql(
      `insert into queue_database_job (tenant, queue, id, lane, head, state, priority, due, data, retries, published_at)
       select case when n <= 100000 then 'busy' else 'small' || n end, 'backlog', n::text, 'l' || n % 3, true, 'waiting', 0, 0, '{}', '{}', 0
       from generate_series(1, 100020) n`,
    )
    for (const analyze of [false, true]) {
      if (analyze) await sql('analyze queue_database_job')
      const claim = CLAIM({
        queues: ['backlog'],
        limits: [10],
        perTenant: [5],
        after: [''],
        lanes: JSON.stringify([{ queue: 'backlog', lane: 'l1', most: 2 }]),
        mostLanes: 1_000,
        salt: 'x',
        owner: 'somebody',
        leaseMs: 7_500,
      })
      const [row] = await sql(`explain (analyze, format json) ${claim.sql}`, ...claim.parameters)
      const [plan] = row?.['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[]
      const rows = visited(plan?.Plan)
      process.stdout.write(`a claim among 100,020 jobs visits ${rows} rows\n`)
      expect(rows).toBeLessThan(1_000)
      const claimed = await sql(
        `select tenant, count(*)::int jobs from queue_database_job where queue = 'backlog' and state = 'active' group by 1`,
      )
      expect(claimed).toHaveLength(10)
      await sql(`update queue_database_job set state = 'waiting', owner = null where queue = 'backlog'
        and state = 'active'`)
    }
    await sql(`delete from queue_database_job where queue = 'backlog'`)
  }, 120_000)
})

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Rows of the table of jobs that a plan has read. */
function visited(node: PlanNode | undefined): number {
  if (!node) return 0
  const own =
    node['Relation Name'] === 'queue_database_job'
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0
  return (node.Plans ?? []).reduce((sum, inner) => sum + visited(inner), own)
}
