/**
 * Messages that bring down every server that takes them: all others end well, and that one alone is
 * set aside.
 */

import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createClient, type SessionSummary } from '@amodal/sdk/client'
import { startPostgres } from '../support/postgres.ts'
import { LOCAL_TOKEN } from './control.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import type { Plan } from './plan.ts'
import { isWhole, newRandom } from '../support/random.ts'
import type { ServerProcess } from './server-process.ts'
import { Tally } from './tally.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

const tally = new Tally('poison')
afterAll(() => tally.print())

const INNOCENT = 20
const PLUGIN = fileURLToPath(new URL('poison-plugin.ts', import.meta.url))
const step = { tool: 'read_thing' } as const

/** A server that somebody starts again whenever it has died. */
async function supervise(home: Home, name: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    // it may die before it serves
    const server: ServerProcess | undefined = await home.start(name).catch(() => undefined)
    await server?.exited
  }
}

const CASES = [
  ['pglite', 'start-kill', ['a']],
  ['pglite', 'model-kill', ['a']],
  ['postgres', 'start-kill', ['a', 'b']],
  ['postgres', 'model-kill', ['a', 'b']],
  ['postgres', 'model-block', ['a', 'b']],
] as const

/** Each of them takes a server down three times: one on each database, others in every run. */
const random = newRandom()
const cases = isWhole()
  ? CASES
  : [...random.sample(CASES.slice(0, 2), 1), ...random.sample(CASES.slice(2), 1)]

test.each(cases)(
  'on %s, poison of the kind %s on servers %j',
  async (database, kind, names) => {
    const world = await startWorld()
    const postgres = database === 'postgres' ? await startPostgres() : undefined
    const lease = postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : {}
    const home = await Home.make({
      world,
      postgres,
      plugins: [PLUGIN],
      runtime: { ...lease, pollMs: 50, suspectMs: 300, trialMs: 1_000 },
    })
    const stop = new AbortController()
    try {
      for (const name of names) void supervise(home, name, stop.signal)
      const person = new Person(() => home.reach())
      const client = createClient({
        url: 'http://chaos',
        credential: LOCAL_TOKEN,
        fetch: async (input, init) =>
          fetch((input as string).replace('http://chaos', await home.reach()), init),
        timeoutMs: 3_000,
      }) // an address that the client made
      const innocent = Array.from({ length: INNOCENT }, (_, n): Plan => ({
        marker: `innocent-${n}`,
        steps: [[step, { tool: 'effect_keyed' }], [step]],
      }))
      const turns = innocent.slice(0, INNOCENT / 2).map((plan) => person.send(plan))
      // it never ends by itself
      void person.send({ marker: `poison-${kind}`, steps: [[step]] }).over.catch(() => undefined)
      turns.push(...innocent.slice(INNOCENT / 2).map((plan) => person.send(plan)))

      const aside = async (): Promise<readonly SessionSummary[]> => {
        const listed = await client
          .attention({ signal: AbortSignal.timeout(3_000) })
          .catch(() => []) // the server that is asked may die
        return listed.filter(({ set_aside }) => set_aside)
      }
      await expect.poll(aside, { timeout: 300_000, interval: 2_000 }).toHaveLength(1)
      await Promise.all(turns.map(({ over }) => over))
      for (const turn of turns) {
        const verdict = await judge(
          await home.anyServer(),
          turn.session ?? '',
          [turn],
          world.outside,
        )
        tally.add(database, verdict)
        expect.soft(verdict.findings).toEqual([])
      }
      // The server is usable, and stays so.
      const next = person.send({ marker: 'next', steps: [[{ tool: 'effect_keyed' }]] })
      await next.over
      const [guilty, ...others] = await aside()
      expect(others).toEqual([])
      expect(guilty).toMatchObject({
        set_aside: { code: 'RUN_SET_ASIDE' },
        title: expect.stringContaining(`poison-${kind}`),
      })
    } finally {
      stop.abort()
      await home.close()
      await postgres?.stop()
      await world.close()
    }
  },
  480_000,
)
