/**
 * Several people answer one question at once, and say different things. What was told to count is
 * what happens.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { attemptName } from './attempt-name.ts'
import { LOCAL_HEADERS } from './control.ts'
import { Home } from './home.ts'
import { journalOf } from './verdict.ts'
import { inParallel } from './in-parallel.ts'
import { Person } from './person.ts'
import type { Deed } from './plan.ts'
import { isWhole, newRandom, type Random } from '../support/random.ts'
import type { ServerProcess } from './server-process.ts'
import { startWorld, type World } from './world.ts'

/** All of them where every check is asked for, else a sample; a new seed each time. */
const ROUNDS = isWhole() ? 1_000 : 40
const AT_ONCE = 8

const approved: Deed = { steps: [[{ tool: 'effect_plain', approve: true }]] }
const delegated: Deed = { steps: [[{ tool: 'dispatch_task', task: approved }]] }

interface Ask {
  readonly session: string
  readonly id: string
}
interface Given {
  readonly approved: boolean
  readonly status: number
}

describe.each([
  ['pglite', 1],
  ['postgres', 1],
  ['postgres', 3],
] as const)('on %s with %i instances', (database, instances) => {
  const random = newRandom()
  let world: World
  let postgres: Postgres | undefined
  let home: Home
  let servers: readonly ServerProcess[]
  beforeAll(async () => {
    world = await startWorld()
    postgres = database === 'postgres' ? await startPostgres() : undefined
    home = await Home.make({ world, postgres, runtime: { pollMs: 50, sweepMs: 1_000 } })
    servers = await Promise.all(Array.from({ length: instances }, (_, n) => home.start(`s${n}`)))
    process.stdout.write(
      `contradicting answers on ${database} with ${instances}: ${ROUNDS} rounds, CHAOS_SEED=${random.seed}\n`,
    )
  })
  afterAll(async () => {
    await home.close()
    await postgres?.stop()
    await world.close()
  })

  test.each([
    ['an approval', approved],
    ['an approval of a sub-agent', delegated],
  ])(
    '%s',
    async (title, deed) => {
      const wrong: string[] = []
      const name = attemptName(title)
      await inParallel(
        AT_ONCE,
        Array.from({ length: ROUNDS }, (_, n) => n),
        async (n) => {
          const marker = `${name}-${n}`
          const turn = await begun(random.pick(nonEmpty(servers)), marker, deed)
          const answers = await contradicted(turn.ask, servers, random)
          const counted = answers.filter(({ status }) => status === 200)
          await turn.over
          const effects = world.outside.effects(
            deed === delegated ? `${marker}.1.1.1.1` : `${marker}.1.1`,
          )
          const said = JSON.stringify(answers)
          if (counted.length !== 1)
            wrong.push(`${marker}: ${counted.length} answers counted: ${said}`)
          if (answers.some(({ status }) => status !== 200 && status !== 409 && status !== 404))
            wrong.push(`${marker}: ${said}`)
          const outcomes = JSON.stringify(
            (await journalOf(await home.anyServer(), turn.ask.session)).entries.filter(
              ({ kind }) => kind === 'tool_outcome',
            ),
          )
          if (effects !== (counted[0]?.approved ? 1 : 0))
            wrong.push(`${marker}: ${effects} effects after ${said}: ${outcomes}`)
        },
      )
      expect(wrong).toEqual([])
    },
    40_000 + ROUNDS * 2_000,
  )
})

/** The answer reaches the sub-agent, and the server dies before its parent is given it. */
describe.each(['pglite', 'postgres'] as const)(
  'on %s, an approval of a sub-agent whose server dies under it',
  (database) => {
    test.each([
      ['is not taken back by another answer', true],
      ['brings the turn to its end by itself', false],
    ] as const)('%s', async (_, denied) => {
      const world = await startWorld()
      const postgres = database === 'postgres' ? await startPostgres() : undefined
      const home = await Home.make({
        world,
        postgres,
        runtime: {
          pollMs: 50,
          ...(postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : {}),
        },
      })
      try {
        const dying = await home.start()
        const marker = `dies-${database}-${denied}`
        const {
          ask: { session, id },
          over,
        } = await begun(dying, marker, delegated, () => home.reach())
        dying.arm([
          {
            id: marker,
            marker,
            at: { statement: 'accept', n: 2 },
            when: 'before',
            then: { do: 'kill' },
          },
        ])
        const answer = async (approved: boolean): Promise<number> =>
          (await answered(await home.reach(), { session, id }, approved)).status
        await expect(answer(true)).rejects.toThrow()
        await dying.exited
        await home.start()
        const status = denied ? await answer(false) : 0
        await over
        expect(status, 'a denial that came too late').not.toBe(200)
        expect(world.outside.effects(`${marker}.1.1.1.1`)).toBe(1)
      } finally {
        await home.close()
        await postgres?.stop()
        await world.close()
      }
    })
  },
)

/** A turn that waits for its approval. `over` resolves once it has come to its end. */
async function begun(
  { url }: ServerProcess,
  marker: string,
  deed: Deed,
  reach = () => Promise.resolve(url),
): Promise<{ readonly ask: Ask; readonly over: Promise<void> }> {
  const person = new Person(reach)
  // others answer
  const turn = person.send({ marker, ...deed }, { mayAnswer: new Promise(() => undefined) })
  await turn.until((events) => events.some(({ type }) => type === 'confirmation_required'))
  const question = turn.events.find((event) => event.type === 'confirmation_required')
  if (question?.type !== 'confirmation_required') throw new Error('nothing was asked')
  return {
    ask: { session: turn.session ?? '', id: question.id },
    over: turn.until((events) => events.some(({ type }) => type === 'done')),
  }
}

const answered = (url: string, { session, id }: Ask, approved: boolean): Promise<Response> =>
  fetch(`${url}/ask-user-response`, {
    method: 'POST',
    headers: LOCAL_HEADERS,
    body: JSON.stringify({ session_id: session, id, approved }),
  })

async function contradicted(
  ask: Ask,
  servers: readonly ServerProcess[],
  random: Random,
): Promise<readonly Given[]> {
  const first = random.next() < 0.5
  return Promise.all(
    Array.from({ length: random.within(2, 6) }, async (_, n): Promise<Given> => {
      const approved = n % 2 === 0 ? first : !first
      const response = await answered(random.pick(nonEmpty(servers)).url, ask, approved)
      await response.body?.cancel()
      return { approved, status: response.status }
    }),
  )
}

function nonEmpty<T>(items: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = items
  if (first === undefined) throw new Error('there is nothing to pick from')
  return [first, ...rest]
}
