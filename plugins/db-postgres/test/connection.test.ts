import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionBroke, sqlstateOf } from '@amodal/sdk/database'
import { Database, explain, Health, Kernel, use, type Row } from '@amodal/sdk'
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
const NOTES = listOf({
  plugin: 'notes',
  migrations: [
    {
      name: 'notes',
      sql: 'create table notes(tenant text not null, id int not null, primary key(tenant, id))',
    },
  ],
  tenantTables: [],
})

async function rows(
  database: Database,
  sql: string,
  ...parameters: readonly unknown[]
): Promise<readonly Row[]> {
  const done = await database.run({ sql, parameters }, never)
  if (!done.ok) throw new Error(done.error.message)
  return done.value
}

describe('a statement', () => {
  test('that takes too long is ended by the server, and its connection goes on', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 1, statementTimeoutMs: 150 })
    const database = kernel.scope.get(Database)
    const begun = performance.now()
    const late = await database.run({ sql: 'select pg_sleep(60)', parameters: [] }, never)
    expect(!late.ok && sqlstateOf(late.error)).toBe('57014')
    expect(!late.ok && connectionBroke(late.error)).toBe(false)
    expect(performance.now() - begun).toBeLessThan(30_000)
    expect(await rows(database, 'select 1 as one')).toEqual([{ one: 1 }])
    await kernel.close()
  })

  test('that is aborted while it runs is cancelled at the server, which says so, and leaves nothing', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 2 }, NOTES)
    const database = kernel.scope.get(Database)
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('the run was cancelled')), 100)
    const begun = performance.now()
    const gone = await database.run(
      { sql: "insert into notes select 'a', 1 from (select pg_sleep(60)) s", parameters: [] },
      controller.signal,
    )
    expect(!gone.ok && sqlstateOf(gone.error)).toBe('57014')
    expect(performance.now() - begun).toBeLessThan(30_000)
    expect(await rows(database, 'select * from notes')).toEqual([])
    expect(
      await rows(
        database,
        "select 1 from pg_stat_activity where query like '%pg_sleep(5)%' and state = 'active' and pid <> pg_backend_pid()",
      ),
    ).toEqual([])
    await kernel.close()
  })

  test('a late cancel hits nobody else', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 1 })
    const database = kernel.scope.get(Database)
    for (let n = 0; n < 30; n++) {
      const controller = new AbortController()
      const racing = database.run(
        { sql: 'select pg_sleep(0.002)', parameters: [] },
        controller.signal,
      )
      setTimeout(() => controller.abort(new Error('just then')), 2)
      const after = database.run(
        { sql: 'select pg_sleep(0.01), $1::int as n', parameters: [n] },
        never,
      )
      await racing
      expect(await after).toMatchObject({ ok: true, value: [{ n }] })
    }
    await kernel.close()
  })

  test('waits for a connection no longer than it should, and says that all are in use', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 1, connectTimeoutMs: 200 })
    const database = kernel.scope.get(Database)
    const slow = database.run({ sql: 'select pg_sleep(1)', parameters: [] }, never)
    const refused = await database.run({ sql: 'select 1', parameters: [] }, never)
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'DATABASE_UNAVAILABLE',
        message: expect.stringContaining('all 1 connections') as string,
        details: { connection: true },
      },
    })
    const aborted = await database.run({ sql: 'select 1', parameters: [] }, AbortSignal.timeout(20))
    expect(aborted).toMatchObject({ ok: false, error: { details: { aborted: true } } })
    expect((await slow).ok).toBe(true)
    expect(await rows(database, 'select 1 as one')).toEqual([{ one: 1 }])
    await kernel.close()
  })
})

describe('a transaction', () => {
  test('that is aborted is rolled back at once, though a statement of it is running', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 2 }, NOTES)
    const database = kernel.scope.get(Database)
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 100)
    const begun = performance.now()
    const done = await database.transaction(async (run) => {
      await run({ sql: "insert into notes values ('a', 1)", parameters: [] })
      await run({ sql: 'select pg_sleep(60)', parameters: [] })
    }, controller.signal)
    expect(done).toMatchObject({
      ok: false,
      error: { details: { aborted: true, rolledBack: true } },
    })
    expect(performance.now() - begun).toBeLessThan(30_000)
    expect(await rows(database, 'select * from notes')).toEqual([])
    await kernel.close()
  })
})

