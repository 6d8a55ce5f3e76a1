import { defineTool, type JsonObject, type StoreDefinition } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, describe, test } from 'vitest'
import { z } from 'zod'
import { connect, keyOf, serving, until } from './support/serving.ts'

const REVISIONS = {
  '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const
const forms = { capabilities: { elicitation: { form: {} } } }

const weather = defineTool({
  name: 'weather_of',
  description: 'The weather of a town.',
  readOnly: true,
  input: z.object({ town: z.string() }),
  execute: ({ town }) =>
    Promise.resolve(
      town === 'Nowhere'
        ? { status: 'error', message: 'there is no such town' }
        : { status: 'success', output: { town, degrees: 21 } },
    ),
})
const order = (orders: JsonObject[]) =>
  defineTool({
    name: 'order',
    description: 'Orders something.',
    readOnly: false,
    tier: 'confirm',
    input: z.object({ what: z.string() }),
    execute(args) {
      orders.push(args)
      return Promise.resolve({ status: 'success', output: { ordered: args.what } })
    },
  })
const secret = defineTool({
  name: 'secret_of',
  description: 'Not for others.',
  readOnly: true,
  input: z.object({}),
  execute: () => Promise.resolve({ status: 'success', output: 'hush' }),
})
const deals: StoreDefinition = {
  name: 'deals',
  entity: {
    name: 'Deal',
    key: '{id}',
    schema: { id: { type: 'string' }, title: { type: 'string' } },
  },
  raw: {},
  file: 'stores/deals.json',
}

describe.each(['2025-11-25', '2026-07-28'] as const)('tools of the agent, on %s', (revision) => {
  const options = REVISIONS[revision]

  test('those that are exposed are listed and called, without a model', async () => {
    const server = await serving({ tools: [weather, secret], config: { expose: ['weather_*'] } })
    const client = await connect(server, options)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('weather_of')
    expect(names).not.toContain('secret_of')
    expect(tools.find(({ name }) => name === 'weather_of')?.annotations).toEqual({
      readOnlyHint: true,
    })
    const result = await client.callTool({ name: 'weather_of', arguments: { town: 'Ulm' } })
    expect(result).toMatchObject({ structuredContent: { town: 'Ulm', degrees: 21 } })
    expect(result.isError).not.toBe(true)
    const failed = await client.callTool({ name: 'weather_of', arguments: { town: 'Nowhere' } })
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'there is no such town' }] })
    const bad = await client.callTool({ name: 'weather_of', arguments: { city: 'Ulm' } })
    expect(bad.isError).toBe(true)
    await expect(client.callTool({ name: 'secret_of', arguments: {} })).rejects.toThrow(/no tool/)
    expect(server.model.requests).toHaveLength(0)
  })

  test('an effect needs the same approval as a call of the model', async () => {
    const orders: JsonObject[] = []
    const server = await serving({ tools: [order(orders)], config: { expose: ['order'] } })
    const asking = await connect(server, { ...options, ...forms }, 'acme', (one) =>
      one.setRequestHandler('elicitation/create', () => ({
        action: 'accept',
        content: { approved: true },
      })),
    )
    const done = await asking.callTool({ name: 'order', arguments: { what: 'nuts' } })
    expect(done).toMatchObject({ structuredContent: { ordered: 'nuts' } })
    const plain = await connect(server, options)
    const waits = await plain.callTool({ name: 'order', arguments: { what: 'bolts' } })
    expect(waits).toMatchObject({ structuredContent: { status: 'pending' } })
    expect(orders).toEqual([{ what: 'nuts' }])
    const { session_id, pending } = waits.structuredContent as {
      readonly session_id: string
      readonly pending: readonly { readonly id: string }[]
    }
    await plain.callTool({
      name: 'answer_question',
      arguments: { session_id, id: pending[0]?.id ?? '', answer: { approved: true } },
    })
    await until(() => orders.length === 2)
    expect(server.model.requests).toHaveLength(0)
  })

  test('in the session of a call one can talk on, to the model', async () => {
    const server = await serving({
      tools: [weather],
      config: { expose: ['*'] },
      script: reply.text('It is warm.'),
    })
    const client = await connect(server, options)
    const called = await client.callTool({ name: 'weather_of', arguments: { town: 'Ulm' } })
    const session_id = String(called._meta?.['io.amodal/session_id'])
    const asked = await client.callTool({
      name: 'ask',
      arguments: { message: 'Is that warm?', session_id },
    })
    expect(asked.content).toMatchObject([{ text: 'It is warm.' }])
    expect(JSON.stringify(server.model.requests[0]?.body)).toContain('degrees')
  })

  test('stores are written and read by those whose credential is good for them', async () => {
    const server = await serving({ stores: [deals] })
    const client = await connect(server, options)
    const put = await client.callTool({
      name: 'store_deals',
      arguments: { id: 'd1', title: 'Nuts' },
    })
    expect(put).toMatchObject({ structuredContent: { stored: true, key: 'd1' } })
    const found = await client.callTool({ name: 'query_store', arguments: { store: 'deals' } })
    expect(found).toMatchObject({ structuredContent: { total: 1 } })
    const { contents } = await client.readResource({ uri: 'amodal://stores/deals/d1' })
    expect(JSON.stringify(contents)).toContain('Nuts')
    await expect(client.readResource({ uri: 'amodal://stores/deals/d2' })).rejects.toThrow()
    const other = await connect(server, options, 'bolt')
    expect(
      await other.callTool({ name: 'query_store', arguments: { store: 'deals' } }),
    ).toMatchObject({ structuredContent: { total: 0 } })
    const chat = await connect(server, options, 'chat')
    const names = (await chat.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(['ask', 'answer_question', 'stop_session'])
    await expect(chat.readResource({ uri: 'amodal://stores/deals/d1' })).rejects.toThrow()
  })
})

test('a request state of somebody else is refused', async () => {
  const orders: JsonObject[] = []
  const server = await serving({ tools: [order(orders)], config: { expose: ['order'] } })
  const rpc = async (params: JsonObject, key: 'acme' | 'bolt'): Promise<JsonObject> => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keyOf(key)}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-method': 'tools/call',
        'mcp-name': 'order',
        'mcp-protocol-version': '2026-07-28',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'order',
          arguments: { what: 'nuts' },
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      }),
    })
    const data = (await response.text()).split('\n').findLast((line) => line.startsWith('data: {'))
    return JSON.parse(data?.slice(6) ?? '{}') as JsonObject
  }
  const first = (await rpc({}, 'acme')) as {
    readonly result: { readonly requestState: string; readonly inputRequests: JsonObject }
  }
  const { requestState, inputRequests } = first.result
  expect(requestState).not.toContain('order')
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequests).map((id) => [id, { action: 'accept', content: { approved: true } }]),
  )
  for (const [state, key] of [
    [requestState, 'bolt'],
    [`${requestState.slice(0, -2)}AA`, 'acme'],
    ['nothing', 'acme'],
  ] as const)
    expect(await rpc({ requestState: state, inputResponses }, key)).toMatchObject({
      error: { code: -32_602 },
    })
  expect(orders).toEqual([])
  expect(await rpc({ requestState, inputResponses }, 'acme')).toMatchObject({
    result: { structuredContent: { ordered: 'nuts' } },
  })
})
