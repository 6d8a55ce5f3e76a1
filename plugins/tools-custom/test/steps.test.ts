import { definePlugin, use, type Json } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { desk, startApi, toolJson, type Desk } from './support.ts'

const properties = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
})
const http = (more: object) => ({
  'tools/tried/tool.json': toolJson({
    type: 'http',
    connection: 'api',
    parameters: properties('id', 'n', 'list', 'on', 'more'),
    ...more,
  }),
})
const echo = ({
  method,
  url,
  body,
}: {
  readonly method: string
  readonly url: string
  readonly body: string
}) => ({ method, url, ...(body !== '' && { body: JSON.parse(body) as Json }) })

/** Asks for an approval of everything that changes something. */
const asksForWrites = definePlugin({
  name: 'asks',
  version: '1.0.0',
  setup: ({ hooks }) =>
    hooks.tool.guard.tap(
      (verdict, { action, tool }) =>
        tool.name === 'request' && action?.effect === 'write'
          ? verdict.raise('confirm', `${action.method} ${action.path} changes something`)
          : undefined,
      { stage: 'guard' },
    ),
})

async function asked(
  it: Desk,
  args: object,
): Promise<{ readonly method: string; readonly url: string; readonly body?: unknown }> {
  const { status, output } = await it.call('tried', args)
  expect([status, output]).toEqual(['success', expect.anything()])
  return output as { readonly method: string; readonly url: string }
}

describe('an http tool', () => {
  test('makes one request, without any code', async () => {
    await using api = await startApi(echo)
    await using it = await desk(http({ endpoint: '/api/v1/applications/{{id}}' }), { api: api.url })
    expect(await asked(it, { id: 'payments-prod' })).toEqual({
      method: 'GET',
      url: '/api/v1/applications/payments-prod',
    })
  })

  test('encodes what it puts into a path; a value can neither leave its place nor be left out', async () => {
    await using api = await startApi(echo)
    await using it = await desk(http({ endpoint: '/a/{{id}}/b?q={{n}}' }), { api: api.url })
    expect((await asked(it, { id: 'x/../../admin?a=1#b', n: 'a&b=c d%' })).url).toBe(
      '/a/x%2F..%2F..%2Fadmin%3Fa%3D1%23b/b?q=a%26b%3Dc+d%25',
    )
    for (const id of ['..', '.', '', null, { a: 1 }, ['..']])
      expect((await it.call('tried', { id, n: 1 })).code).toBe('TOOL_ARGUMENTS')
    expect(await it.call('tried', { n: 1 })).toMatchObject({
      status: 'error',
      code: 'TOOL_ARGUMENTS',
      output: expect.stringContaining('id: is needed') as string,
    })
    expect(api.seen).toHaveLength(1)
  })

  test('keeps the type of a value that stands alone, writes others as text, and leaves out what is not given', async () => {
    await using api = await startApi(echo)
    await using it = await desk(
      http({
        endpoint: '/x',
        method: 'post',
        data: {
          n: '{{n}}',
          on: '{{on}}',
          list: '{{list}}',
          text: 'n={{ n }} on={{on}} id={{id}}',
          id: '{{id}}',
          deep: [{ a: '{{more.inner}}' }, '{{id}}'],
          fixed: 7,
        },
        headers: { 'x-note': 'for {{n}}' },
        params: { 'list[]': '{{list}}', id: '{{id}}' },
      }),
      { api: api.url },
    )
    const { body, url } = await asked(it, {
      n: 3,
      on: false,
      list: ['a', 'b'],
      more: { inner: null },
    })
    expect(body).toEqual({
      n: 3,
      on: false,
      list: ['a', 'b'],
      text: 'n=3 on=false id=',
      deep: [{}],
      fixed: 7,
    })
    expect(url).toBe('/x?list%5B%5D=a&list%5B%5D=b')
  })

  test('knows what time it is, and was, and will be', async () => {
    await using api = await startApi(echo)
    await using it = await desk(
      http({
        endpoint: '/x',
        params: {
          now: '{{now}}',
          hour: '{{now_minus_1h}}',
          day: '{{now_minus_24h_unix}}',
          soon: '{{now_plus_30m_ms}}',
        },
      }),
      { api: api.url },
    )
    const before = Date.now()
    const query = new URL((await asked(it, {})).url, api.url).searchParams
    const after = Date.now()
    const near = (at: number, shift: number): void => {
      expect(at).toBeGreaterThanOrEqual(before + shift - 1_000)
      expect(at).toBeLessThanOrEqual(after + shift)
    }
    near(Date.parse(query.get('now') ?? ''), 0)
    near(Date.parse(query.get('hour') ?? ''), -3_600_000)
    near(Number(query.get('day')) * 1_000, -86_400_000)
    near(Number(query.get('soon')), 1_800_000)
  })

  test('that reads is read-only; one that writes asks where its request has to, and says what it would do', async () => {
    await using api = await startApi(echo)
    await using it = await desk(
      {
        ...http({ endpoint: '/deals/{{id}}', method: 'PATCH', data: { stage: '{{more}}' } }),
        'tools/looks/tool.json': toolJson({ type: 'http', connection: 'api', endpoint: '/deals' }),
      },
      { api: api.url, plugins: [use(asksForWrites)] },
    )
    expect(await it.call('looks')).toMatchObject({ status: 'success' })
    const waits = await it.call('tried', { id: 'D-1', more: 'won' })
    expect(waits.pending).toMatchObject([
      {
        type: 'approval',
        context: {
          tool: 'tried',
          tier: 'confirm',
          reason: expect.stringContaining('PATCH /deals/D-1') as string,
        },
      },
    ])
    expect(api.seen.filter(({ method }) => method === 'PATCH')).toEqual([])
    expect(await it.approve(waits)).toMatchObject({ status: 'success' })
    expect(api.seen.filter(({ method }) => method === 'PATCH')).toMatchObject([
      { url: '/deals/D-1', body: '{"stage":"won"}', key: expect.stringContaining('/1') as string },
    ])
  })

  test('passes the error of its request on', async () => {
    await using api = await startApi(() => null)
    await using it = await desk(http({ endpoint: '/x' }), { api: api.url })
    expect(await it.call('tried')).toMatchObject({ status: 'error', output: 'HTTP 404' })
  })
})

