import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { boot, IN_MEMORY, onPglite } from './support.ts'

const DIGEST = { 'automations/digest.json': { title: 'Digest', prompt: 'Sum up yesterday.' } }

describe.each([
  ['in memory', () => IN_MEMORY],
  ['on PGlite', () => onPglite()],
])('a run %s', (_, storage) => {
  test('is a session of its own, which is listed and can be opened', async () => {
    const agent = await boot({ files: DIGEST, storage: storage() })
    const ended = await agent.run('digest')
    expect(ended).toMatchObject({ status: 'completed', automation: 'digest', result: 'All clean.' })
    const listed = await agent.client.sessions({ limit: 10, tags: ['automation'] })
    expect(listed).toMatchObject({
      ok: true,
      value: {
        rows: [{ title: 'Digest', session: ended['session_id'], principal: 'automation:digest' }],
      },
    })
    expect(agent.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['automation_triggered', 'automation_completed']),
    )
  })

  test('knows since when to look, and what the last one reported', async () => {
    const agent = await boot({ files: DIGEST, storage: storage() })
    await agent.run('digest')
    await agent.run('digest')
    const [first, second] = agent.model.requests.map(({ body }) => JSON.stringify(body.messages))
    expect(first).not.toContain('since=')
    expect(second).toContain('since=2')
    expect(second).toContain('<untrusted source=\\"last run\\">\\nAll clean.')
    const { runs } = await agent.get('/automations/digest/runs')
    expect(runs).toHaveLength(2)
  })

  test('that fails says why', async () => {
    const agent = await boot({
      files: DIGEST,
      storage: storage(),
      script: reply.httpError(400, { message: 'no such model' }),
    })
    expect(await agent.run('digest')).toMatchObject({ status: 'failed' })
    await expect
      .poll(() => agent.get('/automations'))
      .toMatchObject({
        automations: [
          {
            name: 'digest',
            title: 'Digest',
            trigger: 'manual',
            running: true,
            lastRunStatus: 'failed',
          },
        ],
      })
    expect(agent.events).toContainEqual(expect.objectContaining({ type: 'automation_failed' }))
  })

  test('ends at its deadline', async () => {
    const agent = await boot({
      files: { 'automations/slow.json': { prompt: 'x', deadline: 1 } },
      storage: storage(),
      script: reply.silence(),
    })
    expect(await agent.run('slow')).toMatchObject({ status: 'failed' })
  })

  test('under the same key is the same run', async () => {
    const agent = await boot({ files: DIGEST, storage: storage() })
    const headers = { 'idempotency-key': 'k1' }
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const response = await agent.post('/automations/digest/run', {}, headers)
        return ((await response.json()) as { run_id: string }).run_id
      }),
    )
    expect(new Set(ids).size).toBe(1)
    expect(agent.model.count).toBe(1)
  })
})

test('streams its session', async () => {
  const agent = await boot({ files: DIGEST })
  const response = await agent.post('/automations/digest/stream')
  const text = await response.text()
  expect(text).toContain('"content":"All clean."')
  expect(text).toContain('event: done')
})

test('what does not exist is not found', async () => {
  const agent = await boot({ files: DIGEST })
  for (const path of ['/automations/none/run', '/automations/none/start', '/webhooks/digest'])
    expect((await agent.post(path)).status).toBe(404)
})
