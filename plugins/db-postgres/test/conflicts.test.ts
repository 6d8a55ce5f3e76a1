import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database, unwrap, type Row } from '@amodal/sdk'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { boot } from './open.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const signal = AbortSignal.timeout(60_000)

/** Two rows, and transactions that are as good as certain to lock them crosswise. */
async function crosswise(setting: string): Promise<readonly Row[]> {
  const kernel = await boot(await postgres.createDatabase())
  const database = kernel.scope.get(Database)
  for (const sql of [
    'create table hits(id int primary key, n int not null)',
    'insert into hits values (1, 0), (2, 0)',
  ]) {
    unwrap(await database.run({ sql, parameters: [] }, signal), ({ message }) => message)
  }
  const bump = (first: number, second: number) =>
    database.transaction(async (run) => {
      await run({ sql: setting, parameters: [] })
      for (const id of [first, second]) {
        await run({ sql: 'update hits set n = n + 1 where id = $1', parameters: [id] })
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
    }, signal)
  const done = await Promise.all([bump(1, 2), bump(2, 1), bump(1, 2), bump(2, 1)])
  for (const one of done) unwrap(one, ({ message }) => message)
  const rows = unwrap(
    await database.run({ sql: 'select n from hits order by id', parameters: [] }, signal),
    ({ message }) => message,
  )
  await kernel.close()
  return rows
}

test('transactions that lock each other out all commit', async () => {
  expect(await crosswise("set local deadlock_timeout = '50ms'")).toEqual([{ n: 4 }, { n: 4 }])
})

test('so do those of a server that is set to serializable', async () => {
  expect(await crosswise('set transaction isolation level serializable')).toEqual([
    { n: 4 },
    { n: 4 },
  ])
})
