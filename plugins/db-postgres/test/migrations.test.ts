import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogueProblems, migrate } from '@amodal/sdk/database'
import {
  Database,
  explain,
  Kernel,
  SessionFacts,
  TenantDatabase,
  principalId,
  sessionId,
  tenantId,
  use,
  type MigrationList,
} from '@amodal/sdk'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { dbPostgres } from '../src/index.ts'
import { boot, listOf } from './open.ts'
import { plainSecrets } from './plain-secrets.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const never = new AbortController().signal
const NOTES: MigrationList = {
  plugin: 'notes',
  migrations: [
    {
      name: 'notes',
      sql: 'create table notes(tenant text not null, id int not null, primary key(tenant, id))',
    },
  ],
  tenantTables: ['notes'],
}

async function admin(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}

test('raced by several processes run once each', async () => {
  const url = await postgres.createDatabase()
  const script = fileURLToPath(new URL('fixtures/migrate.ts', import.meta.url))
  const racers = await Promise.all(
    [1, 2, 3].map(() => promisify(execFile)(process.execPath, [script, url])),
  )
  expect(racers.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual(
    racers.map(() => ({ ok: true, value: [{ n: 1 }] })),
  )
  expect(await admin(url, 'select n, name from amodal_migrations order by n')).toEqual(
    [1, 2, 3, 4].map((n) => ({ n, name: `step ${n}` })),
  )
}, 30_000)

test('cost one statement where there is nothing to do', async () => {
  const kernel = await boot(await postgres.createDatabase(), {}, listOf(NOTES))
  const statements: string[] = []
  const done = await migrate(
    {
      run: (statement, signal) => {
        statements.push(statement.sql)
        return kernel.scope.get(Database).run(statement, signal)
      },
      transaction: () => Promise.reject(new Error('there is nothing to do')),
    },
    [NOTES],
    never,
  )
  expect(done).toEqual({ ok: true, value: { applied: [] } })
  expect(statements).toHaveLength(1)
  await kernel.close()
})

test('that a reload brings run before the next statement, though the database was carried over', async () => {
  const url = await postgres.createDatabase()
  const entries = [plainSecrets(), use(dbPostgres, { url })]
  const made = await Kernel.create(entries)
  if (!made.ok) throw new Error(explain(made.error))
  const kernel = made.value
  const database = kernel.scope.get(Database)
  expect((await database.run({ sql: 'select 1', parameters: [] }, never)).ok).toBe(true)
  const reloaded = await kernel.reload([...entries, listOf(NOTES)])
  expect(reloaded.ok && reloaded.value.carried).toContain('db-postgres')
  expect(
    await kernel.scope
      .get(Database)
      .run({ sql: 'select count(*) as n from notes', parameters: [] }, never),
  ).toEqual({ ok: true, value: [{ n: 0 }] })
  expect(kernel.scope.get(Database)).toBe(database)
  await kernel.close()
})

describe('a user of the database', () => {
  let own: Postgres
  beforeAll(async () => {
    own = await startPostgres()
  }) // roles belong to a whole server, and here nobody has made ours
  afterAll(() => own.stop())

  const asUser = async (name: string, options: string): Promise<string> => {
    const url = await own.createDatabase()
    await admin(
      own.url(),
      `create role ${name} login ${options}; alter database ${new URL(url).pathname.slice(1)} owner to ${name}`,
    )
    return url.replace('postgres@', `${name}@`)
  }
  const tenantSees = async (kernel: Kernel): Promise<unknown> => {
    const database = kernel.scope.get(Database)
    await database.run(
      { sql: "insert into notes values ('acme', 1), ('bolt', 1)", parameters: [] },
      never,
    )
    const facts: SessionFacts = {
      tenant: tenantId('acme'),
      session: sessionId('s'),
      principal: principalId('p'),
    }
    const seen = await kernel.scope
      .child('session', [[SessionFacts, facts]])
      .get(TenantDatabase)
      .run({ sql: 'select tenant from notes', parameters: [] }, never)
    expect(await catalogueProblems(database, [NOTES], {}, never)).toEqual({ ok: true, value: [] })
    return seen.ok ? seen.value : seen.error.message
  }

  test('that may make no roles is told what an administrator has to run, and starts once it was run', async () => {
    const url = await asUser('plain', '')
    const refused = await Kernel.create([plainSecrets(), use(dbPostgres, { url }), listOf(NOTES)])
    const text = refused.ok ? 'it started' : explain(refused.error)
    expect(text).toContain('DATABASE_UNAVAILABLE')
    expect(text).toContain('create role amodal_tenant nologin; grant amodal_tenant to')
    await admin(own.url(), 'create role amodal_tenant nologin; grant amodal_tenant to plain')
    const kernel = await boot(url, {}, listOf(NOTES))
    expect(await tenantSees(kernel)).toEqual([{ tenant: 'acme' }])
    await kernel.close()
    await admin(url.replace('plain@', 'postgres@'), 'drop owned by amodal_tenant; drop table notes')
    await admin(own.url(), 'drop role amodal_tenant')
  })

  test("that may make roles needs nobody's help", async () => {
    const kernel = await boot(await asUser('maker', 'createrole'), {}, listOf(NOTES))
    expect(await tenantSees(kernel)).toEqual([{ tenant: 'acme' }])
    await kernel.close()
  })
})
