/** Statements that are made and whose answer is lost, and statements that never arrive: told apart by nobody, repeated by all. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { inParallel } from './in-parallel.ts'
import type { Point } from './control.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { SCENARIOS } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld, type World } from './world.ts'

/** Tries that fail before one is answered. */
const TIMES = [1, 3]

const tally = new Tally('lost answers')
afterAll(() => tally.print())

describe.each(['pglite', 'postgres'] as const)('on %s', (database) => {
  let world: World
  let postgres: Postgres | undefined
  let home: Home
  let server: ServerProcess
  let person: Person

  beforeAll(async () => {
    world = await startWorld()
    postgres = database === 'postgres' ? await startPostgres() : undefined
    home = await Home.make({ world, postgres, runtime: { leaseMs: 2_000, marginMs: 200, sweepMs: 100, pollMs: 50, stalenessMs: 3_000 } })
    server = await home.start()
    person = new Person(() => home.reach())
  })
  afterAll(async () => {
    await home.close()
    await postgres?.stop()
    await world.close()
  })

  test('every statement of every turn', async () => {
    await inParallel(6, Object.entries(SCENARIOS), async ([title, steps]) => {
      const name = title.replaceAll(' ', '-')
      await person.send({ marker: name, steps }).over
      const statements = (await server.trace(name)).filter(({ kind }) => kind === 'accept' || kind === 'commit')
      const points = statements.flatMap(({ kind, n }) => TIMES.flatMap((times) => (['before', 'after'] as const).map((when): Point => {
        const id = `${name}-${kind}-${n}-${when}-${times}`
        return { id, marker: id, at: { statement: kind, n }, when, then: { do: 'lose', times } }
      })))
      server.arm(points)
      await inParallel(10, points, async ({ id }) => {
        const turn = person.send({ marker: id, steps })
        await turn.over
        await server.reached(id)
        const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
        tally.add(database, verdict)
        expect.soft(verdict, id).toMatchObject({ findings: [], unknown: [] })
      })
    })
  })

  /** What nobody knows until the lease is over is told so, and then found out. */
  test('a commit in doubt past the lease', async () => {
    await Promise.all(DOUBTS.map(async ([marker, scenario, n, when]) => {
      server.arm([{ id: marker, marker, at: { statement: 'commit', n }, when, then: { do: 'lose', times: Number.MAX_SAFE_INTEGER } }])
      const turn = person.send({ marker, steps: SCENARIOS[scenario] ?? [] })
      await turn.over
      const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
      tally.add(database, verdict)
      expect.soft(verdict.findings, marker).toEqual([])
    }))
  })
})

const DOUBTS = [
  ['end-made', 'words alone', 1, 'after'],
  ['end-not-made', 'words alone', 1, 'before'],
  ['intent-made', 'an effect without a key', 1, 'after'],
  ['intent-not-made', 'an effect without a key', 1, 'before'],
  ['outcome-made', 'an effect with a key', 2, 'after'],
  ['outcome-not-made', 'an effect with a key', 2, 'before'],
] as const
