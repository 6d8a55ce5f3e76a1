/** An owner that stands still past its lease, and wakes after another server has taken over: it does nothing more. */

import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { Home } from './home.ts'
import { Person, type Turn } from './person.ts'
import { Tally } from './tally.ts'
import type { Plan } from './plan.ts'
import { SCENARIOS } from './scenarios.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

const tally = new Tally('frozen owner')
afterAll(() => tally.print())

const scenario = (title: string): Plan['steps'] => SCENARIOS[title] ?? []
const keyed = scenario('an effect with a key')
const plain = scenario('an effect without a key')

interface Place {
  readonly marker: string
  readonly steps: Plan['steps']
  readonly at: 'model' | 'call' | 'commit'
  /** Of the commit. */
  readonly n?: number
}

/** Where each turn stands when its owner freezes; it would go on from there when it wakes. */
const PLACES: readonly Place[] = [
  { marker: 'thinking', steps: plain, at: 'model' },
  { marker: 'intent', steps: plain, at: 'commit', n: 1 },
  { marker: 'plain-call', steps: plain, at: 'call' },
  { marker: 'keyed-call', steps: keyed, at: 'call' },
  { marker: 'plain-outcome', steps: plain, at: 'commit', n: 2 },
  { marker: 'keyed-outcome', steps: keyed, at: 'commit', n: 2 },
  { marker: 'end', steps: keyed, at: 'commit', n: 3 },
  { marker: 'words', steps: [], at: 'commit', n: 1 },
]

test('two servers on one Postgres', async () => {
  const world = await startWorld()
  const postgres = await startPostgres()
  const home = await Home.make({ world, postgres, runtime: { leaseMs: 1_500, marginMs: 200, sweepMs: 100, pollMs: 50 }, flights: 16 })
  try {
    const [a, b] = await Promise.all([home.start('a'), home.start('b')])
    const atA = new Person(() => Promise.resolve(a.url))
    const held = world.holdModel('thinking', 1)
    a.arm(PLACES.flatMap((place) => {
      if (place.at === 'model') return []
      const at = place.at === 'call' ? { call: `${place.marker}.1.1` } : { statement: 'commit', n: place.n ?? 0 } as const
      return [{ id: place.marker, ...(place.at === 'commit' ? { marker: place.marker } : {}), at, when: 'before', then: { do: 'hold' } } as const]
    }))
    const turns: Turn[] = []
    for (const { marker, steps, at } of PLACES) {
      const turn = atA.send({ marker, steps })
      await (at === 'model' ? held.arrived : a.reached(marker))
      turns.push(turn)
    }

    a.freeze()
    const before = world.outside.calls.length
    // Whoever follows a session on the other server sees it taken over and brought to its end.
    const atB = new Person(() => Promise.resolve(b.url))
    await Promise.all(turns.map(async (turn) => {
      const session = turn.session ?? (await turn.until((events) => events.length > 0), turn.session ?? '')
      const last = await atB.followed(session)
      expect(last.at(-1)?.type, turn.plan.marker).toBe('done')
    }))
    const byOther = world.outside.calls.slice(before)
    expect(byOther.every(({ server }) => server === 'b')).toBe(true)

    a.thaw()
    held.release()
    for (const { marker } of PLACES) a.release(marker)
    // The clients of the first server have stayed with it, and hear from it what became true.
    await Promise.all(turns.map(({ over }) => over))
    expect(world.outside.calls.slice(before + byOther.length)).toEqual([])
    for (const turn of turns) {
      const next = atA.send({ marker: `${turn.plan.marker}-next`, steps: keyed }, { session: turn.session ?? '' })
      await next.over
      const verdict = await judge(b, turn.session ?? '', [turn, next], world.outside)
      tally.add('postgres', verdict)
      expect(verdict.findings).toEqual([])
      expect(verdict.unknown).toEqual(turn.plan.marker.startsWith('plain') ? [`${turn.plan.marker}.1.1`] : [])
    }
  } finally {
    await home.close()
    await postgres.stop()
    await world.close()
  }
})
