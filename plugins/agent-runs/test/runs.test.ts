import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { serving } from './support/serving.ts'

const look = defineTool({
  name: 'look_up',
  description: 'Looks a thing up.',
  readOnly: true,
  input: z.object({ thing: z.string(), api_key: z.string().optional() }),
  execute: async ({ thing }) => ({ status: 'success', output: { found: `all about ${thing}` } }),
})
const lookThen = (text: string) =>
  reply.toolsThenText({ name: 'look_up', arguments: { thing: 'cats', api_key: 'k-123' } }, text)

/** The types of the events that a status has. */
const typesOf = (events: unknown): readonly unknown[] =>
  Array.isArray(events) ? events.map((event: { readonly type: unknown }) => event.type) : []

describe('a run', () => {
  test('is accepted at once, and its status is that of its journal', async () => {
    const server = await serving({ script: lookThen('Cats purr.'), tools: [look] })
    const started = await server.post('/agents/run', {
      profile_id: 'agent',
      task: 'Tell me about cats',
      input_params: { length: 'short' },
    })
    expect(started).toMatchObject({
      status: 202,
      body: { success: true, status: 'queued', profile_id: 'agent', async: true },
    })
    const id = String(started.body['session_id'])
    const done = await server.until(id, 'complete')
    expect(done).toMatchObject({
      success: true,
      session_id: id,
      task: 'Tell me about cats',
      input_params: { length: 'short' },
      turns_used: 2,
      result_artifact_id: null,
      result_summary: 'Cats purr.',
      progress: { turnsCompleted: 2, toolsUsed: [{ toolId: 'look_up', count: 1 }] },
    })
    expect(done['started_at']).toBeTruthy()
    expect(done['completed_at']).toBeTruthy()
    const asked = server.model.requests[0]?.body.messages ?? []
    expect(JSON.stringify(asked)).toContain('Tell me about cats')
    expect(JSON.stringify(asked)).toContain('length')
  })

  test('tells its events, without what is secret by its name', async () => {
    const server = await serving({ script: lookThen('Done.'), tools: [look] })
    const id = await server.run('cats')
    await server.until(id, 'complete')
    const { body, text } = await server.get(`/agents/${id}/status?include_events=true`)
    expect(typesOf(body['events'])).toEqual([
      'tool_start',
      'tool_complete',
      'turn_complete',
      'thinking',
      'turn_complete',
      'completed',
    ])
    expect(text).toContain('all about cats')
    expect(text).not.toContain('k-123')
  })

  test('waits for its end with `async: false`', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    const answer = await server.post('/agents/run', {
      profile_id: 'agent',
      task: 'hi',
      async: false,
    })
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, status: 'complete', result_summary: 'Hello.' },
    })
  })

  test('does not wait for longer than it may', async () => {
    const server = await serving({ script: reply.silence(), config: { waitSeconds: 1 } })
    const answer = await server.post('/agents/run', {
      profile_id: 'agent',
      task: 'hi',
      async: false,
    })
    expect(answer).toMatchObject({
      status: 202,
      body: { success: false, status: 'running', error: { code: 'enqueue_failed' } },
    })
    await server.post(`/agents/${String(answer.body['session_id'])}/cancel`, {})
  })

  test('is one for the same key and request, and a conflict for another request', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    const key = { 'idempotency-key': 'k1' }
    const ask = { profile_id: 'agent', task: 'hi' }
    const all = await Promise.all(
      Array.from({ length: 5 }, () => server.post('/agents/run', ask, key)),
    )
    expect(new Set(all.map(({ body }) => body['session_id'])).size).toBe(1)
    expect(all.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    await server.until(String(all[0]?.body['session_id']), 'complete')
    expect(server.model.requests).toHaveLength(1)
    expect(await server.post('/agents/run', { ...ask, task: 'other' }, key)).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_CONFLICT' } },
    })
    // somebody else's key is another key
    const other = await server.post('/agents/run', { ...ask, task: 'other' }, key, 'bolt')
    expect(other.status).toBe(202)
  })

  test('of another tenant answers as one that does not exist, to the byte', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    const id = await server.run('hi')
    await server.until(id, 'complete')
    const unknown = 'sess_000000000000000000000000'
    for (const path of ['status', 'stream']) {
      const [theirs, none] = await Promise.all(
        [id, unknown].map((one) => server.get(`/agents/${one}/${path}`, 'bolt')),
      )
      expect(theirs).toEqual(none)
      expect(theirs).toMatchObject({ status: 404, body: { status: 'not_found' } })
    }
    for (const path of ['resume', 'cancel']) {
      const [theirs, none] = await Promise.all(
        [id, unknown].map((one) =>
          server.post(`/agents/${one}/${path}`, { input: {} }, {}, 'bolt'),
        ),
      )
      expect(theirs).toEqual(none)
      expect(theirs?.status).toBe(404)
    }
    const { body } = await server.get('/agents', 'bolt')
    expect(body['sessions']).toEqual([])
    expect((await server.get('/agents')).body['sessions']).toMatchObject([{ session_id: id }])
  })

  test('needs a key that is good for runs', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    expect(await server.get('/agents/profiles', 'chat')).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN_SCOPE' } },
    })
    expect((await server.get('/artifacts/a', 'chat')).status).toBe(403)
  })

  test('that fails says why', async () => {
    const server = await serving({ script: reply.httpError(401) })
    const id = await server.run('hi')
    expect(await server.until(id, 'error')).toMatchObject({
      session_error: expect.stringMatching(/401/),
      result_summary: null,
    })
  })

  test('with a request that is not valid says where', async () => {
    const server = await serving({ script: reply.text('Hello.') })
    expect(await server.post('/agents/run', { profile_id: 'agent', task: ' ' })).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', message: 'task: must not be empty' } },
    })
    const unstorable = { profile_id: 'agent', task: 'x', input_params: { name: ['a\0b'] } }
    expect(await server.post('/agents/run', unstorable)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/^input_params: .*U\+0000/) } },
    })
    expect(await server.post('/agents/run', { profile_id: 'nobody', task: 'x' })).toMatchObject({
      status: 404,
      body: { error: { code: 'PROFILE_UNKNOWN' } },
    })
    expect(
      await server.post('/agents/run', {
        profile_id: 'agent',
        task: 'x',
        webhook_url: 'https://a.example',
      }),
    ).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  })
})

