/** A cancel that was accepted counts, whoever is there to hear of it. */

import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { Tally } from './tally.ts'
import { journalOf, judge } from './verdict.ts'
import { startWorld } from './world.ts'

const tally = new Tally('cancels')
afterAll(() => tally.print())

const PLACES = [
  { marker: 'not-accepted', at: { statement: 'accept', n: 2 }, when: 'before' },
  { marker: 'accepted', at: { statement: 'accept', n: 2 }, when: 'after' },
  { marker: 'not-ended', at: { statement: 'commit', n: 1 }, when: 'before' },
  { marker: 'ended', at: { statement: 'commit', n: 1 }, when: 'after' },
] as const

test.each(['pglite', 'postgres'] as const)('on %s', async (database) => {
  const world = await startWorld()
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const lease = postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : { leaseMs: 20_000 }
  const home = await Home.make({ world, postgres, runtime: { ...lease, pollMs: 50 }, flights: 16 })
  try {
    const dying = await home.start()
    const person = new Person(() => home.reach())
    const struck = []
    for (const { marker, at, when } of PLACES) {
      const model = world.holdModel(marker, 1)
      const turn = person.send({ marker, steps: [[{ tool: 'effect_plain' }]] })
      await model.arrived
      await turn.until((events) => events.length > 0)
      dying.arm([{ id: marker, marker, at, when, then: { do: 'hold' } }])
      const cancelled = person.cancel(turn.session ?? '')
      await dying.reached(marker)
      struck.push({ marker, turn, cancelled })
    }
    await dying.kill()
    const server = await home.start()
    for (const { marker, turn, cancelled } of struck) {
      await Promise.all([turn.over, cancelled])
      const { entries } = await journalOf(server, turn.session ?? '')
      const ends = entries.filter((entry) => entry.kind === 'run_ended').map(({ reason }) => reason)
      // A cancel that was not accepted is sent again, and may come too late.
      if (marker === 'not-accepted')
        expect([['user_abort'], ['model_stop']], marker).toContainEqual(ends)
      else {
        expect(ends, marker).toEqual(['user_abort'])
        expect(world.outside.effects(`${marker}.1.1`)).toBe(0)
      }
      const next = person.send(
        { marker: `${marker}-next`, steps: [[{ tool: 'effect_plain' }]] },
        { session: turn.session ?? '' },
      )
      await next.over
      const verdict = await judge(server, turn.session ?? '', [next], world.outside)
      tally.add(database, verdict)
      expect(verdict.findings, marker).toEqual([])
    }
  } finally {
    await home.close()
    await postgres?.stop()
    await world.close()
  }
})
