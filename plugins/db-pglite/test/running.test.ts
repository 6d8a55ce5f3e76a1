import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectionBroke } from '@amodal/sdk/database'
import { boot, folder, never } from './support.ts'

test('a long row of statements leaves the process its turn', async () => {
  const { rows } = await boot({ dataDir: 'memory://' })
  await rows('select 1')
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  for (let n = 0; n < 4_000; n++) await rows('select $1::int as n', n)
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(5) // without it there would be none
})

test('a transaction keeps its turn, and statements behind it wait in order', async () => {
  const { database, rows } = await boot({ dataDir: 'memory://' })
  await rows('create table steps(n int generated always as identity, who text)')
  const add = (who: string) => ({ sql: 'insert into steps(who) values ($1)', parameters: [who] })
  const transaction = database.transaction(async (run) => {
    await run(add('first'))
    await new Promise((resolve) => setTimeout(resolve, 40))
    await run(add('first'))
  }, never)
  const behind = ['second', 'third'].map((who) => database.run(add(who), never))
  const impatient = await database.run(add('impatient'), AbortSignal.timeout(10))
  expect(impatient).toMatchObject({ ok: false, error: { details: { aborted: true } } })
  await Promise.all([transaction, ...behind])
  expect((await rows('select who from steps order by n')).map(({ who }) => who)).toEqual([
    'first',
    'first',
    'second',
    'third',
  ])
})

describe('a statement that breaks PGlite itself', () => {
  /** Recursion without end, deeper than the stack of the WebAssembly engine. */
  const CRASH = 'select endless(1)'
  const ENDLESS =
    "create function endless(n int) returns int language sql as 'select 1 + endless(n + 1)'"

  test('is in doubt, and the folder is opened again with all that was committed', async () => {
    const { database, rows, logged } = await boot({ dir: await folder() })
    await rows('set check_function_bodies = off')
    await rows(ENDLESS)
    await rows('create table kept(n int)')
    await rows('insert into kept values (1)')
    const heard: string[] = []
    database.listen('crash', (payload) => heard.push(payload))
    const broken = await database.run({ sql: CRASH, parameters: [] }, never)
    expect(!broken.ok && connectionBroke(broken.error)).toBe(true)
    expect(await rows('select n from kept')).toEqual([{ n: 1 }])
    expect(database.ready()).toEqual({ ready: true })
    expect(logged.map(({ event }) => event)).toContain('database.broke')
    await database.notify('crash', 'still here', never)
    await expect.poll(() => heard).toEqual(['still here'])
  })

  test('loses a database in memory, which does not come back empty', async () => {
    const { database, rows } = await boot({ dataDir: 'memory://' })
    await rows('set check_function_bodies = off')
    await rows(ENDLESS)
    expect((await database.run({ sql: CRASH, parameters: [] }, never)).ok).toBe(false)
    expect(await database.run({ sql: 'select 1', parameters: [] }, never)).toMatchObject({
      ok: false,
      error: { details: { connection: true } },
    })
    expect(database.ready()).toMatchObject({ ready: false, problem: { code: 'STORE_FAILED' } })
  })
})

test('the write-ahead log and dead rows do not grow for ever', async () => {
  const dir = await folder()
  const { rows } = await boot({ dir })
  await rows('create table busy(id int primary key, body text)')
  await rows("insert into busy select n, '' from generate_series(1, 200) n")
  for (let n = 0; n < 22_000; n++)
    await rows('update busy set body = $2 where id = $1', (n % 200) + 1, `${n}`.repeat(300))
  const size = async (): Promise<number> =>
    Number(
      (
        await rows(
          'select (pg_current_wal_lsn() - redo_lsn)::bigint as n from pg_control_checkpoint()',
        )
      )[0]?.['n'],
    )
  await expect.poll(size, { interval: 200 }).toBeLessThan(16 * 1024 * 1024)
  await expect
    .poll(
      async () =>
        (
          await rows(
            "select vacuum_count::int as n from pg_stat_user_tables where relname = 'busy'",
          )
        )[0]?.['n'],
      { interval: 200 },
    )
    .toBeGreaterThan(0)
  expect(readdirSync(join(dir, '.amodal/store-data/pg_wal')).length).toBeLessThan(80)
}, 40_000)
