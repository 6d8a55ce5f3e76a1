import { Agent, principalId, tenantId, type JsonObject } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { startApi } from '../support/api-server.ts'
import { openDoor } from '../support/door.ts'
import { calls, told } from '../support/told-script.ts'

const NOUNS = ['invoice', 'customer', 'payment', 'refund', 'order']
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Billing' },
  paths: Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => `${NOUNS[n % 5] ?? ''}s${n < 5 ? '' : `-${n}`}`).map(
      (noun) => [
        `/${noun}`,
        Object.fromEntries(
          ['get', 'post', 'put', 'patch', 'delete'].map((method) => [
            method,
            {
              summary: `${method === 'post' ? 'Create' : method} ${noun}`,
              tags: [noun.replace(/-.*/, '')],
              description: 'Lorem ipsum dolor sit amet. '.repeat(20),
              ...(method === 'post' && {
                requestBody: {
                  content: {
                    'application/json': {
                      schema: {
                        type: 'object',
                        required: ['amount'],
                        properties: { amount: { type: 'integer' } },
                      },
                    },
                  },
                },
              }),
            },
          ]),
        ),
      ],
    ),
  ),
}

describe('an API document of 1,500 operations', () => {
  test('costs the prompt a few lines; the model looks up what it needs, and calls it', async () => {
    await using api = await startApi(({ url }) =>
      url === '/openapi.json' ? { body: DOCUMENT } : { body: { ok: url } },
    )
    await using door = await openDoor({
      files: {
        'connections/billing/spec.json': {
          baseUrl: `${api.url}/v1`,
          format: 'openapi',
          specUrl: `${api.url}/openapi.json`,
        },
        'connections/billing/access.json': { endpoints: {} },
      },
      script: [
        reply.toolCalls({
          name: 'find_endpoints',
          arguments: { connection: 'billing', query: 'create an invoice' },
        }),
        reply.toolCalls({
          name: 'request',
          arguments: { connection: 'billing', endpoint: '/invoices' },
        }),
        reply.text('Done.'),
      ],
    })
    const events = await door.stream('Which invoices are there?')
    const results = events.filter(({ type }) => type === 'tool_call_result')
    expect(results).toMatchObject([
      { status: 'success' },
      { status: 'success', result: '{"ok":"/v1/invoices"}' },
    ])
    // the output of the tool, as text
    const found = JSON.parse(results[0]?.['result'] as string) as JsonObject
    expect(found).toMatchObject({
      of: 1_500,
      endpoints: { length: 8, 0: { endpoint: 'POST /invoices', body: '{ amount: integer }' } },
    })
    const prompt = JSON.stringify(door.model.requests[0]?.body.messages[0])
    expect(prompt).toContain(
      'OpenAPI 3.1 document \\"Billing\\": 1500 operations; tags: customers (300)',
    )
    expect(prompt.length).toBeLessThan(8_000)
    expect((await door.get('/inspect/connections/billing')).body).toMatchObject({
      kind: 'rest',
      spec: { baseUrl: `${api.url}/v1`, format: 'openapi', authType: null },
      surface: { length: 1_500 },
    })
    // It is kept: a start needs nobody.
    const asked = api.lines.filter((line) => line === 'GET /openapi.json').length
    await door.restart()
    expect(api.lines.filter((line) => line === 'GET /openapi.json')).toHaveLength(asked)
    expect((await door.get('/inspect/connections/billing')).body).toMatchObject({
      surface: { length: 1_500 },
    })
  })

  test('that cannot be had does not keep the agent from its work', async () => {
    await using door = await openDoor({
      files: {
        'connections/billing/spec.json': {
          baseUrl: 'http://127.0.0.1:1/v1',
          specUrl: 'http://127.0.0.1:1/openapi.json',
        },
        'connections/billing/access.json': {},
      },
      script: reply.text('Hello.'),
    })
    expect((await door.say('Hello?')).body).toMatchObject({ response: 'Hello.' })
    expect((await door.get('/inspect/health')).body).toMatchObject({
      issues: [
        {
          severity: 'warning',
          message: expect.stringContaining('the API document of "billing" is not used'),
        },
      ],
    })
    expect((await door.get('/inspect/context')).body).toMatchObject({
      tools: expect.not.arrayContaining([expect.objectContaining({ name: 'find_endpoints' })]),
    })
  })
})

describe('`sync` of a connection', () => {
  const openWith = (api: { readonly url: string }, sync: JsonObject) =>
    openDoor({
      files: {
        'connections/billing/spec.json': {
          baseUrl: `${api.url}/v1`,
          format: 'openapi',
          specUrl: `${api.url}/openapi.json`,
          sync,
        },
        'connections/billing/access.json': { endpoints: {} },
      },
      script: reply.text('Hello.'),
    })
  const growing = () =>
    startApi((_, n) => ({
      body: {
        openapi: '3.1.0',
        paths: Object.fromEntries(
          Array.from({ length: n + 1 }, (__, at) => [`/path${at}`, { get: {} }]),
        ),
      },
    }))

  test('on_push: with each load, and what has changed is told', async () => {
    await using api = await growing()
    await using door = await openWith(api, { auto: true, frequency: 'on_push', notify_drift: true })
    await door.restart()
    expect((await door.get('/inspect/connections/billing')).body).toMatchObject({
      surface: { length: 2 },
    })
    expect(door.log.filter((line) => line.includes('api_document.drift'))).toEqual([
      expect.stringContaining('GET /path1'),
    ])
  })

  test('without `auto`, and by hand: not again', async () => {
    await using api = await growing()
    await using door = await openWith(api, { auto: false, frequency: 'on_push' })
    await door.restart()
    expect((await door.get('/inspect/connections/billing')).body).toMatchObject({
      surface: { length: 1 },
    })
    expect(api.came).toHaveLength(1)
  })
})

test('secrets of a tenant are sent for that tenant only', async () => {
  await using api = await startApi(({ headers }) => ({
    body: { got: headers.authorization === undefined ? 'none' : 'one' },
  }))
  await using door = await openDoor({
    files: {
      'connections/crm/spec.json': {
        baseUrl: api.url,
        auth: { type: 'bearer', token: 'scope:TOKEN' },
      },
      'connections/crm/access.json': { endpoints: {} },
    },
    script: told,
    env: {
      AMODAL_SCOPE_ACME__TOKEN: 'acme-1234567890',
      AMODAL_SCOPE_GLOBEX__TOKEN: 'globex-1234567890',
    },
  })
  const agent = door.running.kernel.scope.get(Agent)
  expect(
    connectionsOf(
      agent.bundle() ??
        (() => {
          throw new Error('no bundle')
        })(),
    ),
  ).toHaveLength(1)
  const results = await Promise.all(
    ['acme', 'globex', 'initech'].map(async (tenant) => {
      const turn = await agent
        .as({ tenant: tenantId(tenant), principal: principalId('ada') })
        .ask({ text: calls({ connection: 'crm', endpoint: '/me' }) })
      return turn.ok ? turn.value.events.find((event) => event.type === 'tool_call_result') : turn
    }),
  )
  expect(results).toMatchObject([
    { status: 'success' },
    { status: 'success' },
    {
      status: 'error',
      error: 'scope:TOKEN is not set for the tenant "initech" (AMODAL_SCOPE_INITECH__TOKEN)',
    },
  ])
  expect(api.came.map(({ headers }) => headers.authorization).sort()).toEqual([
    'Bearer acme-1234567890',
    'Bearer globex-1234567890',
  ])
})
