import {
  Database,
  definePlugin,
  explain,
  Kernel,
  principalId,
  sessionId,
  SessionFacts,
  StoreBackend,
  tenantId,
  unwrap,
  use,
  type Entry,
  type Failure,
  type Result,
  type Row,
  type Statement,
  type StoreDefinition,
  type StoreQuery,
} from '@amodal/sdk'
import { dbPglite } from '@amodal/plugin-db-pglite'
import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import { afterAll, describe, expect, test } from 'vitest'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { storesDatabase } from '../src/index.ts'

const TENANT = 'acme'
const signal = AbortSignal.timeout(240_000)
const STORE: StoreDefinition = {
  name: 'deals',
  file: 'stores/deals.json',
  raw: {},
  entity: {
    name: 'Deal',
    key: '{id}',
    schema: {
      id: { type: 'string' },
      amount: { type: 'number' },
      stage: { type: 'enum', values: ['new', 'won'] },
      closes: { type: 'datetime' },
    },
  },
}
const START = Date.UTC(2026, 0, 1)

/** Documents as writes leave them, made by the database: what is tested is how they are found. */
const fillWith = (n: number): string => `
with n as (
  select 'd' || lpad(((n * 7919) % ${n})::text, 6, '0') as key, ((n * 104729) % ${n})::float8 as amount, case when n % 100 = 0 then 'won' else 'new' end as stage,
    timestamptz '2026-01-01T00:00:00Z' + ((n * 7) % ${n}) * interval '1 minute' as closes
  from generate_series(0::bigint, ${n - 1}) n),
d as (
  insert into stores_database_document(tenant, store, key, version, payload, computed_at)
  select '${TENANT}', 'deals', key, 1, jsonb_build_object('amount', amount, 'stage', stage, 'closes', closes), now() from n)
insert into stores_database_value(tenant, store, key, field, text, number, moment)
select '${TENANT}', 'deals', key, v.* from n cross join lateral (values ('amount', null, amount, null), ('stage', stage, null, null), ('closes', null, null, closes)) v`

/** Every statement as it is sent. */
const sent: Statement[] = []
const recorder = definePlugin({
  name: 'recorder',
  version: '1.0.0',
  decorates: [Database],
  setup({ decorate }) {
    decorate(Database, (inner) => ({
      get dialect() {
        return inner.dialect
      },
      get exclusive() {
        return inner.exclusive
      },
      run: (statement, aborted) => {
        sent.push(statement)
        return inner.run(statement, aborted)
      },
      transaction: (...args) => inner.transaction(...args),
      listen: (...args) => inner.listen(...args),
      notify: (...args) => inner.notify(...args),
      ready: () => inner.ready(),
    }))
  },
})

const value = <T>(result: Result<T, Failure>): T => unwrap(result, ({ message }) => message)

interface Large {
  readonly database: Database
  readonly store: StoreBackend
}
async function fill(kernel: Kernel, n: number): Promise<Large> {
  const database = kernel.scope.get(Database)
  value(await database.run({ sql: fillWith(n), parameters: [] }, signal))
  const facts = { tenant: tenantId(TENANT), session: sessionId('s'), principal: principalId('p') }
  return {
    database,
    store: kernel.scope.child('session', [[SessionFacts, facts]]).get(StoreBackend),
  }
}

/**
 * What a query finds; the nodes of the plans that reach a table, and how many rows the page takes
 * from them.
 */
interface Looked {
  readonly total: number
  readonly keys: readonly string[]
  readonly scans: readonly string[]
  readonly rows: number
}
async function look({ store, database }: Large, query: Partial<StoreQuery>): Promise<Looked> {
  sent.length = 0
  const page = value(
    await store.query(STORE, { filters: [], limit: 3, offset: 0, ...query }, signal),
  )
  const scans: string[] = []
  let rows = 0
  for (const statement of sent.splice(0)) {
    const explained = value(
      await database.run(
        {
          ...statement,
          sql: `explain (analyze, costs off, timing off, format json) ${statement.sql}`,
        },
        signal,
      ),
    )
    for (const { node, read } of nodesOf(explained)) {
      if (!/Scan$/.test(node)) continue
      scans.push(node)
      if (statement.sql.includes('limit')) rows += read
    }
  }
  return { total: page.total, keys: page.documents.map(({ key }) => key), scans, rows }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}
