import { definePlugin, use, type Entry } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AutomationResults, type DeliveryPayload } from '../src/tokens.ts'
import {
  boot,
  IN_MEMORY,
  onPglite,
  startReceiver,
  TurnedClock,
  until,
  type Booted,
  type Received,
  type Receiver,
} from './support.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const digest = (delivery: object, more: object = {}) => ({
  'automations/digest.json': { prompt: 'Sum up.', delivery, ...more },
})
const hook = { type: 'webhook', url: 'env:HOOK' }
const START = '2026-05-01T12:00:00Z'

/** Passes time until there is something. */
async function passing<T>(
  clock: TurnedClock,
  ms: number,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    clock.pass(ms)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
interface Delivery {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly error?: string
}
const deliveriesOf = async (agent: Booted, name = 'digest'): Promise<readonly Delivery[]> =>
  (await agent.get(`/automations/${name}/deliveries`))['deliveries'] as readonly Delivery[]
const ended = async (agent: Booted): Promise<readonly Delivery[] | undefined> => {
  const all = await deliveriesOf(agent)
  return all.length > 0 && all.every(({ status }) => status !== 'pending') ? all : undefined
}
const received = (target: Receiver, count: number): Promise<readonly Received[]> =>
  until(() => (target.received.length >= count ? target.received : undefined))

describe.each([
  ['in memory', () => IN_MEMORY],
  ['on PGlite', () => onPglite()],
])('a result %s', (_, storage) => {
  test('is sent, signed, with its template', async () => {
    const target = await startReceiver()
    const agent = await boot({
      files: digest({
        targets: [{ ...hook, secret: 'env:KEY' }],
        template: 'MRR ${{mrr}}',
      }),
      env: { HOOK: `${target.url}/in?token=t0ken`, KEY: SECRET },
      storage: storage(),
      script: reply.text('{"mrr": 12.4}'),
    })
    const run = await agent.run('digest')
    const [one] = await received(target, 1)
    const body = JSON.parse(one?.body ?? '') as DeliveryPayload
    expect(body).toMatchObject({
      automation: 'digest',
      status: 'success',
      result: '{"mrr": 12.4}',
      message: 'MRR $12.4',
      data: { mrr: 12.4 },
      run_id: run['run_id'],
      session_id: run['session_id'],
    })
    const headers: Received['headers'] = one?.headers ?? {}
    const id = String(headers['webhook-id'])
    const at = String(headers['webhook-timestamp'])
    const key = Buffer.from(SECRET.slice(6), 'base64')
    const wanted = createHmac('sha256', key)
      .update(`${id}.${at}.${one?.body ?? ''}`)
      .digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${wanted}`)
    expect(headers['x-amodal-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
    const [delivery] = await until(() => ended(agent))
    expect(delivery).toMatchObject({ id, status: 'delivered', attempts: 1 })
    const told = await until(() => agent.events.find(({ type }) => type === 'delivery_succeeded'))
    expect(told).toMatchObject({ automation: 'digest', targetUrl: target.url, httpStatus: 200 })
    expect(JSON.stringify([agent.events, await deliveriesOf(agent)])).not.toContain('t0ken')
  })

  test('is sent again under the same id while its target is down, as late as that asks', async () => {
    const target = await startReceiver()
    target.answer = (__, n) =>
      [{ status: 500 }, { status: 429, headers: { 'retry-after': '3600' } }][n - 1] ?? {
        status: 204,
      }
    const clock = new TurnedClock(START)
    const agent = await boot({
      files: digest({ targets: [hook] }),
      env: { HOOK: target.url },
      storage: storage(),
      clock,
    })
    await agent.run('digest')
    // when the next attempt is due is known a moment after the first has come
    await passing(clock, 6_000, () => (target.received.length >= 2 ? true : undefined))
    const asked = clock.now()
    const [delivery] = await passing(clock, 60_000, () => ended(agent))
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 3 })
    expect(clock.now() - asked).toBeGreaterThanOrEqual(3_600_000)
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(target.received.map(({ body }) => body)).size).toBe(1)
    const { attempts } = await agent.get(`/automations/digest/deliveries/${delivery?.id ?? ''}`)
    expect(attempts).toMatchObject([
      { http_status: 500, error: 'it answered 500', body: 'thanks' },
      { http_status: 429 },
      { http_status: 204 },
    ])
  })

  test('is a dead letter after a day, and is sent again when somebody says so', async () => {
    const target = await startReceiver()
    target.answer = () => ({ status: 503 })
    const clock = new TurnedClock(START)
    const agent = await boot({
      files: digest({ targets: [hook] }),
      env: { HOOK: target.url },
      storage: storage(),
      clock,
    })
    await agent.run('digest')
    const [dead] = await passing(clock, 3_600_000, () => ended(agent))
    expect(dead).toMatchObject({ status: 'dead', attempts: 7, error: 'it answered 503' })
    expect(agent.events).toContainEqual(
      expect.objectContaining({ type: 'delivery_failed', attempts: 7, httpStatus: 503 }),
    )
    target.answer = () => ({ status: 200 })
    const again = await agent.post('/automations/digest/redrive', { ids: 'all' })
    expect(await again.json()).toEqual({ redriven: 1 })
    const [delivered] = await passing(clock, 1_000, () => ended(agent))
    expect(delivered).toMatchObject({ id: dead?.id, status: 'delivered' })
  })

  test('is sent no more to a target that is gone, until somebody says so', async () => {
    const target = await startReceiver()
    target.answer = () => ({ status: 410 })
    const agent = await boot({
      files: digest({ targets: [hook] }),
      env: { HOOK: target.url },
      storage: storage(),
    })
    for (const count of [1, 2]) {
      await agent.run('digest')
      await until(async () => ((await ended(agent))?.length === count ? true : undefined))
    }
    expect(target.received).toHaveLength(1)
    target.answer = () => ({ status: 200 })
    await agent.post('/automations/digest/redrive', { ids: 'all' })
    await received(target, 3)
  })

  test('waits for those before it where the file says so', async () => {
    const target = await startReceiver()
    let isDown = true
    target.answer = () => ({ status: isDown ? 500 : 200 })
    const clock = new TurnedClock(START)
    const agent = await boot({
      files: digest({ targets: [hook], order: 'target' }),
      env: { HOOK: target.url },
      storage: storage(),
      clock,
      script: (__, n) => reply.text(`result ${n}`),
    })
    for (const _n of [0, 1, 2]) await agent.run('digest')
    await received(target, 1)
    isDown = false
    await passing(clock, 10_000, () => ended(agent))
    const taken = target.received
      .slice(1)
      .map(({ body }) => (JSON.parse(body) as DeliveryPayload).result)
    expect(taken).toEqual(['result 0', 'result 1', 'result 2'])
  })

  test('of runs that fail alerts after so many in a row, and then not for a while', async () => {
    const target = await startReceiver()
    const clock = new TurnedClock(START)
    const agent = await boot({
      files: digest(
        { targets: [hook] },
        {
          failureAlert: { after: 2, cooldownMinutes: 60, targets: [{ ...hook, url: 'env:PAGER' }] },
        },
      ),
      env: { HOOK: target.url, PAGER: `${target.url}/pager` },
      storage: storage(),
      clock,
      script: reply.httpError(400, { message: 'boom' }),
    })
    const failing = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++)
        expect(await agent.run('digest')).toMatchObject({ status: 'failed' })
    }
    await failing(1)
    expect(await deliveriesOf(agent)).toEqual([])
    await failing(3)
    const [first] = await received(target, 1)
    expect([first?.path, JSON.parse(first?.body ?? '')]).toMatchObject([
      '/pager',
      { status: 'failure' },
    ])
    clock.pass(3_600_000)
    await failing(1)
    await received(target, 2)
    clock.pass(3_600_000)
    agent.model.play(reply.text('fine'))
    await agent.run('digest')
    await received(target, 3)
    agent.model.play(reply.httpError(400, { message: 'boom' }))
    await failing(1)
    expect(target.received.map(({ path }) => path)).toEqual(['/pager', '/pager', '/'])
  })
})

test('a target that does not take it in time is tried again', async () => {
  const target = await startReceiver()
  target.answer = (_, n) => ({ status: 200, hang: n === 1 })
  const clock = new TurnedClock(START)
  const agent = await boot({ files: digest({ targets: [hook] }), env: { HOOK: target.url }, clock })
  await agent.run('digest')
  await until(async () => ((await deliveriesOf(agent))[0]?.attempts === 1 ? true : undefined))
  const [delivery] = await passing(clock, 5_000, () => ended(agent))
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 })
})

test('a redirect is not followed', async () => {
  const [target, inside] = [await startReceiver(), await startReceiver()]
  target.answer = () => ({ status: 307, headers: { location: `${inside.url}/admin` } })
  const agent = await boot({ files: digest({ targets: [hook] }), env: { HOOK: target.url } })
  await agent.run('digest')
  expect(await until(() => ended(agent))).toMatchObject([{ status: 'dead', attempts: 1 }])
  expect(inside.received).toEqual([])
})

test('an address of the network that nobody may ask is refused', async () => {
  const agent = await boot({
    files: digest({ targets: [hook] }),
    env: { HOOK: 'http://169.254.169.254/latest/meta-data' },
  })
  await agent.run('digest')
  expect(await until(() => ended(agent))).toMatchObject([{ status: 'dead', attempts: 1 }])
})

test('results without a target of their own go to `proactive.webhook`', async () => {
  const target = await startReceiver()
  const agent = await boot({
    files: { 'automations/plain.json': { prompt: 'x' } },
    manifest: { proactive: { webhook: 'env:ALL' } },
    env: { ALL: target.url },
  })
  await agent.run('plain')
  const [one] = await received(target, 1)
  expect(JSON.parse(one?.body ?? '')).toMatchObject({ automation: 'plain' })
})

test('a program takes results of its targets, again after it failed', async () => {
  const taken: (readonly [DeliveryPayload, string | undefined])[] = []
  const results = definePlugin({
    name: 'results',
    version: '1.0.0',
    provides: [AutomationResults],
    setup: ({ provide }) =>
      provide(AutomationResults, () => ({
        handle: (result, name) => {
          taken.push([result, name])
          if (taken.length === 1) throw new Error('not now')
        },
      })),
  })
  const plugins: readonly Entry[] = [use(results)]
  const clock = new TurnedClock(START)
  const agent = await boot({
    files: digest({ targets: [{ type: 'callback', name: 'crm' }] }),
    plugins,
    clock,
  })
  await agent.run('digest')
  const [delivery] = await passing(clock, 6_000, () => ended(agent))
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 })
  expect(taken).toMatchObject([
    [{ automation: 'digest', result: 'All clean.' }, 'crm'],
    [{ automation: 'digest' }, 'crm'],
  ])
})
