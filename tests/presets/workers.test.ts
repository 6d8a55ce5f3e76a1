import { join } from 'node:path'
import { main } from '@amodal/presets/cli'
import { explainStart, startFolder } from '@amodal/presets'
import { JobQueue, type JobCounts } from '@amodal/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { agentFolder, type AgentFolder } from '../support/agent-folder.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

const WAIT = { timeout: 60_000, interval: 50 }
const { signal } = new AbortController()

let postgres: Postgres
let folder: AgentFolder
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  postgres = await startPostgres()
  env = {
    AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: await postgres.createDatabase(),
    LOG_LEVEL: 'none',
  }
  folder = await agentFolder({
    'amodal.json': JSON.stringify({
      name: 'greeter',
      models: { main: { provider: 'anthropic', model: 'none' } },
      plugins: [
        { use: join(import.meta.dirname, 'queue-plugin.ts') },
        { use: 'queue-database', config: { work: false } },
      ],
    }),
  })
}, 120_000)
afterAll(async () => {
  await folder.remove()
  await postgres.stop()
})

interface Running {
  readonly code: Promise<number>
  readonly out: () => string
  readonly err: () => string
  readonly stop: () => void
}

/** The command line, on the folder and the database of a server. */
function amodal(...argv: readonly string[]): Running {
  let [out, err] = ['', '']
  const life = new AbortController()
  const code = main({
    argv: [...argv, '--dir', folder.dir, '--preset', 'production'],
    env,
    signal: life.signal,
    input: (async function* () {
      yield* [] as readonly string[]
    })(),
    write: (text) => {
      out += text
    },
    fail: (text) => {
      err += text
    },
  })
  return { code, out: () => out, err: () => err, stop: () => life.abort() }
}

test('a web process publishes, a worker runs the jobs, and dead letters begin again', async () => {
  const web = await startFolder({ dir: folder.dir, env, preset: 'production', without: ['http'] })
  if (!web.ok) throw new Error(explainStart(web.error))
  const queue = web.value.kernel.scope.get(JobQueue)
  expect(queue.workers()).toContainEqual({
    queue: 'greetings',
    takes: false,
    concurrency: 3,
    active: 0,
  })
  expect(queue.workers().filter(({ takes }) => takes)).toEqual([])
  const jobs = ['anna', 'nobody'].map((name) => ({ queue: 'greetings', data: { name } }))
  expect(await queue.publish(jobs, signal)).toMatchObject({ ok: true })
  const counts = async (): Promise<JobCounts | undefined> => {
    const counted = await queue.counts('greetings', signal)
    return counted.ok ? counted.value.get('greetings') : undefined
  }
  expect(await counts()).toEqual({ waiting: 2, delayed: 0, active: 0, dead: 0 })

  const none = amodal('worker', '--queues', 'farewells')
  expect(await none.code).toBe(2)
  expect(none.err()).toMatch(
    /^nothing works on farewells; the queues of this agent are: .*\bgreetings\n$/,
  )
  const wrong = amodal('worker', '--concurrency', 'many')
  expect(await wrong.code).toBe(2)

  const worker = amodal('worker', '--queues', 'greetings', '--concurrency', '2')
  await vi.waitFor(() => expect(worker.out()).toContain('Working on greetings (2).'), WAIT)
  await vi.waitFor(async () => expect(await counts()).toMatchObject({ waiting: 0, dead: 1 }), WAIT)
  worker.stop()
  expect(await worker.code).toBe(0)

  const list = amodal('ops', 'queue', '--json')
  expect([await list.code, JSON.parse(list.out()) as unknown]).toEqual([
    0,
    { queues: [{ queue: 'greetings', waiting: 0, delayed: 0, active: 0, dead: 1 }] },
  ])
  const dead = amodal('ops', 'queue', 'dead', 'greetings')
  expect(await dead.code).toBe(0)
  expect(dead.out()).toContain('nobody is there\n  {"name":"nobody"}')
  const which = amodal('ops', 'queue', 'redrive', 'greetings')
  expect(await which.code).toBe(2)
  const redrive = amodal('ops', 'queue', 'redrive', 'greetings', '--all')
  expect([await redrive.code, redrive.out()]).toEqual([0, '1 of greetings begin again.\n'])
  expect(await counts()).toMatchObject({ waiting: 1, dead: 0 })
  await web.value.close()
}, 180_000)