describe('a connection that breaks', () => {
  test('under a statement leaves it in doubt, and the next statement has a new one', async () => {
    const kernel = await boot(await postgres.createDatabase(), { max: 1 })
    const database = kernel.scope.get(Database)
    const ended = await database.run(
      { sql: 'select pg_terminate_backend(pg_backend_pid())', parameters: [] },
      never,
    )
    expect(!ended.ok && connectionBroke(ended.error)).toBe(true)
    expect(await rows(database, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(database.ready()).toEqual({ ready: true })
    await kernel.close()
  })

  test('between two statements of a transaction loses the transaction, not the process', async () => {
    const url = await postgres.createDatabase()
    const kernel = await boot(url, { max: 2 }, NOTES)
    const database = kernel.scope.get(Database)
    const done = await database.transaction(async (run) => {
      const [row] = await run({
        sql: "insert into notes values ('a', 1) returning pg_backend_pid() as pid",
        parameters: [],
      })
      await rows(database, 'select pg_terminate_backend($1)', row?.['pid'])
      await new Promise((resolve) => setTimeout(resolve, 50))
      await run({ sql: "insert into notes values ('a', 2)", parameters: [] })
    }, never)
    expect(!done.ok && connectionBroke(done.error)).toBe(true)
    expect(await rows(database, 'select * from notes')).toEqual([])
    await kernel.close()
  })

  test('while the server restarts: told in health, found again, prepared statements and all', async () => {
    const kernel = await boot(await postgres.createDatabase(), { connectTimeoutMs: 1_000 })
    const database = kernel.scope.get(Database)
    const health = () => kernel.current().registry(Health).get('database')?.()
    await Promise.all(Array.from({ length: 8 }, (_, n) => rows(database, 'select $1::int as n', n)))
    const heard: string[] = []
    const end = database.listen('restarts', (payload) => heard.push(payload))
    await expect
      .poll(async () => {
        await database.notify('restarts', 'before', never)
        return heard
      })
      .toContain('before')

    const restarted = postgres.restart()
    await expect
      .poll(
        async () => {
          await database.run({ sql: 'select $1::int as n', parameters: [1] }, never)
          return health()
        },
        { interval: 20 },
      )
      .toMatchObject({
        facts: { database: { ready: false } },
        problem: expect.any(String) as string,
      })
    await restarted

    await expect.poll(health).toEqual({ facts: { database: { dialect: 'postgres', ready: true } } })
    expect(await rows(database, 'select $1::int as n', 1)).toEqual([{ n: 1 }])
    await expect
      .poll(async () => {
        await database.notify('restarts', 'after', never)
        return heard
      })
      .toContain('after')
    end()
    await kernel.close()
  })
})

test('LISTEN comes back when its own connection is ended', async () => {
  const kernel = await boot(await postgres.createDatabase())
  const database = kernel.scope.get(Database)
  const heard: string[] = []
  database.listen('one', (payload) => heard.push(`one ${payload}`))
  database.listen('two', (payload) => heard.push(`two ${payload}`))
  const told = async (payload: string): Promise<void> => {
    await expect
      .poll(async () => {
        await database.notify('one', payload, never)
        await database.notify('two', payload, never)
        return heard
      })
      .toEqual(expect.arrayContaining([`one ${payload}`, `two ${payload}`]))
  }
  await told('a')
  await rows(
    database,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%'",
  )
  await told('b')
  await kernel.close()
})

describe('the start', () => {
  const problem = async (
    config: Readonly<Record<string, unknown>>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const made = await Kernel.create([plainSecrets(variables), use(dbPostgres, config)])
    if (!made.ok) return explain(made.error)
    await made.value.close()
    return 'it started'
  }

  test('names host, port and database that cannot be reached, never the password', async () => {
    const text = await problem(
      { url: 'env:DATABASE_URL', connectTimeoutMs: 500 },
      { DATABASE_URL: 'postgres://me:s3cr3t-pass@127.0.0.1:1/agents' },
    )
    expect(text).toContain('DATABASE_UNAVAILABLE')
    expect(text).toContain('127.0.0.1:1/agents')
    expect(text).not.toContain('s3cr3t')
  })

  test('gives up on a server that takes the connection and says nothing', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const address = mute.address()
    const begun = performance.now()
    expect(
      await problem({
        url: `postgres://me@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/agents`,
        connectTimeoutMs: 300,
      }),
    ).toContain('DATABASE_UNAVAILABLE')
    expect(performance.now() - begun).toBeLessThan(30_000)
    mute.close()
  })

  test('names a variable that is not set, and an address that is none without repeating it', async () => {
    expect(await problem({ url: 'env:DATABASE_URL' })).toMatch(/ENV_NOT_SET/)
    const text = await problem({ url: 'mysql://root:hunter2@localhost/x' })
    expect(text).toMatch(/BAD_CONFIG/)
    expect(text).not.toContain('hunter2')
  })

  test('refuses a database that does not exist', async () => {
    expect(await problem({ url: postgres.url('nowhere') })).toMatch(
      /DATABASE_UNAVAILABLE[^]*nowhere|nowhere[^]*DATABASE_UNAVAILABLE/,
    )
  })
})
