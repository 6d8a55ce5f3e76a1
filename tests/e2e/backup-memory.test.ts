/** The memory that a backup and a restore take does not grow with the database. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileIn, move, onPostgres, open, rowsIn, say } from '../support/backups.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { Amodal } from './server.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

test('100,000 rows pass through a heap that could not hold them', async () => {
  const url = await postgres.createDatabase()
  await using door = await open(onPostgres(url))
  await say(door, 'hello')
  await door.running.close('test')
  await rowsIn(
    url,
    `insert into sessions_journal(lane, seq, body) select 10000000 + n, 1, repeat('x', 2000) from generate_series(1, 100000) n`,
  )
  // 200 MB of text
  const small = { NODE_OPTIONS: '--max-old-space-size=128' }
  const backup = ['ops', 'backup', '--output', fileIn(door), '--dir', door.dir]
  expect(await new Amodal(backup, small).ended).toMatchObject({ code: 0, err: '' })
  await move(door, onPostgres(await postgres.createDatabase()))
  const restore = ['ops', 'restore', fileIn(door), '--dir', door.dir]
  expect(await new Amodal(restore, small).ended).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/sessions_journal: 10\d{4}\n/) as string,
  })
}, 300_000)
