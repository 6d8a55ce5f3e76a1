import { JobQueue, use } from '@amodal/sdk'
import limits from '@amodal/plugin-limits'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { serving } from './support/serving.ts'

test('a run whose provider had no capacity is tried again as a whole, when it says so', async () => {
  let calls = 0
  const server = await serving({
    script: () =>
      calls++ === 0 ? reply.httpError(429, { retryAfter: 1 }) : reply.text('Now there is room.'),
  })
  const id = await server.run('work')
  expect(await server.until(id, 'complete')).toMatchObject({
    result_summary: 'Now there is room.',
  })
  expect(calls).toBe(2)
  // it cost no attempt of the job, and the journal has both tries
  const { body } = await server.get(`/agents/${id}/status?include_events=1`)
  expect(JSON.stringify(body['events'])).toMatch(/"error".*"completed"/)
})

test('a provider without capacity for good is an error in the end', async () => {
  const server = await serving({
    script: reply.httpError(429, { retryAfter: 0.01 }),
    config: { providerRetries: 0 },
  })
  const id = await server.run('work')
  expect(await server.until(id, 'error')).toMatchObject({
    session_error: expect.stringMatching(/429/),
  })
})

test('more runs than a principal may start are refused with the time to wait', async () => {
  const server = await serving({
    script: reply.text('Hello.'),
    plugins: [use(limits, { messages: { perMinute: 2 }, runs: { concurrent: 1 } })],
  })
  const start = () => server.post('/agents/run', { profile_id: 'agent', task: 'hi' })
  const all = [await start(), await start(), await start()]
  expect(all.map(({ status }) => status)).toEqual([202, 202, 429])
  expect(all[2]?.body).toMatchObject({ error: { code: 'RATE_LIMITED' } })
})

test('a job that names no run is a dead letter', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  const queue = server.kernel.scope.get(JobQueue)
  const signal = AbortSignal.timeout(30_000)
  await queue.publish([{ queue: 'agent-runs.run', data: { nobody: true } }], signal)
  for (;;) {
    const dead = await queue.dead('agent-runs.run', { limit: 1 }, signal)
    if (dead.ok && dead.value.jobs[0]) {
      expect(dead.value.jobs[0].reason).toBe('the job names no run')
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})
