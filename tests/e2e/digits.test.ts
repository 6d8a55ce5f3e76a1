import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { startApi } from '../security/support/api-server.ts'
import { openDoor, type Door } from '../security/support/door.ts'

/** An id that no double holds: `Number` makes …000 of it. */
const ID = '2512292042121000001'
const NEIGHBOUR = '2512292042121000000'
const AMOUNT = '12345678901234567.89'
const ROUNDED = /2512292042121000000|2512292042121000300|12345678901234568/

const ALLOWED = { confirm: false, taint: 'ignore' }
const ACCESS = { endpoints: { 'GET /**': ALLOWED, 'POST /**': ALLOWED } }
const files = (url: string): Readonly<Record<string, object>> => ({
  'connections/api/spec.json': { baseUrl: url },
  'connections/api/access.json': ACCESS,
})
const json = { 'content-type': 'application/json' }
const ORDER = `{"id":${ID},"amount":${AMOUNT},"small":5,"text":"${NEIGHBOUR}1"}`

/** Reads an order, then changes it by the id that it has read. */
const readsAndChanges = (name: string, read: object, change: string): Script => {
  const [first, second, last] = [
    reply.toolCalls({ name, arguments: { ...read } }),
    reply.toolCalls({ name, arguments: change }),
    reply.text('Done.'),
  ]
  return ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length
    if (results === 0) return first
    return results === 1 ? second : last
  }
}

/** The request bodies of the model, with their digits. */
const sentTo = ({ model }: Door): string => model.requests.map(({ raw }) => raw).join('\n')

describe('a number of 19 digits, from a REST API to the model and back', () => {
  const CHANGE = `{"connection":"api","method":"POST","endpoint":"/orders/${ID}","params":{"id":${ID}},"data":{"id":${ID},"amount":${AMOUNT},"items":[{"id":${ID}}]}}`

  test.each(['openai-compatible', 'openai', 'azure', 'anthropic', 'google', 'vertex', 'bedrock'])(
    '%s',
    async (provider) => {
      await using api = await startApi(() => ({ headers: json, body: ORDER }))
      await using door = await openDoor({
        files: files(api.url),
        script: readsAndChanges(
          'request',
          { connection: 'api', method: 'GET', endpoint: '/orders/1' },
          CHANGE,
        ),
        manifest: (url) => ({
          models: {
            main: { provider, model: 'scripted', baseUrl: url, apiKey: 'env:SCRIPTED_KEY' },
          },
        }),
        env: { SCRIPTED_KEY: 'a-key-of-the-test' },
      })
      const events = await door.streamText('Change the order.')
      const changed = api.came.at(-1)
      expect(changed?.method).toBe('POST')
      expect(changed?.url).toBe(`/orders/${ID}?id=${ID}`)
      expect(changed?.body).toBe(`{"id":${ID},"amount":${AMOUNT},"items":[{"id":${ID}}]}`)
      expect(sentTo(door)).toContain(ID)
      expect(sentTo(door)).toContain(AMOUNT)
      expect(sentTo(door).replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)
      expect(events).toContain(ID)
      expect(events.replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)

      // what is read back from the journal has them too
      await door.restart()
      const list = await door.get('/sessions', { authorization: `Bearer ${door.token}` })
      const [, session = ''] = /"(sess_[\w-]+)"/.exec(list.text) ?? []
      await door.say('Thanks.', { session_id: session })
      const last = door.model.requests.at(-1)?.raw ?? ''
      expect(last).toContain(ID)
      expect(last.replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)
      const history = await door.get(`/sessions/${session}`, {
        authorization: `Bearer ${door.token}`,
      })
      expect(history.text).toContain(ID)
    },
  )

  test('a person who approves sees the digits, and what is approved is sent', async () => {
    await using api = await startApi(() => ({ headers: json, body: ORDER }))
    await using door = await openDoor({
      files: {
        ...files(api.url),
        'connections/api/access.json': { endpoints: { 'POST /**': 'confirm' } },
      },
      script: reply.toolsThenText({ name: 'request', arguments: CHANGE }, 'Done.'),
    })
    const first = await door.say('Change the order.')
    expect(first.text).toContain(`"id":${ID}`)
    expect(first.text).not.toMatch(ROUNDED)
    const [, session = ''] = /"(sess_[\w-]+)"/.exec(first.text) ?? []
    const [, ask = ''] = /"(ask_[\w-]+)"/.exec(first.text) ?? []
    await door.restart()
    const answered = await door.answer({ session_id: session, id: ask, approved: true })
    expect(answered.status).toBe(200)
    await expect.poll(() => api.came.at(-1)?.body).toContain(`"id":${ID}`)
  })

  test('a threshold and an id that a person has named are compared digit for digit', async () => {
    await using api = await startApi(() => ({ headers: json, body: ORDER }))
    await using door = await openDoor({
      files: {
        ...files(api.url),
        'connections/api/access.json': {
          endpoints: {
            'POST /**': {
              ...ALLOWED,
              thresholds: [{ field: 'body.amount', above: 1_000, escalate: 'confirm' }],
            },
          },
        },
      },
      script: reply.toolsThenText({ name: 'request', arguments: CHANGE }, 'Done.'),
    })
    const first = await door.say('Change the order.')
    expect(first.text).toContain('is above 1000')
    expect(api.came).toHaveLength(0)
  })
})