const nodesOf = (
  explained: readonly Row[],
): readonly { readonly node: string; readonly read: number }[] => {
  const nodes: { readonly node: string; readonly read: number }[] = []
  const walk = (plan: Plan): void => {
    if (plan['Actual Loops'] > 0)
      nodes.push({
        node: `${plan['Index Name'] ?? ''} ${plan['Node Type']}`.trim(),
        read: plan['Actual Rows'] * plan['Actual Loops'],
      })
    plan.Plans?.forEach(walk)
  }
  const told = explained[0]?.['QUERY PLAN']
  const [{ Plan: plan }] = (typeof told === 'string' ? JSON.parse(told) : told) as readonly [
    { readonly Plan: Plan },
  ] // what `format json` gives
  walk(plan)
  return nodes
}

interface Opened {
  readonly entries: readonly Entry[]
  readonly stop: () => Promise<void>
}
const DATABASES: readonly {
  readonly name: string
  readonly n: number
  readonly open: () => Promise<Opened>
}[] = [
  {
    name: 'PGlite',
    n: 20_000,
    open: () =>
      Promise.resolve({
        entries: [use(dbPglite, { dataDir: 'memory://' })],
        stop: () => Promise.resolve(),
      }),
  },
  {
    name: 'Postgres',
    n: 100_000,
    open: async () => {
      const postgres = await startPostgres()
      return {
        entries: [
          use(secretsEnv, { env: { DATABASE_URL: await postgres.createDatabase() } }),
          use(dbPostgres),
        ],
        stop: () => postgres.stop(),
      }
    },
  },
]

describe.each(DATABASES)('$n documents on $name', ({ n, open }) => {
  let close = (): Promise<void> => Promise.resolve()
  afterAll(() => close())

  test(
    'are found and sorted by typed fields with the index, before the database knows anything of the tables and after',
    { timeout: 120_000 },
    async () => {
      const { entries, stop } = await open()
      const kernel = unwrap(
        await Kernel.create([...entries, use(recorder), use(storesDatabase)]),
        explain,
      )
      close = async () => {
        await kernel.close()
        await stop()
      }
      const large = await fill(kernel, n)
      const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString()

      for (const known of [false, true]) {
        if (known)
          for (const table of ['document', 'value'])
            value(
              await large.database.run(
                { sql: `analyze stores_database_${table}`, parameters: [] },
                signal,
              ),
            )

        const first = await look(large, {})
        expect(first).toMatchObject({ total: n, keys: ['d000000', 'd000001', 'd000002'] })
        expect(first.rows).toBeLessThan(50)

        const most = await look(large, { sort: { field: 'amount', descending: true } })
        expect(most.scans).toContain('stores_database_value_number Index Only Scan')
        expect(most.rows).toBeLessThan(50)
        const payloads = value(
          await large.store.query(
            STORE,
            { filters: [], sort: { field: 'amount', descending: true }, limit: 3, offset: 0 },
            signal,
          ),
        ).documents
        expect(payloads.map(({ payload }) => payload['amount'])).toEqual([n - 1, n - 2, n - 3])

        const early = await look(large, {
          filters: [{ field: 'closes', op: 'lt', value: at(50) }],
          sort: { field: 'amount', descending: false },
        })
        expect(early.total).toBe(50)
        expect(early.scans.join()).toMatch(
          /stores_database_value_moment (Index Only|Bitmap Index) Scan/,
        )
        expect(early.rows).toBeLessThan(250)

        const won = await look(large, {
          filters: [
            { field: 'stage', op: 'eq', value: 'won' },
            { field: 'amount', op: 'gte', value: n / 2 },
          ],
        })
        expect(won.total).toBe(n / 200)
        expect(won.scans.join()).toMatch(/stores_database_value_text/)
        expect(won.scans.join()).toMatch(/stores_database_value_number/)

        const newest = await look(large, {
          filters: [{ field: 'stage', op: 'eq', value: 'new' }],
          sort: { field: 'closes', descending: true },
        })
        expect(newest.total).toBe(n - n / 100)
        expect(newest.scans).toContain('stores_database_value_moment Index Only Scan')
        expect(newest.rows).toBeLessThan(50)
      }
    },
  )
})
