import {
  Database,
  definePlugin,
  explain,
  Kernel,
  LOCAL_TENANT,
  Migrations,
  principalId,
  sessionId,
  SessionFacts,
  StoreBackend,
  tenantId,
  unwrap,
  use,
  type StoreDefinition,
} from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { pluginContract, storeContract } from '@amodal/sdk/testing'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetCalls } from '../src/forget-calls.ts'
import { storesDatabase } from '../src/index.ts'
import { MIGRATIONS } from '../src/migrations.ts'
import { purge } from '../src/purge.ts'

const signal = AbortSignal.timeout(60_000)
let kernel: Kernel
beforeAll(async () => {
  kernel = unwrap(
    await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(storesDatabase)]),
    explain,
  )
})
afterAll(() => kernel.close())

const of = (tenant: string): StoreBackend =>
  kernel.scope
    .child('session', [
      [
        SessionFacts,
        { tenant: tenantId(tenant), session: sessionId('s'), principal: principalId('p') },
      ],
    ])
    .get(StoreBackend)

// Each test has tenants of its own, so that they can share a database.
let run = 0
storeContract('stores-database on PGlite', {
  async make() {
    const mine = ++run
    return {
      of: (tenant) => of(`${mine}-${tenant}`),
      close: async () => undefined,
      async purge() {
        const { gone } = unwrap(
          await purge(kernel.scope.get(Database), 0, signal),
          ({ message }) => message,
        )
        return gone.reduce((sum, { count }) => sum + count, 0)
      },
    }
  },
})

pluginContract(storesDatabase, { config: {}, with: [use(dbPglite, { dataDir: 'memory://' })] })

test("its tables are such as every plugin's must be", async () => {
  expect(
    await catalogueProblems(
      kernel.scope.get(Database),
      [...kernel.current().registry(Migrations).values()],
      {},
      signal,
    ),
  ).toEqual({ ok: true, value: [] })
})

test('keys of writes are forgotten in time, those of seed documents never', async () => {
  const database = kernel.scope.get(Database)
  const store = of(LOCAL_TENANT)
  const notes = {
    name: 'notes',
    file: 'stores/notes.json',
    raw: {},
    entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' as const } } },
  }
  const write = async (callKey: string) =>
    unwrap(
      await store.write(
        notes,
        [{ key: callKey, payload: { id: callKey } }],
        { atomic: true, callKey },
        signal,
      ),
      ({ message }) => message,
    )
  for (const key of ['run:old', 'run:new', 'seed:notes:old']) await write(key)
  unwrap(
    await database.run(
      {
        sql: "update stores_database_call set at = at - interval '31 days' where call_key like '%old'",
        parameters: [],
      },
      signal,
    ),
    ({ message }) => message,
  )
  expect(unwrap(await forgetCalls(database, 30), ({ message }) => message)).toHaveLength(1)
  const versions = []
  for (const key of ['run:old', 'run:new', 'seed:notes:old']) versions.push((await write(key))[0])
  expect(versions).toMatchObject([{ version: 2 }, { version: 1 }, { version: 1 }])
})

test('documents from before there was an index are found by it', async () => {
  const old = definePlugin({
    name: 'stores-before',
    version: '1.0.0',
    provides: [Migrations],
    setup: ({ add }) => {
      add(Migrations, 'stores-database', {
        ...MIGRATIONS,
        migrations: MIGRATIONS.migrations.slice(0, 2),
        tenantTables: MIGRATIONS.tenantTables.slice(0, 3),
      })
    },
  })
  const database = use(dbPglite, { dataDir: 'memory://' })
  const upgraded = unwrap(await Kernel.create([database, use(old)]), explain)
  const many = `insert into stores_database_document(tenant, store, key, version, payload, computed_at)
    select 'local', 'parts', 'p' || n, 1, jsonb_build_object('id', 'p' || n, 'size', jsonb_build_object('mm', n)), now() from generate_series(1, 3000) n`
  unwrap(
    await upgraded.scope.get(Database).run({ sql: many, parameters: [] }, signal),
    ({ message }) => message,
  )
  unwrap(await upgraded.reload([database, use(storesDatabase)]), explain)
  const store = upgraded.scope
    .child('session', [
      [
        SessionFacts,
        { tenant: LOCAL_TENANT, session: sessionId('s'), principal: principalId('p') },
      ],
    ])
    .get(StoreBackend)
  const parts: StoreDefinition = {
    name: 'parts',
    file: 'stores/parts.json',
    raw: {},
    entity: {
      name: 'Part',
      key: '{id}',
      schema: {
        id: { type: 'string' },
        size: { type: 'object', fields: { mm: { type: 'number' } } },
      },
    },
  }
  const query = {
    filters: [{ field: 'size.mm', op: 'gt', value: 500 }],
    sort: { field: 'size.mm', descending: true },
    limit: 2,
    offset: 0,
  } as const
  expect(unwrap(await store.query(parts, query, signal), ({ message }) => message)).toMatchObject({
    total: 2_500,
    documents: [{ key: 'p3000' }, { key: 'p2999' }],
  })
  await upgraded.close()
})
