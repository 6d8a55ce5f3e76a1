import dbPostgres from '@amodal/plugin-db-postgres'
import queueDatabase from '@amodal/plugin-queue-database'
import sessions from '@amodal/plugin-sessions'
import { use, type Entry } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { boot, GoingClock, IN_MEMORY, onPglite, TurnedClock, type Booted } from './support.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const onPostgres = (url: string): readonly Entry[] => [
  use(dbPostgres, { url, max: 4 }),
  use(sessions),
  use(queueDatabase),
]

const hourly = (more: object = {}) => ({
  'automations/hourly.json': { schedule: '0 * * * *', prompt: 'Look.', ...more },
})
const isDone = (runs: readonly { readonly [name: string]: unknown }[]): boolean =>
  runs.every(({ status }) => status === 'completed' || status === 'skipped')

const dueOf = async (agent: Booted, count: number, name = 'hourly'): Promise<readonly string[]> => {
  const runs = await agent.runs(name, (found) => found.length >= count && isDone(found))
  return runs.map(({ due }) => String(due).slice(11, 16)).sort()
}

describe.each([
  ['in memory', async () => IN_MEMORY],
  ['on PGlite', async () => onPglite()],
])('a schedule %s', (_, storage) => {
  test('runs at each due time, and not again when the clock is turned back', async () => {
    const clock = new TurnedClock('2026-05-01T08:30:00Z')
    const agent = await boot({ files: hourly(), clock, storage: await storage() })
    await agent.service.tick()
    expect(await agent.get('/automations/hourly/runs')).toEqual({ runs: [] })
    for (const time of ['09:00:00', '08:10:00', '09:00:10', '10:00:01', '09:30:00', '10:00:02']) {
      clock.turn(`2026-05-01T${time}Z`)
      await agent.service.tick()
      await agent.runs('hourly', isDone)
    }
    expect(await dueOf(agent, 2)).toEqual(['09:00', '10:00'])
  })

  test('that is paused runs no more until it is resumed, and makes up for nothing', async () => {
    const clock = new TurnedClock('2026-05-01T08:30:00Z')
    const agent = await boot({ files: hourly({ catchUp: 'all' }), clock, storage: await storage() })
    await agent.post('/automations/hourly/stop')
    clock.turn('2026-05-01T10:30:00Z')
    await agent.service.tick()
    await agent.post('/automations/hourly/start')
    await agent.service.tick()
    clock.turn('2026-05-01T11:00:00Z')
    await agent.service.tick()
    expect(await dueOf(agent, 1)).toEqual(['11:00'])
    expect(agent.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['automation_started', 'automation_stopped', 'automation_triggered']),
    )
  })

  test('that is missed is made up for as its file says', async () => {
    const clock = new TurnedClock('2026-05-01T08:30:00Z')
    const agent = await boot({
      files: {
        'automations/all.json': {
          schedule: '0 * * * *',
          prompt: 'x',
          catchUp: 'all',
          overlap: 'queue',
        },
        'automations/last.json': { schedule: '0 * * * *', prompt: 'x' },
        'automations/none.json': { schedule: '0 * * * *', prompt: 'x', catchUp: 'none' },
      },
      clock,
      storage: await storage(),
    })
    clock.turn('2026-05-01T11:30:00Z')
    await agent.service.tick()
    expect(await dueOf(agent, 3, 'all')).toEqual(['09:00', '10:00', '11:00'])
    expect(await dueOf(agent, 1, 'last')).toEqual(['11:00'])
    expect(await agent.get('/automations/none/runs')).toEqual({ runs: [] })
  })

  test('is previewed and made up for by hand', async () => {
    const clock = new TurnedClock('2026-05-01T08:30:00Z')
    const agent = await boot({ files: hourly(), clock, storage: await storage() })
    expect(await agent.get('/automations/hourly/preview?limit=2')).toEqual({
      next: ['2026-05-01T09:00:00.000Z', '2026-05-01T10:00:00.000Z'],
    })
    const span = { from: '2026-05-01T06:00:00Z', to: '2026-05-01T09:30:00Z' }
    for (const _again of [1, 2]) await agent.post('/automations/hourly/backfill', span)
    expect(await dueOf(agent, 3)).toEqual(['06:00', '07:00', '08:00'])
  })
})

/** The run of nine is in progress until it is released, and that of ten is due. */
async function busy(more: object, storage: readonly Entry[] = IN_MEMORY) {
  const clock = new TurnedClock('2026-05-01T08:30:00Z')
  const held = Promise.withResolvers<void>()
  const agent = await boot({
    files: hourly(more),
    clock,
    storage,
    script: async (_, n) => {
      if (n === 0) await held.promise
      return reply.text('done')
    },
  })
  clock.turn('2026-05-01T09:00:00Z')
  await agent.service.tick()
  await agent.runs('hourly', ([run]) => run?.['status'] === 'running')
  clock.turn('2026-05-01T10:00:00Z')
  await agent.service.tick()
  return { agent, clock, release: held.resolve }
}

