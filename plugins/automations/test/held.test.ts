/** Events that come while their automation is paused: they are kept, and run when it goes on. */

import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { boot, GoingClock, IN_MEMORY, onPglite, type Booted, type World } from './support.ts'

const SECRET = 'shared with the sender'
const HOUR = 3_600_000
const worldOf = (more: object = {}): World => ({
  env: { SECRET },
  files: {
    'automations/push.json': {
      prompt: 'Look at what was pushed: {{event}}',
      webhookAuth: { type: 'github', secret: 'env:SECRET' },
      ...more,
    },
  },
})

async function send({ url }: Booted, n: number, query = '') {
  const body = JSON.stringify({ event: n })
  const response = await fetch(`${url}/webhooks/push${query}`, {
    method: 'POST',
    body,
    headers: {
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      'x-github-delivery': `d-${n}`,
    },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const statuses = async (agent: Booted): Promise<readonly unknown[]> => {
  const { runs } = await agent.get('/automations/push/runs')
  return (runs as readonly { readonly status: string }[]).map(({ status }) => status)
}

/** The events in the order in which the model was told of them. */
const eventsOf = ({ model }: Booted): readonly number[] =>
  model.requests.map(({ body }) => {
    const text = JSON.stringify(body.messages.at(-1))
    return Number(/event\D+(\d+)\}/.exec(text)?.[1])
  })

describe.each([
  ['in memory', () => IN_MEMORY],
  ['on PGlite', () => onPglite()],
])('an event during a pause, %s', (_, storage) => {
  test('is held, also when it is sent again, and runs in its order after the pause', async () => {
    const clock = new GoingClock('2026-05-01T09:00:00Z')
    const agent = await boot({ ...worldOf({ overlap: 'queue' }), storage: storage(), clock })
    await agent.post('/automations/push/stop')
    for (const n of [1, 2, 3]) {
      const held = await send(agent, n, n === 2 ? '?wait=1' : '')
      expect(held).toMatchObject({ status: 202, body: { status: 'held', automation: 'push' } })
      const left = Date.parse(String(held.body['held_until'])) - clock.now()
      expect(Math.round(left / HOUR)).toBe(72)
      expect(await send(agent, n)).toEqual(held)
      clock.pass(1_000)
    }
    expect(await statuses(agent)).toEqual(['held', 'held', 'held'])
    expect(agent.model.count).toBe(0)
    await agent.post('/automations/push/start')
    await agent.runs('push', (runs) => runs.every(({ status }) => status === 'completed'))
    expect(eventsOf(agent)).toEqual([1, 2, 3])
    expect((await send(agent, 1)).body).toMatchObject({ status: 'accepted' })
    expect(await statuses(agent)).toHaveLength(3)
  })

  test('that was accepted just before the pause is held as well', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const script = async () => {
      await released
      return reply.text('Seen.')
    }
    const agent = await boot({ ...worldOf({ overlap: 'queue' }), script, storage: storage() })
    await send(agent, 1)
    await agent.runs('push', ([run]) => run?.['status'] === 'running')
    await send(agent, 2)
    await agent.post('/automations/push/stop')
    release(undefined)
    await agent.runs('push', (runs) => runs.some(({ status }) => status === 'held'))
    for (let pauses = 0; pauses < 2; pauses++) {
      await agent.post('/automations/push/start')
      await agent.post('/automations/push/stop')
    }
    await agent.post('/automations/push/start')
    await agent.runs('push', (runs) => runs.every(({ status }) => status === 'completed'))
    expect(eventsOf(agent)).toEqual([1, 2])
  })

  test('is skipped when it was held for too long', async () => {
    const clock = new GoingClock('2026-05-01T09:00:00Z')
    const agent = await boot({ ...worldOf({ holdHours: 2 }), storage: storage(), clock })
    await agent.post('/automations/push/stop')
    await send(agent, 1)
    clock.pass(HOUR)
    await send(agent, 2)
    clock.pass(HOUR + 1_000)
    await agent.post('/automations/push/start')
    const runs = await agent.runs('push', (all) =>
      all.every(({ ended_at }) => ended_at !== undefined),
    )
    expect(runs).toMatchObject([
      { status: 'completed' },
      { status: 'skipped', error: expect.stringContaining('for longer than') as string },
    ])
    expect(eventsOf(agent)).toEqual([2])
  })
})

test('held events outlive the process', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-held-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const data = join(dir, 'data')
  const world = worldOf({ overlap: 'queue' })
  const first = await boot({ ...world, storage: onPglite(data) })
  await first.post('/automations/push/stop')
  for (const n of [1, 2]) expect((await send(first, n)).body['status']).toBe('held')
  await first.close()

  const second = await boot({ ...world, storage: onPglite(data) })
  expect(await statuses(second)).toEqual(['held', 'held'])
  expect((await send(second, 2)).body['status']).toBe('held')
  await second.post('/automations/push/start')
  await second.runs('push', (runs) => runs.every(({ status }) => status === 'completed'))
  expect(eventsOf(second)).toEqual([1, 2])
})
