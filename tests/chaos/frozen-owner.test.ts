/**
 * An owner that stands still past its lease, and wakes after another server has taken over: it does
 * nothing more.
 */

import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import type { Point } from './control.ts'
import { Home } from './home.ts'
import { Person, type Turn } from './person.ts'
import { Tally } from './tally.ts'
import type { Plan } from './plan.ts'
import { SCENARIOS } from './scenarios.ts'
import { startSecureOutside } from './secure-outside.ts'
import { journalOf, judge } from './verdict.ts'
import { startWorld, type World } from './world.ts'

const tally = new Tally('frozen owner')
afterAll(() => tally.print())

const scenario = (title: string): Plan['steps'] => SCENARIOS[title]?.steps ?? []
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

let world: World
let postgres: Postgres
let home: Home
beforeEach(async () => {
  world = await startWorld()
  postgres = await startPostgres()
  home = await Home.make({
    world,
    postgres,
    runtime: { leaseMs: 1_500, marginMs: 200, sweepMs: 100, pollMs: 50 },
    flights: 16,
  })
})
afterEach(async () => {
  await home.close()
  await postgres.stop()
  await world.close()
})

test('finds every turn brought to its end by another server', async () => {
  const [a, b] = await Promise.all([home.start('a'), home.start('b')])
  const atA = new Person(() => Promise.resolve(a.url))
  const atB = new Person(() => Promise.resolve(b.url))
  const held = world.holdModel('thinking', 1)
  a.arm(
    PLACES.flatMap((place) => {
      if (place.at === 'model') return []
      const at =
        place.at === 'call'
          ? { call: `${place.marker}.1.1` }
          : ({ statement: 'commit', n: place.n ?? 0 } as const)
      return [
        {
          id: place.marker,
          ...(place.at === 'commit' ? { marker: place.marker } : {}),
          at,
          when: 'before',
          then: { do: 'hold' },
        } as const,
      ]
    }),
  )
  const turns: Turn[] = []
  for (const { marker, steps, at } of PLACES) {
    const turn = atA.send({ marker, steps })
    await (at === 'model' ? held.arrived : a.reached(marker))
    await turn.until((events) => events.length > 0)
    turns.push(turn)
  }

  a.freeze()
  const before = world.outside.calls.length
  // Whoever follows a session on the other server sees it taken over and brought to its end.
  await Promise.all(
    turns.map(async (turn) => {
      const events = await atB.followed(turn.session ?? '')
      expect(events.at(-1)?.type, turn.plan.marker).toBe('done')
    }),
  )
  const byOther = world.outside.calls.slice(before)
  expect(byOther.length).toBeGreaterThan(0)
  expect(byOther.every(({ server }) => server === 'b')).toBe(true)

  a.thaw()
  held.release()
  for (const { marker } of PLACES) a.release(marker)
  // The clients of the first server have stayed with it, and hear from it what became true.
  await Promise.all(turns.map(({ over }) => over))
  expect(world.outside.calls.slice(before + byOther.length)).toEqual([])
  for (const turn of turns) {
    const next = atA.send(
      { marker: `${turn.plan.marker}-next`, steps: keyed },
      { session: turn.session ?? '' },
    )
    await next.over
    const verdict = await judge(b, turn.session ?? '', [turn, next], world.outside)
    tally.add('postgres', verdict)
    expect(verdict.findings).toEqual([])
    expect(verdict.unknown).toEqual(
      turn.plan.marker.startsWith('plain') ? [`${turn.plan.marker}.1.1`] : [],
    )
  }
})

test('cannot write although the other server has taken over and written nothing yet', async () => {
  const a = await home.start('a')
  const hold = { do: 'hold' } as const
  a.arm([
    { id: 'a-before', marker: 'm', at: { statement: 'commit', n: 1 }, when: 'before', then: hold },
    { id: 'a-after', marker: 'm', at: { statement: 'commit', n: 1 }, when: 'after', then: hold },
  ])
  const turn = new Person(() => Promise.resolve(a.url)).send({ marker: 'm', steps: plain })
  await a.reached('a-before')
  a.freeze()
  const b = await home.start('b', [
    { id: 'b-before', at: { statement: 'commit', n: 1 }, when: 'before', then: hold },
  ])
  await b.reached('b-before')

  a.thaw()
  a.release('a-before')
  await a.reached('a-after')
  expect((await journalOf(a, turn.session ?? '')).entries).toEqual([])
  a.release('a-after')
  b.release('b-before')
  await turn.over
  expect(world.outside.calls.map(({ server }) => server)).toEqual(['b'])
  const verdict = await judge(b, turn.session ?? '', [turn], world.outside)
  tally.add('postgres', verdict)
  expect(verdict).toMatchObject({ findings: [], unknown: [] })
})

/**
 * Its renewals hang, so that nothing tells it that its lease is over: it finds that out by itself,
 * or not at all.
 */
test('sends nothing when a handshake ends after the outcome was told', async () => {
  const secure = await startSecureOutside(world.outside.url)
  const connecting = await Home.make({
    world,
    outside: secure.url,
    postgres,
    runtime: { leaseMs: 3_000, marginMs: 200, sweepMs: 100, pollMs: 50 },
    flights: 16,
  })
  try {
    const [a, b] = await Promise.all([connecting.start('a'), connecting.start('b')])
    a.arm(
      Array.from({ length: 300 }, (_, n) =>
        (['renew', 'takeover'] as const).map((statement): Point => ({
          id: `${statement}-${n}`,
          at: { statement, n: statement === 'renew' ? 1 : 0 },
          when: 'before',
          then: { do: 'hold' },
        })),
      ).flat(),
    )
    const turn = new Person(() => Promise.resolve(a.url)).send({
      marker: 'connecting',
      steps: plain,
    })
    await secure.arrived
    const atB = new Person(() => Promise.resolve(b.url))
    await turn.until((events) => events.length > 0)
    expect((await atB.followed(turn.session ?? '')).at(-1)?.type).toBe('done')
    secure.release()
    await turn.over
    const next = atB.send({ marker: 'connecting-next', steps: [] }, { session: turn.session ?? '' })
    await next.over
    await secure.over // nothing more can come of that connection
    expect(world.outside.calls).toEqual([])
    // Whoever was first has told of it: the one that it is unknown, the other that it was not sent.
    const verdict = await judge(b, turn.session ?? '', [turn, next], world.outside)
    expect(verdict.findings.filter(({ text }) => !text.includes('was not sent'))).toEqual([])
    expect(verdict.unknown).toEqual(['connecting.1.1'])
  } finally {
    await connecting.close()
    await secure.close()
  }
})