test('a run that is due while another one is in progress is skipped', async () => {
  const { agent, release } = await busy({})
  const runs = await agent.runs('hourly', ([run]) => run?.['status'] === 'skipped')
  expect(runs.map(({ status }) => status)).toEqual(['skipped', 'running'])
  release()
  await agent.runs('hourly', ([, run]) => run?.['status'] === 'completed')
})

test.each([
  ['in memory', () => IN_MEMORY],
  ['on PGlite', () => onPglite()],
])('a pause holds back what is queued, %s', async (_, storage) => {
  const { agent, clock, release } = await busy({ overlap: 'queue' }, storage())
  await agent.post('/automations/hourly/stop')
  release()
  const runs = await agent.runs('hourly', isDone)
  expect(runs).toMatchObject([
    { status: 'skipped', error: 'the automation was paused before it began' },
    { status: 'completed' }, // it was in progress
  ])
  const span = { from: '2026-05-01T06:00:00Z', to: '2026-05-01T09:30:00Z' }
  expect((await agent.post('/automations/hourly/backfill', span)).status).toBe(409)
  clock.pass(1_000)
  expect(await agent.run('hourly')).toMatchObject({ status: 'completed' }) // somebody wants it
  const { automations } = await agent.get('/automations')
  expect(automations).toMatchObject([{ running: false, lastRunStatus: 'completed' }])
})

test('three instances on one Postgres, one after the other stopped and started: 120 due times are 120 runs', async () => {
  const url = await postgres.createDatabase()
  const clock = new GoingClock('2026-05-01T00:00:00.500Z')
  const model = await startModelServer({ script: reply.text('ok') })
  onTestFinished(() => model.close())
  const files = {
    'automations/often.json': {
      schedule: '* * * * *',
      prompt: 'Look.',
      catchUp: 'all',
      overlap: 'parallel',
    },
  }
  const instance = (): Promise<Booted> =>
    boot({ files, clock, model, storage: onPostgres(url), config: { runs: 8 } })
  const alive = await Promise.all([instance(), instance(), instance()])
  for (let minute = 1; minute <= 120; minute++) {
    clock.pass(60_000)
    await Promise.all(alive.map(({ service }) => service.tick()))
    if (minute % 30 !== 0) continue
    const at = (minute / 30) % 3
    await alive[at]?.close()
    alive[at] = await instance()
  }
  const [first] = alive
  if (!first) throw new Error('there is no instance')
  // Retries of runs that were handed over wait for a clock that goes: due times go on meanwhile.
  const runs = await first.runs('often', (found) => found.length >= 120 && isDone(found))
  const times = runs.map(({ due }) => Date.parse(String(due))).sort((a, b) => a - b)
  const [begun = 0] = times
  expect(times).toEqual(times.map((_, minute) => begun + minute * 60_000))
  expect(runs.every(({ status }) => status === 'completed')).toBe(true)
  expect(model.count).toBe(runs.length)
}, 180_000)

test('100 events, sent ten times each to two instances: 100 runs', async () => {
  const url = await postgres.createDatabase()
  const model = await startModelServer({ script: reply.text('ok') })
  onTestFinished(() => model.close())
  const files = {
    'automations/event.json': {
      prompt: 'Look.',
      webhookAuth: { type: 'hmac-sha256', secret: 'env:S', idHeader: 'x-id' },
    },
  }
  const { createHmac } = await import('node:crypto')
  const signature = createHmac('sha256', 'secret').update('{}').digest('hex')
  const instance = (): Promise<Booted> =>
    boot({
      files,
      env: { S: 'secret' },
      model,
      storage: onPostgres(url),
      config: { runs: 8, webhooks: { perMinute: 10_000, concurrency: 64 } },
    })
  const both = [await instance(), await instance()]
  const send = async (id: number, n: number): Promise<void> => {
    for (;;) {
      const response = await fetch(`${both[n % 2]?.url ?? ''}/webhooks/event`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-amodal-signature': signature, 'x-id': `id-${id}` },
      })
      await response.arrayBuffer()
      if (response.status === 202) return
      expect(response.status).toBe(429)
    }
  }
  for (let n = 0; n < 10; n++)
    await Promise.all(Array.from({ length: 100 }, (_, id) => send(id, n + id)))
  const runs = await both[0]?.runs('event', (found) => found.length >= 100 && isDone(found))
  expect(runs).toHaveLength(100)
  expect(model.count).toBe(100)
}, 180_000)
