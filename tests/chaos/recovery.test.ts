/** Servers that die while they pick up what a dead one left. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { attemptName } from './attempt-name.ts'
import type { Point } from './control.ts'
import { Home } from './home.ts'
import { placesOf, undisturbedTurn } from './kill.ts'
import { Person } from './person.ts'
import { SCENARIOS } from './scenarios.ts'
import { strike, type Victim } from './strike.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

const tally = new Tally('recovery')
afterAll(() => tally.print())

/** Where one server after the other dies, whichever session it is at. */
const AGAIN: readonly Pick<Point, 'at' | 'when'>[] = [
  { at: { statement: 'takeover', n: 1 }, when: 'after' },
  { at: { statement: 'commit', n: 1 }, when: 'before' },
  { at: { statement: 'commit', n: 1 }, when: 'after' },
  { at: { statement: 'commit', n: 2 }, when: 'before' },
  { at: { statement: 'commit', n: 2 }, when: 'after' },
]

test.each(['pglite', 'postgres'] as const)(
  'dies again and again while it recovers, on %s',
  async (database) => {
    const world = await startWorld()
    const postgres = database === 'postgres' ? await startPostgres() : undefined
    const lease = postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : { leaseMs: 20_000 }
    const home = await Home.make({
      world,
      postgres,
      runtime: { ...lease, pollMs: 50 },
      flights: 16,
    })
    try {
      const person = new Person(() => home.reach())
      const first = await home.start()
      const victims: Victim[] = []
      for (const [index, [title, deed]] of Object.entries(SCENARIOS).entries()) {
        const name = attemptName(title)
        const { traces } = await undisturbedTurn(name, deed, person, first)
        const plan = { marker: `${name}-again`, ...deed }
        const places = placesOf(plan, traces).filter(({ at }) => at !== 'rest')
        // Another place of each turn, from its middle on.
        const place = places[Math.floor(places.length / 2) + (index % Math.ceil(places.length / 2))]
        if (place) victims.push({ plan, place, opened: false })
      }
      const struck = await strike(victims, first, home, world)
      for (const [index, point] of AGAIN.entries()) {
        const server = home.spawn()
        server
          .start([{ ...point, id: `again-${index}`, then: { do: 'kill' } }])
          .catch(() => undefined) // it may die before it serves
        await server.exited
      }
      const server = await home.start()
      for (const { turn, turns, plan } of struck) {
        await turn.over
        const next = person.send(
          { marker: `${plan.marker}-next`, steps: [] },
          { session: turn.session ?? '' },
        )
        await next.over
        const verdict = await judge(server, turn.session ?? '', [...turns, next], world.outside)
        tally.add(database, verdict)
        expect.soft(verdict.findings, plan.marker).toEqual([])
      }
    } finally {
      await home.close()
      await postgres?.stop()
      await world.close()
    }
  },
)

test.each(['pglite', 'postgres'] as const)(
  'a first start that is killed again and again comes to a server that answers, on %s',
  async (database) => {
    const world = await startWorld()
    const postgres = database === 'postgres' ? await startPostgres() : undefined
    const home = await Home.make({ world, postgres })
    try {
      for (let ms = 0; ms < 700; ms += 100) {
        const server = home.spawn()
        await server.loaded
        server.start().catch(() => undefined) // it dies before it serves, or soon after
        await sleep(ms)
        await server.kill()
      }
      const server = await home.start()
      const turn = new Person(() => home.reach()).send({
        marker: 'first',
        steps: SCENARIOS['two effects in a step']?.steps ?? [],
      })
      await turn.over
      const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
      tally.add(database, verdict)
      expect(verdict.findings).toEqual([])
    } finally {
      await home.close()
      await postgres?.stop()
      await world.close()
    }
  },
)
