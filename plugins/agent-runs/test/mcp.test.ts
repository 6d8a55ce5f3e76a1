import { reply } from '@amodal/sdk/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { keyOf, serving, type Key, type Serving } from './support/serving.ts'

/** A client of the protocol's own library. */
async function connect(server: Serving, key: Key = 'acme'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/api/platform/v1/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${keyOf(key)}` } },
    }),
  )
  onTestFinished(() => client.close())
  return client
}

const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const result = await client.callTool({ name, arguments: args })
  return {
    isError: result.isError === true,
    ...(result.structuredContent as Record<string, unknown>),
  }
}

test('a real MCP client starts, follows, answers and cancels runs', async () => {
  const server = await serving({
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? reply.text('Written plainly.')
        : reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which tone?' } }),
  })
  const client = await connect(server)
  expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([
    'agents.artifacts',
    'agents.cancel',
    'agents.events',
    'agents.list',
    'agents.profiles_list',
    'agents.resume',
    'agents.start',
    'agents.status',
    'artifacts.get',
    'artifacts.link',
  ])
  expect(await call(client, 'agents.profiles_list', {})).toMatchObject({
    success: true,
    profiles: [{ id: 'agent' }, { id: 'content_writer' }, { id: 'researcher' }, { id: 'copilot' }],
  })
  const asked = { profile_id: 'agent', task: 'write', idempotency_key: 'k' }
  const started = await call(client, 'agents.start', asked)
  expect(started).toMatchObject({ success: true, status: 'queued' })
  expect(await call(client, 'agents.start', asked)).toMatchObject({
    session_id: started['session_id'],
  })
  const session_id = String(started['session_id'])
  await server.until(session_id, 'awaiting_input')
  expect(await call(client, 'agents.resume', { session_id, input: { response: 5 } })).toMatchObject(
    { isError: true, status: 'invalid_input' },
  )
  expect(
    await call(client, 'agents.resume', { session_id, input: { response: 'plain' } }),
  ).toMatchObject({ success: true, status: 'queued' })
  await server.until(session_id, 'complete')
  expect(await call(client, 'agents.status', { session_id, include_events: true })).toMatchObject({
    status: 'complete',
    result_summary: 'Written plainly.',
  })
  expect(await call(client, 'agents.cancel', { session_id })).toMatchObject({
    isError: true,
    status: 'cannot_cancel',
  })
})

test('an artifact is fetched, and another tenant gets what is not there', async () => {
  const server = await serving({
    script: reply.toolsThenText(
      {
        name: 'artifacts_create',
        arguments: { type: 'post', title: 'Cats', content_markdown: 'Cats purr.' },
      },
      'Written.',
    ),
  })
  const client = await connect(server)
  const done = await call(client, 'agents.start', {
    profile_id: 'agent',
    task: 'write',
    async: false,
  })
  const id = String(done['result_artifact_id'])
  expect(await call(client, 'artifacts.get', { id, include_versions: true })).toMatchObject({
    artifact: { content_markdown: 'Cats purr.' },
    versions: [{ version: 1 }],
  })
  const other = await connect(server, 'bolt')
  const session_id = String(done['session_id'])
  for (const [name, args] of [
    ['artifacts.get', { id }],
    ['artifacts.link', { id }],
    ['agents.events', { session_id }],
    ['agents.artifacts', { session_id }],
    ['agents.status', { session_id }],
    ['agents.cancel', { session_id }],
    ['agents.resume', { session_id, input: {} }],
  ] as const)
    expect(await call(other, name, args)).toMatchObject({ isError: true, status: 'not_found' })
})

test('runs are listed, with their events and artifacts, as over REST', async () => {
  const server = await serving({
    script: reply.toolsThenText(
      {
        name: 'artifacts_create',
        arguments: { type: 'post', title: 'Cats', content_markdown: '.' },
      },
      'Written.',
    ),
  })
  const client = await connect(server)
  const first = await server.run('one')
  await server.until(first, 'complete')
  const second = await server.run('two')
  await server.until(second, 'complete')
  const page = await call(client, 'agents.list', { limit: 1 })
  expect(page).toMatchObject({ sessions: [{ session_id: second, status: 'complete' }] })
  expect(
    await call(client, 'agents.list', { limit: 1, before: page['next_before'] }),
  ).toMatchObject({ sessions: [{ session_id: first }] })
  expect(await call(client, 'agents.list', { before: 'yesterday' })).toMatchObject({
    isError: true,
    error: { code: 'VALIDATION_ERROR' },
  })
  expect(await call(await connect(server, 'bolt'), 'agents.list', {})).toMatchObject({
    sessions: [],
  })

  const types: unknown[] = []
  for (let after: unknown, more: unknown = true; more === true;) {
    const asked = { session_id: first, limit: 2, ...(after !== undefined && { after }) }
    const events = await call(client, 'agents.events', asked)
    types.push(...(events['events'] as { readonly type: string }[]).map(({ type }) => type))
    after = events['next_after']
    more = events['has_more']
  }
  expect(types).toEqual([
    'tool_start',
    'tool_complete',
    'turn_complete',
    'thinking',
    'turn_complete',
    'completed',
  ])
  const all = await server.get(`/agents/${first}/events`)
  expect((all.body['events'] as { readonly type: string }[]).map(({ type }) => type)).toEqual(types)

  const made = await call(client, 'agents.artifacts', { session_id: first })
  expect(made).toMatchObject({ artifacts: [{ version: 1, type: 'post', title: 'Cats' }] })
  const { isError: _, ...body } = made
  expect((await server.get(`/agents/${first}/artifacts`)).body).toEqual(body)
})

test('a key that is not good for runs does not get in', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  await expect(connect(server, 'chat')).rejects.toThrow()
})