describe('a chain', () => {
  const chain = (steps: readonly object[], more: object = {}) => ({
    'tools/tried/tool.json': toolJson({
      type: 'chain',
      parameters: properties('service'),
      steps,
      ...more,
    }),
  })

  test('makes its requests at once, and combines them by the names of its steps', async () => {
    let under = 0
    let most = 0
    await using api = await startApi(async ({ url }) => {
      most = Math.max(most, ++under)
      await new Promise((resolve) => {
        setTimeout(resolve, 80)
      })
      under--
      return { url }
    })
    await using it = await desk(
      chain([
        { name: 'deploy', connection: 'argocd', endpoint: '/applications/{{service}}' },
        {
          name: 'metrics',
          connection: 'datadog',
          endpoint: '/query',
          params: { query: 'avg:errors{service:{{service}}}' },
        },
        {
          name: 'incidents',
          connection: 'pagerduty',
          endpoint: '/incidents',
          params: { 'statuses[]': ['triggered', 'acknowledged'] },
        },
      ]),
      { api: api.url },
    )
    const { output } = await it.call('tried', { service: 'pay' })
    expect(output).toEqual({
      deploy: { url: '/applications/pay' },
      metrics: { url: '/query?query=avg%3Aerrors%7Bservice%3Apay%7D' },
      incidents: { url: '/incidents?statuses%5B%5D=triggered&statuses%5B%5D=acknowledged' },
    })
    expect(most).toBe(3)
  })

  test('tells of the steps that failed, and fails where all of them did', async () => {
    await using api = await startApi(({ url }) => (url === '/good' ? { fine: true } : null))
    await using it = await desk(
      {
        ...chain([
          { name: 'good', connection: 'a', endpoint: '/good' },
          { name: 'bad', connection: 'b', endpoint: '/bad' },
        ]),
        'tools/worse/tool.json': toolJson({
          type: 'chain',
          steps: [
            { name: 'one', connection: 'a', endpoint: '/bad' },
            { name: 'two', connection: 'b', endpoint: '/bad' },
          ],
        }),
      },
      { api: api.url },
    )
    expect(await it.call('tried')).toMatchObject({
      status: 'success',
      output: { good: { fine: true }, bad: { error: 'HTTP 404' } },
    })
    expect(await it.call('worse')).toMatchObject({
      status: 'error',
      output: 'one: HTTP 404; two: HTTP 404',
    })
  })

  test('with one step that writes asks before the first of them runs', async () => {
    await using api = await startApi(echo)
    await using it = await desk(
      chain([
        { name: 'look', connection: 'a', endpoint: '/look' },
        { name: 'act', connection: 'a', endpoint: '/act', method: 'POST' },
      ]),
      { api: api.url, plugins: [use(asksForWrites)] },
    )
    const waits = await it.call('tried')
    expect(waits.pending).toHaveLength(1)
    expect(api.seen).toEqual([])
    expect(await it.approve(waits)).toMatchObject({ status: 'success' })
    expect(api.seen.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      'GET /look',
      'POST /act',
    ])
  })
})

