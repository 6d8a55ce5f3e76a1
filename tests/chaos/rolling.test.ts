/** Three instances that are replaced in turn, while people talk and runs are started. */

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWhole } from '../support/random.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { LOCAL_HEADERS } from './control.ts'
import { Home } from './home.ts'
import { messageOf, type Plan } from './plan.ts'
import type { ServerProcess } from './server-process.ts'
import { startWorld, type World } from './world.ts'

const NAMES = ['a', 'b', 'c'] as const
const ROUNDS = isWhole() ? 5 : 1
const CLIENTS = 6
/** ms that an instance has to finish. */
const STOP_MS = 60_000
const STEPS: Plan['steps'] = [[{ tool: 'effect_keyed' }]]

let postgres: Postgres
let world: World
beforeAll(async () => {
  ;[postgres, world] = await Promise.all([startPostgres(), startWorld({ pace: 60 })])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), world.close()])
})

/**
 * Sends as a balancer does: in turn, to instances that are not about to stop; to the next one where
 * a connection could not be made or broke before an answer began, since the request has a key.
 */
class Balancer {
  readonly #home: Home
  #turn = 0
  sent = 0
  readonly failed: string[] = []

  constructor(home: Home) {
    this.#home = home
  }

  async send(path: string, key: string, body: unknown): Promise<void> {
    this.sent++
    for (;;) {
      const server = this.#next()
      let response: Response
      try {
        response = await fetch(`${server.url}${path}`, {
          method: 'POST',
          headers: { ...LOCAL_HEADERS, 'idempotency-key': key },
          body: JSON.stringify(body),
        })
      } catch {
        await sleep(20)
        continue
      }
      const text = await response.text().catch((cause: unknown) => `broken off: ${String(cause)}`)
      if (!response.ok || text.startsWith('broken off'))
        this.failed.push(`${path} at ${server.name}: ${response.status} ${text.slice(0, 300)}`)
      return
    }
  }

  #next(): ServerProcess {
    const { serving } = this.#home
    const server = serving[this.#turn++ % serving.length]
    if (!server) throw new Error('no instance serves')
    return server
  }
}

test('a rolling restart of three instances fails no request and loses no run', async () => {
  const home = await Home.make({ world, postgres })
  const client = new pg.Client({ connectionString: home.databaseUrl })
  await client.connect()
  try {
    await Promise.all(NAMES.map((name) => home.start(name)))
    const balancer = new Balancer(home)
    const done = new AbortController()
    let runs = 0
    const talking = Array.from({ length: CLIENTS }, async (_, at) => {
      for (let n = 0; !done.signal.aborted; n++) {
        const marker = `t${at}x${n}`
        const plan = messageOf({ marker, steps: STEPS })
        if (n % 2 === 0) {
          await balancer.send('/chat/sync', marker, { message: plan })
          continue
        }
        runs++
        const run = { profile_id: 'agent', task: plan }
        await balancer.send('/api/platform/v1/agents/run', marker, run)
      }
    })
    for (let round = 0; round < ROUNDS; round++)
      for (const name of NAMES) {
        expect(await home.server(name).stop(STOP_MS), `${name} finished by itself`).toBe(true)
        await home.start(name)
      }
    done.abort()
    await Promise.all(talking)
    expect(balancer.failed, `of ${balancer.sent}`).toEqual([])
    expect(balancer.sent).toBeGreaterThan(CLIENTS)
    await expect
      .poll(
        async () =>
          (await client.query('select from agent_runs_run where status = $1', ['complete']))
            .rowCount,
        { timeout: 120_000 },
      )
      .toBe(runs)
  } finally {
    await client.end()
    await home.close()
  }
})
