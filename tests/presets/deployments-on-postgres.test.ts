/** Two instances on one Postgres follow what one of them is told. */

import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import {
  filesOf,
  promote,
  push,
  say,
  sayVersions,
  snapshotOf,
  status,
  versions,
} from '../support/snapshots.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

async function open(url: string): Promise<Door> {
  const door = await openDoor({
    files: filesOf('folder'),
    manifest: { stores: { backend: 'postgres', postgresUrl: url } },
    env: { AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    script: sayVersions,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

const inUse = async (door: Door): Promise<unknown> => (await status(door))['in_use']
const uses = (door: Door, id: string | null) =>
  expect.poll(() => inUse(door), { timeout: 20_000 }).toBe(id)

test('both follow the pointer, and continue sessions of each other with their snapshots', async () => {
  const url = await postgres.createDatabase()
  const [here, there] = [await open(url), await open(url)]
  const one = await snapshotOf(here.dir, filesOf('one'))
  const two = await snapshotOf(here.dir, filesOf('two'))
  await push(here, one.archive)
  await push(there, two.archive)
  await promote(here, one.id)
  await uses(there, one.id)
  const { session, answer } = await say(there)
  expect(answer).toBe(versions('one'))

  await promote(there, two.id)
  await uses(here, two.id)
  expect((await say(here)).answer).toBe(versions('two'))
  expect((await say(here, session)).answer).toBe(versions('one'))
  await here.restart()
  expect(await inUse(here)).toBe(two.id)
  expect((await say(here, session)).answer).toBe(versions('one'))
  expect((await say(there, session)).answer).toBe(versions('one'))

  const back = await here.post('/api/deployments/rollback', {})
  expect(back.body).toMatchObject({ snapshot: one.id })
  await uses(there, one.id)
  expect((await say(there)).answer).toBe(versions('one'))
})

test('an instance that cannot load a snapshot keeps the old one, and says so', async () => {
  const url = await postgres.createDatabase()
  const [here, there] = [await open(url), await open(url)]
  const good = await snapshotOf(here.dir, filesOf('good'))
  const bad = await snapshotOf(here.dir, filesOf('bad'))
  await push(here, good.archive)
  await promote(here, good.id)
  await uses(there, good.id)
  await push(here, bad.archive)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("update deploy_snapshot set archive = 'torn' where id = $1", [bad.id])
  await client.end()
  await promote(here, bad.id)
  await expect
    .poll(async () => (await status(there))['problem'], { timeout: 20_000 })
    .toContain(`snapshot ${bad.id.slice(0, 12)} is not in use`)
  expect(await inUse(there)).toBe(good.id)
  expect((await say(there)).answer).toBe(versions('good'))
  const health = await there.get('/health', { authorization: `Bearer ${there.token}` })
  expect(health.status).toBe(200)
  expect(health.text).toContain(`snapshot ${bad.id.slice(0, 12)} is not in use`)
  await there.restart()
  expect(await inUse(there), 'what was in use before').toBe(good.id)
})