describe('shaping', () => {
  const user = {
    id: '00u1',
    status: 'ACTIVE',
    profile: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', secret: 'x' },
    groups: [
      { id: 1, name: 'ops', noise: 1 },
      { id: 2, name: 'dev', noise: 2 },
    ],
  }
  const shaped = async (responseShaping: object, body: object = user): Promise<unknown> => {
    await using api = await startApi(() => body as never)
    await using it = await desk(http({ endpoint: '/x', responseShaping }), { api: api.url })
    return (await it.call('tried')).output
  }

  test.each<[what: string, shaping: object, expected: unknown]>([
    [
      'picks paths, and keeps how they are nested',
      { pick: ['status', 'profile.email'] },
      { status: 'ACTIVE', profile: { email: 'ada@example.com' } },
    ],
    [
      'renames, and flattens by it',
      {
        pick: ['status', 'profile.firstName', 'profile.email'],
        rename: { 'profile.firstName': 'name', 'profile.email': 'mail' },
      },
      { status: 'ACTIVE', name: 'Ada', mail: 'ada@example.com' },
    ],
    [
      'goes through lists',
      { pick: ['groups.name', 'groups[].id'] },
      {
        groups: [
          { name: 'ops', id: 1 },
          { name: 'dev', id: 2 },
        ],
      },
    ],
    [
      'gathers what a renamed path finds in a list',
      { pick: ['groups.name'], rename: { 'groups.name': 'names' } },
      { names: ['ops', 'dev'] },
    ],
    [
      'renames without picking',
      { rename: { 'profile.secret': 'hint' } },
      {
        ...user,
        profile: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
        hint: 'x',
      },
    ],
    ['leaves out what is not there', { pick: ['nothing.here', 'status'] }, { status: 'ACTIVE' }],
    [
      'writes a text',
      {
        pick: ['profile.firstName', 'status'],
        rename: { 'profile.firstName': 'name' },
        template: 'User: {{name}} ({{status}}){{missing}}',
      },
      'User: Ada (ACTIVE)',
    ],
    [
      'writes a text from paths',
      { template: '{{profile.email}}: {{groups.name}}' },
      'ada@example.com: ["ops","dev"]',
    ],
  ])('%s', async (_what, responseShaping, expected) => {
    expect(await shaped(responseShaping)).toEqual(expected)
  })

  test('shapes each item of a list', async () => {
    expect(await shaped({ pick: ['id'], template: '#{{id}}' }, [{ id: 1, a: 2 }, { id: 2 }])).toBe(
      '#1\n#2',
    )
  })
})
