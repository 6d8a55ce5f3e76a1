import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database, unwrap } from '@amodal/sdk'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { boot } from './open.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const signal = AbortSignal.timeout(30_000)

test('a pool that is handed in is used beside whoever has it, and outlives the plugin', async () => {
  const pool = new Pool({ connectionString: await postgres.createDatabase(), max: 1 })
  const broken: Error[] = []
  pool.on('error', (cause) => broken.push(cause)) // as everybody who has one must
  await pool.query('create table mine(id int)')
  const kernel = await boot('env:NOT_SET', { pool })
  const database = kernel.scope.get(Database)
  for (const id of [1, 2]) {
    unwrap(
      await database.run({ sql: 'insert into mine values ($1)', parameters: [id] }, signal),
      ({ message }) => message,
    )
    expect((await pool.query('select count(*)::int as n from mine')).rows).toEqual([{ n: id }])
  }
  expect(pool.totalCount).toBe(1)
  await kernel.close()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  expect(pool.listenerCount('error')).toBe(1)
  await pool.end()
})

test('a pool whose server is gone is told by its address, without the password', async () => {
  const byAddress = boot('env:NOT_SET', {
    pool: new Pool({ connectionString: 'postgres://me:hunter2@127.0.0.1:1/shop' }),
  })
  await expect(byAddress).rejects.toThrow(/DATABASE_UNAVAILABLE/)
  await expect(byAddress).rejects.toThrow('the database at 127.0.0.1:1/shop cannot be reached')
  await expect(byAddress).rejects.not.toThrow('hunter2')
  await expect(
    boot('env:NOT_SET', { pool: new Pool({ host: '127.0.0.1', port: 1, database: 'shop' }) }),
  ).rejects.toThrow('127.0.0.1:1/shop')
})

test('what is no pool is refused', async () => {
  await expect(boot('env:NOT_SET', { pool: 'postgres://127.0.0.1/shop' })).rejects.toThrow(
    '`pool`: a Pool of the package `pg`',
  )
})