describe('a profile', () => {
  const files = {
    'agents/cat-expert/AGENT.md':
      '---\ndisplayName: Cat Expert\ndescription: Knows cats.\ntools:\n  - look_up\n---\nYou know cats.',
  }

  test('of the configuration or of `agents/` is listed without its prompt', async () => {
    const server = await serving({
      script: reply.text('Hello.'),
      files,
      tools: [look],
      config: {
        profiles: [
          { id: 'writer', instructions: 'Write well.', maxTurns: 3, producesArtifactType: 'post' },
        ],
      },
    })
    const { body, text } = await server.get('/agents/profiles')
    expect(body['profiles']).toMatchObject([
      { id: 'agent', name: 'helper', version: '1.2.3', model: 'openai-compatible/m' },
      { id: 'content_writer', max_turns: 25, produces_artifact_type: 'content_piece' },
      { id: 'researcher', max_turns: 20, produces_artifact_type: 'research_report' },
      { id: 'copilot', max_turns: 15, produces_artifact_type: null },
      { id: 'cat-expert', name: 'Cat Expert', description: 'Knows cats.' },
      { id: 'writer', name: 'writer', max_turns: 3, produces_artifact_type: 'post' },
    ])
    expect(text).not.toMatch(/Write well|You know cats|You research/)
  })

  test('that comes with the product runs, and keeps what a file of its name does not say', async () => {
    const server = await serving({
      script: reply.text('Nothing was found.'),
      files: { 'agents/researcher/AGENT.md': 'Research cats alone.' },
    })
    const systems: string[] = []
    for (const profile of ['content_writer', 'researcher', 'copilot']) {
      await server.until(await server.run('Cats', { profile_id: profile }), 'complete')
      systems.push(JSON.stringify(server.model.requests.at(-1)?.body.messages[0]))
    }
    const [writer, researcher, copilot] = systems
    expect(writer).toMatch(/You write one piece of content.*type \\"content_piece/)
    expect(researcher).toMatch(/Research cats alone\..*type \\"research_report/)
    expect(researcher).not.toContain('You research one question')
    expect(copilot).toContain('You are the agent itself.')
  })

  test('has its own instructions and tools', async () => {
    const other = defineTool({ ...toolOf('other_tool') })
    const server = await serving({ script: reply.text('Hello.'), files, tools: [look, other] })
    const id = await server.run('hi', { profile_id: 'cat-expert' })
    await server.until(id, 'complete')
    const { body } = server.model.requests[0] ?? {}
    const system = JSON.stringify(body?.messages[0])
    expect(system).toContain('You know cats.')
    expect(system).not.toContain('You are the agent itself.')
    const names = (body?.tools ?? []).map((tool) => tool.function.name)
    expect(names).toContain('look_up')
    expect(names).toContain('ask_user')
    expect(names).not.toContain('other_tool')
  })

  test('with a result schema hands in nothing but the result and its summary', async () => {
    const server = await serving({
      script: () =>
        reply.toolCalls({
          name: 'submit_result',
          arguments: { result: { status: 'lame' }, status: 'refused' },
        }),
      config: { profiles: [{ id: 'vet', resultSchema: { type: 'object' } }] },
    })
    const id = await server.run('How is the cat?', { profile_id: 'vet' })
    expect(await server.until(id, 'complete')).toMatchObject({ result: { status: 'lame' } })
    expect((await server.get(`/agents/${id}/events`)).text).toContain('accepted')
  })

  test('with a result schema ends with a result that fits', async () => {
    const server = await serving({
      script: ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length
        return reply.toolCalls({
          name: 'submit_result',
          arguments: { result: results === 0 ? { legs: 'four' } : { legs: 4 }, summary: 'counted' },
        })
      },
      config: {
        profiles: [
          {
            id: 'counter',
            resultSchema: {
              type: 'object',
              properties: { legs: { type: 'integer' } },
              required: ['legs'],
            },
          },
        ],
      },
    })
    const id = await server.run('How many legs has a cat?', { profile_id: 'counter' })
    expect(await server.until(id, 'complete')).toMatchObject({
      result: { legs: 4 },
      result_summary: 'counted',
      turns_used: 2,
    })
  })

  test('of a file in `agents/` has the schema of its result and the type of its artifact', async () => {
    const agent = (schema: string) =>
      `---\nresultSchema: ${schema}\nartifact_type: note\n---\nCount legs.`
    const server = await serving({
      script: ({ messages }) =>
        reply.toolCalls({
          name: 'submit_result',
          arguments: {
            result: { legs: messages.some(({ role }) => role === 'tool') ? 4 : 'four' },
          },
        }),
      files: {
        'agents/counter/AGENT.md': agent(
          '{ type: object, properties: { legs: { type: integer } }, required: [legs] }',
        ),
        'agents/broken/AGENT.md': agent('{ type: sandwich }'),
      },
    })
    const { body } = await server.get('/agents/profiles')
    expect(body['profiles']).toContainEqual(
      expect.objectContaining({ id: 'counter', produces_artifact_type: 'note' }),
    )
    const id = await server.run('How many legs has a cat?', { profile_id: 'counter' })
    expect(await server.until(id, 'complete')).toMatchObject({ result: { legs: 4 }, turns_used: 2 })
    expect(server.agent.bundle()?.issues).toMatchObject([
      {
        severity: 'error',
        file: 'agents/broken/AGENT.md',
        line: 2,
        message: expect.stringMatching(/resultSchema must be a JSON Schema/),
      },
    ])
  })

  test('whose run ends without its result has failed', async () => {
    const server = await serving({
      script: reply.text('Four.'),
      config: { profiles: [{ id: 'counter', resultSchema: { type: 'object', properties: {} } }] },
    })
    const id = await server.run('How many legs has a cat?', { profile_id: 'counter' })
    expect(await server.until(id, 'error')).toMatchObject({
      session_error: expect.stringMatching(/without the result/),
    })
  })
})

const toolOf = (name: string) => ({
  name,
  description: 'Does something.',
  readOnly: true,
  input: z.object({ text: z.string() }),
  execute: async () => ({ status: 'success' as const, output: 'done' }),
})
