/**
 * A server that is asked to stop finishes what it can, and leaves the rest as it stands to the next
 * one.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Home } from './home.ts'
import { Person } from './person.ts'
import { SCENARIOS } from './scenarios.ts'
import { judge } from './verdict.ts'
import { startWorld } from './world.ts'

/** Ends a server that hangs; how long a stop takes is up to the machine. */
const STOP_MS = 150_000

test('sub-agents that are to begin while it stops begin on the next server', async () => {
  const world = await startWorld()
  const home = await Home.make({ world, runtime: { drainMs: 1_500 } })
  try {
    const stopping = await home.start()
    const model = world.holdModel('m', 1)
    const turn = new Person(() => home.reach()).send({
      marker: 'm',
      ...(SCENARIOS['three sub-agents at once'] ?? { steps: [] }),
    })
    await model.arrived
    const { url } = stopping
    const stopped = stopping.stop(STOP_MS)
    while (
      (await fetch(`${url}/sessions`).then(
        ({ status }) => status,
        () => 503,
      )) !== 503
    )
      await sleep(10)
    model.release()
    expect(await stopped).toBe(true)

    const server = await home.start()
    await turn.over
    const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
    expect(verdict.findings).toEqual([])
  } finally {
    await home.close()
    await world.close()
  }
})

test('what a look for work and a message under way claim while it stops is left to the next server', async () => {
  const world = await startWorld()
  const home = await Home.make({ world, runtime: { drainMs: 1_500 } })
  const person = new Person(() => home.reach())
  try {
    const first = await home.start()
    const child = world.holdModel('m.1.1', 1)
    const parent = person.send({
      marker: 'm',
      ...(SCENARIOS['three sub-agents at once'] ?? { steps: [] }),
    })
    await child.arrived
    await first.kill()
    child.release()

    const stopping = await home.start('a', [
      { id: 'look', at: { statement: 'takeover', n: 1 }, when: 'after', then: { do: 'hold' } },
      {
        id: 'message',
        marker: 'late',
        at: { statement: 'accept', n: 1 },
        when: 'after',
        then: { do: 'hold' },
      },
    ])
    const late = person.send({ marker: 'late', steps: [] })
    await Promise.all([stopping.reached('look'), stopping.reached('message')])
    const { url } = stopping
    const stopped = stopping.stop(STOP_MS)
    while (
      (await fetch(`${url}/sessions`).then(
        ({ status }) => status,
        () => 503,
      )) !== 503
    )
      await sleep(10)
    stopping.release('look')
    stopping.release('message')
    expect(await stopped).toBe(true)
    expect(world.lastAsked('late')).toBeUndefined() // it did not begin here
    expect(stopping.said).not.toMatch(/plugin\.failed|left_running/)

    const server = await home.start()
    for (const turn of [parent, late]) {
      await turn.over
      const verdict = await judge(server, turn.session ?? '', [turn], world.outside)
      expect.soft(verdict.findings, turn.plan.marker).toEqual([])
    }
  } finally {
    await home.close()
    await world.close()
  }
})
