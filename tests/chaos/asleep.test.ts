/**
 * A server that stands still past its leases, as on a laptop that sleeps, and wakes before anybody
 * has taken over: nothing has crashed.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { Tally } from './tally.ts'
import { journalOf, judge } from './verdict.ts'
import { startWorld } from './world.ts'

const tally = new Tally('asleep')
afterAll(() => tally.print())

/**
 * ms: longer than the lease with its margin, than a run may stand still, and than a tool may take.
 */
const ASLEEP_MS = 8_000
const SHORT = {
  leaseMs: 3_000,
  marginMs: 100,
  sweepMs: 100,
  pollMs: 50,
  stalenessMs: 6_000,
  toolMs: 6_000,
}

test.each(['pglite', 'postgres'] as const)('on %s', async (database) => {
  const world = await startWorld()
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const home = await Home.make({ world, postgres, runtime: SHORT })
  try {
    const server = await home.start()
    const person = new Person(() => Promise.resolve(server.url))
    const held = ['effect_plain', 'effect_keyed', 'read_thing'] as const
    const turns = await Promise.all(
      held.map(async (tool) => {
        const call = world.outside.hold(`${tool}.1.1`)
        const turn = person.send({ marker: tool, steps: [[{ tool }], [{ tool: 'effect_plain' }]] })
        await call.arrived
        return { turn, call, tool }
      }),
    )
    server.freeze()
    for (const { call } of turns) call.release() // the answers wait in the sockets
    await sleep(ASLEEP_MS)
    server.thaw()
    for (const { turn, tool } of turns) {
      await turn.over
      const session = turn.session ?? ''
      const { entries } = await journalOf(server, session)
      const verdict = await judge(server, session, [turn], world.outside)
      tally.add(database, verdict)
      expect.soft(verdict, tool).toMatchObject({ findings: [], unknown: [] })
      expect
        .soft(
          entries.filter((entry) => entry.kind === 'tool_outcome').map(({ status }) => status),
          tool,
        )
        .toEqual(['success', 'success'])
      expect
        .soft(
          entries.filter((entry) => entry.kind === 'note').map(({ code }) => code),
          tool,
        )
        .toEqual([])
    }
  } finally {
    await home.close()
    await postgres?.stop()
    await world.close()
  }
})
