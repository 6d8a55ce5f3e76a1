/**
 * The database goes away under load and comes back, with commits of which nobody knows whether they
 * were made.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { Crowd } from './crowd.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { newRandom } from '../support/random.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

const RESTARTS = 4
const random = newRandom()
const tally = new Tally(`database restarts, seed ${random.seed}`)
afterAll(() => tally.print())

test('Postgres is restarted under load', async () => {
  const world = await startWorld({ pace: 2 })
  const postgres = await startPostgres()
  // A lease that outlasts a restart: no turn has to be taken up again.
  const home = await Home.make({
    world,
    postgres,
    runtime: { leaseMs: 6_000, marginMs: 200, sweepMs: 200, pollMs: 100 },
  })
  try {
    const server = await home.start()
    const crowd = new Crowd(new Person(() => home.reach()), random, {
      sessions: 20,
      turns: 4,
      restMs: 50,
    })
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await sleep(random.within(200, 1_000))
      await postgres.restart()
    }
    for (const turns of await crowd.stop()) {
      const verdict = await judge(server, turns[0]?.session ?? '', turns, world.outside)
      tally.add('postgres', verdict)
      expect.soft(verdict, `seed ${random.seed}`).toMatchObject({ findings: [], unknown: [] })
    }
  } finally {
    await home.close()
    await postgres.stop()
    await world.close()
  }
})
