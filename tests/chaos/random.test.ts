/** Fifty sessions over time, and servers that die at any moment: whatever is told to be kept is kept, and nothing happens twice. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { Crowd } from './crowd.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { newRandom } from './random.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

const KILLS = 12
const random = newRandom()
const tally = new Tally(`random kills, seed ${random.seed}`)
afterAll(() => tally.print())

test.each([['pglite', ['a']], ['postgres', ['a', 'b']]] as const)('on %s', async (database, names) => {
  const world = await startWorld({ pace: 3 })
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const lease = postgres ? { leaseMs: 3_000, marginMs: 300, sweepMs: 200 } : { leaseMs: 20_000 }
  const home = await Home.make({ world, postgres, runtime: { ...lease, pollMs: 100 } })
  try {
    await Promise.all(names.map((name) => home.start(name)))
    const crowd = new Crowd(new Person(() => home.reach()), random, { sessions: 50, turns: 3, restMs: 400 })
    for (let kills = 0; kills < KILLS; kills++) {
      const name = random.pick(names)
      // From the very start of a server to the middle of its work.
      await crowd.hears(random.within(0, 600))
      await sleep(random.within(0, 20))
      await home.server(name).kill()
      await home.start(name)
    }
    const sessions = await crowd.stop()
    const server = home.server(names[0])
    for (const turns of sessions) {
      const verdict = await judge(server, turns[0]?.session ?? '', turns, world.outside)
      tally.add(database, verdict)
      expect.soft(verdict.findings, `seed ${random.seed}`).toEqual([])
    }
  } finally {
    await home.close()
    await postgres?.stop()
    await world.close()
  }
})