describe('a number of 19 digits, from an MCP server and back', () => {
  test('stdio', async () => {
    await using door = await openDoor({
      files: (dir) => ({
        'connections/raw/spec.json': {
          protocol: 'mcp',
          command: process.execPath,
          args: [
            join(import.meta.dirname, 'raw-mcp-server.ts'),
            join(dir, 'journal'),
            'Reads.',
            ORDER,
          ],
        },
        'connections/raw/access.json': { endpoints: { 'CALL read': ALLOWED } },
      }),
      script: reply.toolsThenText({ name: 'raw__read', arguments: `{"id":${ID}}` }, 'Done.'),
    })
    const events = await door.streamText('Read the order.')
    expect(await readFile(join(door.dir, 'journal'), 'utf8')).toContain(`"id":${ID}`)
    expect(sentTo(door)).toContain(AMOUNT)
    expect(sentTo(door).replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)
    expect(events).toContain(AMOUNT)
  })

  test('over HTTP, in one document and in a stream of events', async () => {
    for (const streams of [false, true]) {
      await using server = await startApi(({ method, body }) => {
        if (method !== 'POST') return { status: 405, body: 'no stream' }
        const { id, method: asked } = JSON.parse(body) as { id?: number; method: string }
        if (id === undefined) return { status: 202 }
        const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answerOf(asked)}}`
        return streams
          ? { headers: { 'content-type': 'text/event-stream' }, body: `data: ${text}\n\n` }
          : { headers: json, body: text }
      })
      await using door = await openDoor({
        files: {
          'connections/raw/spec.json': { protocol: 'mcp', url: `${server.url}/mcp` },
          'connections/raw/access.json': { endpoints: { 'CALL read': ALLOWED } },
        },
        script: reply.toolsThenText({ name: 'raw__read', arguments: `{"id":${ID}}` }, 'Done.'),
      })
      const events = await door.streamText('Read the order.')
      expect(server.came.find(({ body }) => body.includes('tools/call'))?.body).toContain(
        `"id":${ID}`,
      )
      expect(sentTo(door)).toContain(AMOUNT)
      expect(sentTo(door).replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)
      expect(events).toContain(AMOUNT)
    }
  })
})

/** What a small MCP server answers. */
function answerOf(method: string): string {
  switch (method) {
    case 'initialize':
      return '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}'
    case 'tools/list':
      return `"result":{"tools":[{"name":"read","description":"Reads.","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}},"annotations":{"readOnlyHint":true}}]}`
    case 'tools/call':
      return `"result":{"content":[],"structuredContent":${ORDER}}`
    default:
      return '"error":{"code":-32601,"message":"no such method"}'
  }
}

test('a handler of a custom tool, and a request of one, have the digits', async () => {
  await using api = await startApi(() => ({ headers: json, body: ORDER }))
  await using door = await openDoor({
    files: {
      ...files(api.url),
      'tools/copy_order/tool.json': {
        description: 'Copies an order.',
        confirm: false,
        parameters: { type: 'object', properties: { id: { type: 'integer' } } },
      },
      'tools/copy_order/handler.mjs': `export default async (params, ctx) => {
        const order = await ctx.request('api', \`/orders/\${params.id}\`)
        await ctx.request('api', '/copies', { method: 'POST', data: { of: order.id } })
        return { copied: order.id, amount: order.amount, more: order.small + 1 }
      }`,
      'tools/read_order/tool.json': {
        description: 'Reads an order.',
        type: 'http',
        connection: 'api',
        endpoint: '/orders/{{id}}',
        method: 'GET',
        parameters: { type: 'object', properties: { id: { type: 'integer' } } },
      },
    },
    script: reply.toolsThenText(
      [
        { name: 'copy_order', arguments: `{"id":${ID}}` },
        { name: 'read_order', arguments: `{"id":${ID}}` },
      ],
      'Done.',
    ),
  })
  await door.say('Copy the order, and read it.')
  expect(api.lines).toContain(`GET /orders/${ID}`)
  expect(api.came.find(({ url }) => url === '/copies')?.body).toBe(`{"of":${ID}}`)
  expect(sentTo(door)).toMatch(
    new RegExp(`copied\\\\*":${ID},\\\\*"amount\\\\*":${AMOUNT},\\\\*"more\\\\*":6`),
  )
  expect(api.lines.filter((line) => line === `GET /orders/${ID}`)).toHaveLength(2)
  expect(sentTo(door).replaceAll(`${NEIGHBOUR}1`, '')).not.toMatch(ROUNDED)
})

describe('a number of 19 digits in a store', () => {
  const STORE = {
    entity: {
      name: 'Order',
      key: '{id}',
      schema: { id: { type: 'number' }, amount: { type: 'number' } },
    },
  }

  test('over HTTP and by the tools of the model', async () => {
    await using door = await openDoor({
      files: { 'stores/orders.json': STORE },
      script: readsAndChanges(
        'query_store',
        { store: 'orders', key: ID },
        `{"store":"orders","filter":{"id":${ID}}}`,
      ),
    })
    const authorization = `Bearer ${door.token}`
    const put = async (id: string): Promise<Response> =>
      fetch(`${door.url}/api/stores/orders`, {
        method: 'POST',
        headers: { ...json, authorization },
        body: `{"id":${id},"amount":${AMOUNT}}`,
      })
    for (const id of [ID, NEIGHBOUR]) expect((await put(id)).status).toBeLessThan(300)
    const one = await door.get(`/api/stores/orders/${ID}`, { authorization })
    expect(one.text).toContain(`"id":${ID}`)
    expect(one.text).toContain(`"amount":${AMOUNT}`)
    const filter = encodeURIComponent(`{"id":${ID}}`)
    const found = await door.get(`/api/stores/orders?filter=${filter}`, { authorization })
    expect(found.text).toContain(`"id":${ID}`)
    expect(found.text).not.toContain(NEIGHBOUR)
    await door.say('Which order is it?')
    expect(sentTo(door)).toContain(ID)
    expect(sentTo(door)).not.toContain(NEIGHBOUR)
  })
})

test('a restricted number of 19 digits is withheld like any other', async () => {
  await using api = await startApi(() => ({
    headers: json,
    body: `{"name":"Ada","account":${ID},"note":"of account ${ID}","accounts":[${ID}]}`,
  }))
  await using door = await openDoor({
    files: {
      ...files(api.url),
      'connections/api/access.json': {
        endpoints: { 'GET /contacts/{id}': { ...ALLOWED, returns: ['Contact'] } },
        fieldRestrictions: [
          {
            entity: 'Contact',
            field: 'account',
            policy: 'retrieve_but_redact',
            sensitivity: 'pii_identifier',
          },
        ],
      },
    },
    script: reply.toolsThenText(
      {
        name: 'request',
        arguments: { connection: 'api', method: 'GET', endpoint: '/contacts/1' },
      },
      'Done.',
    ),
  })
  const events = await door.streamText('Who is it?')
  expect(sentTo(door)).toContain('Ada')
  expect(sentTo(door)).toMatch(/\[redacted:contact\.account:[0-9a-f]{8}\]/)
  expect(sentTo(door)).not.toContain(ID)
  expect(events).not.toContain(ID)
})
