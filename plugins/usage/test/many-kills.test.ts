/**
 * Servers that are killed, each somewhere else between the first entry of a run and its row: the
 * rows come to what the journals say, to the token and to the billionth of a dollar.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { use } from '@amodal/sdk'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { isWhole, newRandom, type Random } from '../../../tests/support/random.ts'
import { onPostgres, RUNTIME, TENANTS, type BusyServer } from './busy-world.ts'
import { journalSums, rowSums, total, type Sums, type SumsByRun } from './journal-sums.ts'
import { killingAt, killPoint } from './kill-points.ts'
import { boot, type Door } from './support.ts'
import { Usage } from '../src/tokens.ts'

const SERVER = fileURLToPath(new URL('busy-server.ts', import.meta.url))
const KILLS = isWhole() ? 200 : 24
/** Servers at the same time, on one database. */
const AT_ONCE = 2
const NANO = 1_000_000_000
const LIMITS = { timeout: 900_000 }

/** A model that streams, calls tools and sub-agents, and fails now and then. */
const script =
  (random: Random): Script =>
  ({ messages }) => {
    const promptTokens = random.within(100, 2_000)
    const usage = {
      promptTokens,
      completionTokens: random.within(1, 300),
      cachedTokens: random.within(0, promptTokens),
    }
    const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
    const isSubagent = JSON.stringify(messages).includes('Look around.')
    const roll = results.length > 4 ? 0 : random.within(0, 19)
    if (roll < 9) return reply.text(['It ', 'is ', 'fine', '.'], { usage, pace: 1 })
    if (roll < 15)
      return reply.toolCalls(
        [
          { name: 'look', arguments: {} },
          { name: roll === 14 ? 'fail' : 'look', arguments: {} },
        ],
        { usage },
      )
    if (roll === 18) return reply.text('half', { ending: { kind: 'cut', after: 1 }, usage })
    if (roll === 19) return reply.httpError(400)
    return isSubagent
      ? reply.text('Nothing there.', { usage })
      : reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'Look around.' } }, { usage })
  }

/** Starts a server, and waits until it has killed itself. */
async function killed(options: BusyServer): Promise<void> {
  const child = spawn(process.execPath, [SERVER, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGTERM',
  })
  const errors = text(child.stderr)
  const [code, signal] = (await once(child, 'exit')) as [unknown, unknown]
  if (signal !== 'SIGKILL')
    throw new Error(
      `a server ended with ${String(signal ?? code)} and not at ${JSON.stringify(options.point)}: ${await errors}`,
    )
}

/** Resumes what was set aside, until every run has ended. */
async function settle(door: Door): Promise<SumsByRun> {
  let ended: SumsByRun = new Map()
  await expect
    .poll(
      async () => {
        for (const tenant of TENANTS) {
          const client = door.client({ tenant })
          const troubled = await client.troubled()
          for (const { session } of troubled.ok ? troubled.value : []) await client.retry(session)
        }
        const journal = await journalSums(door.scope)
        ended = journal.ended
        return journal.open
      },
      { timeout: 60_000, interval: 200, message: 'runs that have not ended' },
    )
    .toBe(0)
  return ended
}

/** Of `GET /api/usage`. */
const reported = ({
  calls,
  input,
  output,
  cacheRead,
  cacheWrite,
  cost,
  unpriced,
}: Omit<Sums, 'agent'>) => ({
  calls,
  tokens: { input, output, cache_read: cacheRead, cache_write: cacheWrite },
  cost: cost === null ? null : cost / NANO,
  unpriced_calls: unpriced,
})

/** Starts server after server, each of which kills itself, until all kills are done. */
async function killAll(
  servers: Pick<BusyServer, 'databaseUrl' | 'modelUrl'>,
  random: Random,
): Promise<void> {
  let kills = 0
  async function serve(principal: string): Promise<void> {
    while (kills < KILLS) {
      const index = kills++
      const own = random.branch(`kill ${index}`)
      const point = killPoint(index, (least, most) => own.within(least, most))
      await killed({ ...servers, principal, seed: own.seed, point })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => serve(`person-${n}`)))
}

async function expectSame(door: Door, runs: SumsByRun, seed: string): Promise<void> {
  const rows = await rowSums(door.scope)
  const names = new Set([...runs.keys(), ...rows.keys()])
  const different = [...names].flatMap((run) => {
    const [journal, row] = [runs.get(run), rows.get(run)]
    return isDeepStrictEqual(journal, row) ? [] : [{ run, journal, row }]
  })
  expect(different, seed).toEqual([])
  expect(total(rows), seed).toEqual(total(runs))
  for (const tenant of TENANTS)
    expect(await door.json('/api/usage', { tenant }), seed).toMatchObject({
      total: reported(total(runs, tenant)),
    })
}

test(`${KILLS} kills lose no token and no cost, and count none twice`, LIMITS, async () => {
  const random = newRandom()
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const databaseUrl = await postgres.createDatabase()
  const model = await startModelServer({ script: script(random.branch('model')) })
  onTestFinished(() => model.close())
  const open = () =>
    boot({
      storage: onPostgres(databaseUrl),
      model,
      runtime: RUNTIME,
      entries: [use(killingAt(undefined))],
    })
  const first = await open()
  for (const tenant of TENANTS) await first.say('Hello', { tenant })
  await first.close()

  const begin = performance.now()
  await killAll({ databaseUrl, modelUrl: model.url }, random)
  const door = await open()
  const runs = await settle(door)
  for (const tenant of TENANTS) await door.json('/api/usage', { tenant }) // writes what waits
  await door.scope.get(Usage).sweep()
  await expectSame(door, runs, `seed ${random.seed}`)

  const { cost, calls } = total(runs)
  const children = [...runs.values()].filter(({ agent }) => agent === 'sub-agent')
  expect(runs.size, 'enough runs to say something').toBeGreaterThan(KILLS)
  expect(children.length, 'sub-agents ran').toBeGreaterThan(10)
  expect(cost, 'calls have a price').toBeGreaterThan(0)
  const seconds = ((performance.now() - begin) / 1_000).toFixed(0)
  process.stdout.write(
    `${KILLS} kills, ${runs.size} runs (${children.length} of sub-agents), ${calls} calls, $${(cost ?? 0) / NANO}, ${seconds} s, seed ${random.seed}\n`,
  )
})
