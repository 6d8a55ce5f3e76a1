/** Due times of three processes whose clock leaps on, of which one after the other is killed. */

import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWhole, newRandom } from '../support/random.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { Home } from './home.ts'
import { startWorld, type World } from './world.ts'

const NAMES = ['a', 'b', 'c'] as const
const MINUTE = 60_000
/** Each is due every minute. */
const AUTOMATIONS = isWhole() ? 12 : 6
const MINUTES = isWhole() ? 10 : 3
const PATIENT = { timeout: 120_000, interval: 100 }

interface Kept {
  readonly automation: string
  readonly due: string
  readonly status: string
}

let postgres: Postgres
let world: World
let model: ModelServer
beforeAll(async () => {
  ;[postgres, world, model] = await Promise.all([
    startPostgres(),
    startWorld(),
    startModelServer({ script: reply.text('Done.') }),
  ])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), world.close(), model.close()])
})

const names = Array.from({ length: AUTOMATIONS }, (_, n) => `tick-${n}`)

test(`${AUTOMATIONS * MINUTES} due times with kills: each is one run`, async () => {
  const random = newRandom()
  const home = await Home.make({
    world: { ...world, modelUrl: model.url },
    postgres,
    runtime: { leaseMs: 3_000 },
    files: Object.fromEntries(
      names.map((name) => [
        `automations/${name}.json`,
        JSON.stringify({
          prompt: 'Say that you are there.',
          schedule: '* * * * *',
          overlap: 'queue',
          // A slow machine's own minute may pass with a leap's.
          catchUp: 'all',
        }),
      ]),
    ),
  })
  const client = new pg.Client({ connectionString: home.databaseUrl })
  await client.connect()
  const kept = async (): Promise<readonly Kept[]> =>
    (
      await client.query<Kept>(
        'select automation, due, status from automations_run order by automation, due',
      )
    ).rows
  const fewest = async (): Promise<number> => {
    const all = await kept()
    return Math.min(...names.map((name) => all.filter((one) => one.automation === name).length))
  }
  try {
    await Promise.all(NAMES.map((name) => home.start(name)))
    for (let minute = 1; minute <= MINUTES; minute++) {
      const wanted = (await fewest()) + 1
      for (const name of NAMES) home.server(name).jump(minute * MINUTE, MINUTE)
      const name = random.pick(NAMES)
      await home.server(name).kill()
      await home.start(name)
      home.server(name).jump(minute * MINUTE, MINUTE)
      await expect.poll(fewest, PATIENT).toBeGreaterThanOrEqual(wanted)
    }
    await expect
      .poll(async () => (await kept()).filter(({ status }) => status !== 'completed'), PATIENT)
      .toEqual([])
    const all = await kept()
    for (const name of names) {
      const due = all.filter((one) => one.automation === name).map((one) => Number(one.due))
      expect(due.length, `seed ${random.seed}, ${name}`).toBeGreaterThanOrEqual(MINUTES)
      expect(due, `seed ${random.seed}, ${name}: one run for each minute`).toEqual(
        due.map((_, n) => (due[0] ?? 0) + n * MINUTE),
      )
    }
  } finally {
    await client.end()
    await home.close()
  }
}, 900_000)
