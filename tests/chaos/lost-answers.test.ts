/**
 * Statements that are made and whose answer is lost, and statements that never arrive: told apart
 * by nobody, repeated by all.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RuntimeSettings } from '@amodal/plugin-loop'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { attemptName } from './attempt-name.ts'
import { inParallel } from './in-parallel.ts'
import type { Passed, Point } from './control.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { isWhole, newRandom } from '../support/random.ts'
import { SCENARIOS } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld, type World } from './world.ts'

/** Tries that fail before one is answered. */
const TIMES = [1, 3]

/** Statements of each scenario, where not all of them are tried: others in every run. */
const SAMPLE = 4

const random = newRandom()
const tally = new Tally(
  isWhole() ? 'lost answers' : `lost answers, ${SAMPLE} of each scenario, seed ${random.seed}`,
)
afterAll(() => tally.print())

describe.each(['pglite', 'postgres'] as const)('on %s', (database) => {
  let world: World
  let postgres: Postgres | undefined
  beforeAll(async () => {
    world = await startWorld()
    postgres = database === 'postgres' ? await startPostgres() : undefined
  })
  afterAll(async () => {
    await postgres?.stop()
    await world.close()
  })

  async function withServer(
    runtime: Partial<RuntimeSettings>,
    work: (server: ServerProcess, person: Person) => Promise<void>,
  ): Promise<void> {
    const home = await Home.make({
      world,
      postgres,
      runtime: { marginMs: 200, sweepMs: 100, pollMs: 50, ...runtime },
      flights: 16,
    })
    try {
      await work(await home.start(), new Person(() => home.reach()))
    } finally {
      await home.close()
    }
  }

  test('every statement of every turn', async () => {
    await withServer({ leaseMs: 3_000 }, async (server, person) => {
      const missed: string[] = []
      await inParallel(6, Object.entries(SCENARIOS), async ([title, deed]) => {
        const name = attemptName(title)
        await person.send({ marker: name, ...deed }).over
        const every = pointsOf(name, await server.trace(name))
        const points = isWhole()
          ? every
          : random.branch(`${database} ${title}`).sample(every, SAMPLE)
        server.arm(points)
        await inParallel(20, points, async ({ id }, index) => {
          // what is accepted together would be lost together, over and over
          await sleep(20 * (index % 20))
          const turn = person.send({ marker: id, ...deed })
          await turn.over
          if (!server.hasReached(id)) missed.push(id)
          const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
          tally.add(database, verdict)
          expect.soft(verdict, id).toMatchObject({ findings: [], unknown: [] })
        })
      })
      // A second answer may come in time for the commit that is still being repeated for the first.
      expect(missed.length, missed.join()).toBeLessThanOrEqual(10)
    })
  })

  /**
   * Whether it was made nobody can find out until the lease is over, which a run that gets nowhere
   * lets go.
   */
  test('a commit in doubt past the lease', async () => {
    await withServer({ leaseMs: 1_000, stalenessMs: 1_000 }, async (server, person) => {
      await Promise.all(
        DOUBTS.map(async ([marker, scenario, n, when, whose = '']) => {
          server.arm([
            {
              id: marker,
              marker: `${marker}${whose}`,
              at: { statement: 'commit', n },
              when,
              then: { do: 'lose', times: Number.MAX_SAFE_INTEGER },
            },
          ])
          const turn = person.send({ marker, steps: SCENARIOS[scenario]?.steps ?? [] })
          await turn.over
          const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
          tally.add(database, verdict)
          expect.soft(verdict.findings, marker).toEqual([])
        }),
      )
    })
  })
})

/** Each statement: lost on its way there or on its way back, once and several times. */
function pointsOf(name: string, passed: readonly Passed[]): readonly Point[] {
  return passed
    .filter(({ kind }) => kind === 'accept' || kind === 'commit')
    .flatMap(({ kind, n }) =>
      TIMES.flatMap((times) =>
        (['before', 'after'] as const).map((when): Point => {
          const id = `${name}-${kind}-${n}-${when}-${times}`
          return { id, marker: id, at: { statement: kind, n }, when, then: { do: 'lose', times } }
        }),
      ),
    )
}

const DOUBTS = [
  ['end-made', 'words alone', 1, 'after'],
  ['end-not-made', 'words alone', 1, 'before'],
  ['intent-made', 'an effect without a key', 1, 'after'],
  ['intent-not-made', 'an effect without a key', 1, 'before'],
  ['outcome-made', 'an effect with a key', 2, 'after'],
  ['outcome-not-made', 'an effect with a key', 2, 'before'],
  ['children-made', 'three sub-agents at once', 1, 'after'],
  ['child-intent-made', 'three sub-agents at once', 1, 'after', '.1.1'],
  ['child-end-made', 'three sub-agents at once', 3, 'after', '.1.1'],
  ['child-end-not-made', 'three sub-agents at once', 3, 'before', '.1.1'],
] as const
