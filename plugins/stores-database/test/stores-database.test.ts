import { Database, explain, Kernel, LOCAL_TENANT, Migrations, principalId, sessionId, SessionFacts, StoreBackend, tenantId, unwrap, use } from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { pluginContract, storeContract } from '@amodal/sdk/testing'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetCalls } from '../src/forget-calls.ts'
import { storesDatabase } from '../src/index.ts'

const signal = AbortSignal.timeout(60_000)
let kernel: Kernel
beforeAll(async () => { kernel = unwrap(await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(storesDatabase)]), explain) })
afterAll(() => kernel.close())

const of = (tenant: string): StoreBackend =>
  kernel.scope.child('session', [[SessionFacts, { tenant: tenantId(tenant), session: sessionId('s'), principal: principalId('p') }]]).get(StoreBackend)

// Each test has tenants of its own, so that they can share a database.
let run = 0
storeContract('stores-database on PGlite', {
  async make() {
    const mine = ++run
    return { of: (tenant) => of(`${mine}-${tenant}`), close: async () => undefined }
  },
})

pluginContract(storesDatabase, { config: {}, with: [use(dbPglite, { dataDir: 'memory://' })] })

test('its tables are such as every plugin\'s must be', async () => {
  expect(await catalogueProblems(kernel.scope.get(Database), [...kernel.current().registry(Migrations).values()], {}, signal)).toEqual({ ok: true, value: [] })
})

test('keys of writes are forgotten in time, those of seed documents never', async () => {
  const database = kernel.scope.get(Database)
  const store = of(LOCAL_TENANT)
  const notes = { name: 'notes', file: 'stores/notes.json', raw: {}, entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' as const } } } }
  const write = async (callKey: string) =>
    unwrap(await store.write(notes, [{ key: callKey, payload: { id: callKey } }], { atomic: true, callKey }, signal), ({ message }) => message)
  for (const key of ['run:old', 'run:new', 'seed:notes:old']) await write(key)
  unwrap(await database.run({ sql: "update stores_database_call set at = at - interval '31 days' where call_key like '%old'", parameters: [] }, signal), ({ message }) => message)
  expect(unwrap(await forgetCalls(database, 30), ({ message }) => message)).toHaveLength(1)
  const versions = []
  for (const key of ['run:old', 'run:new', 'seed:notes:old']) versions.push((await write(key))[0])
  expect(versions).toMatchObject([{ version: 2 }, { version: 1 }, { version: 1 }])
})
