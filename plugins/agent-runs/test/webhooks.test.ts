import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { JobQueue } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { WEBHOOK_QUEUE } from '../src/run-jobs.ts'
import { serving } from './support/serving.ts'

interface Delivery {
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** A receiver that answers with these statuses, the last one again and again. */
async function receiver(...statuses: readonly number[]) {
  const heard: Delivery[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const status = statuses[heard.length] ?? statuses.at(-1) ?? 204
      heard.push({ headers: request.headers, text })
      response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('it does not listen')
  const origin = `http://127.0.0.1:${address.port}`
  const until = async (count: number): Promise<readonly Delivery[]> => {
    while (heard.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
    return heard
  }
  return { origin, heard, until }
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
const config = (origin: string) => ({
  webhooks: { secret: 'env:RUNS_SECRET', privateOrigins: [origin] },
})
const env = { RUNS_SECRET: SECRET }

test('the end of a run is told, signed, and again under the same id until it is heard', async () => {
  const target = await receiver(503, 200)
  const server = await serving({
    script: reply.text('Hello.'),
    config: config(target.origin),
    env,
  })
  const id = await server.run('hi', { webhook_url: `${target.origin}/hook` })
  const [first, second] = await target.until(2)
  expect(JSON.parse(second?.text ?? '')).toMatchObject({
    type: 'agent.session.completed',
    data: { session_id: id, status: 'complete' },
  })
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
  const {
    'webhook-id': hook,
    'webhook-timestamp': at,
    'webhook-signature': signature,
  } = second?.headers ?? {}
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key)
    .update([hook, at, second?.text].join('.'))
    .digest('base64')
  expect(signature).toBe(`v1,${expected}`)
})

test('a question of a run, its failure and its cancel are told too', async () => {
  const target = await receiver(200)
  const server = await serving({
    script: ({ messages }) =>
      JSON.stringify(messages).includes('fail')
        ? reply.httpError(401)
        : reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which?' } }),
    config: config(target.origin),
    env,
  })
  const webhook_url = `${target.origin}/hook`
  const asks = await server.run('ask', { webhook_url })
  await target.until(1)
  await server.post(`/agents/${asks}/cancel`, {})
  await target.until(2)
  await server.run('fail', { webhook_url })
  const told = (await target.until(3)).map(({ text }) => JSON.parse(text))
  expect(told).toMatchObject([
    {
      type: 'agent.session.paused',
      data: { session_id: asks, pending_input: { pending_input_type: 'question' } },
    },
    { type: 'agent.session.canceled', data: { session_id: asks, status: 'canceled' } },
    { type: 'agent.session.failed', data: { status: 'error' } },
  ])
})

test('a receiver that is gone for good is a dead letter', async () => {
  const target = await receiver(410)
  const server = await serving({
    script: reply.text('Hello.'),
    config: config(target.origin),
    env,
  })
  await server.run('hi', { webhook_url: target.origin })
  await target.until(1)
  const queue = server.kernel.scope.get(JobQueue)
  for (;;) {
    const dead = await queue.dead(WEBHOOK_QUEUE, { limit: 10 }, AbortSignal.timeout(10_000))
    if (dead.ok && dead.value.jobs.length > 0) {
      expect(dead.value.jobs[0]?.reason).toBe('it answered 410: it is gone')
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(target.heard).toHaveLength(1)
})

test('a private address that the configuration does not name is not called', async () => {
  const target = await receiver(200)
  const server = await serving({
    script: reply.text('Hello.'),
    config: { webhooks: { secret: 'env:RUNS_SECRET' } },
    env,
  })
  await server.run('hi', { webhook_url: target.origin })
  const queue = server.kernel.scope.get(JobQueue)
  for (;;) {
    const dead = await queue.dead(WEBHOOK_QUEUE, { limit: 10 }, AbortSignal.timeout(10_000))
    if (dead.ok && dead.value.jobs.length > 0) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(target.heard).toEqual([])
})
