import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Commands, type Json, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type ApiServer, type Came } from '../support/api-server.ts'
import { openDoor, type Door } from '../support/door.ts'
import { calls, told } from '../support/told-script.ts'

const OPEN = { endpoints: { '* /**': false } }
const SECRETS = {
  BEARER: 'bearer-4f1a9c77d2',
  CUSTOM: 'custom-88b1c0aa7e',
  KEYED: 'keyed-551f00d3c9',
  QUERIED: 'queried-0c9d7b6a55',
  PASSWORD: 'pass-77aa11bb22',
  LITERAL: 'literal-9e8d7c6b5a',
  CLIENT_SECRET: 'client-31415926535',
  REFRESH: 'refresh-27182818284',
  FIXED: 'fixed-16180339887',
}

/** What each connection must send, and nothing else does. */
const AUTHS: Readonly<
  Record<string, { readonly auth: JsonObject; readonly good: (came: Came) => boolean }>
> = {
  bearer: {
    auth: { type: 'bearer', token: 'env:BEARER' },
    good: ({ headers }) => headers.authorization === `Bearer ${SECRETS.BEARER}`,
  },
  'bearer-custom': {
    auth: { type: 'bearer', token: 'env:CUSTOM', header: 'X-Token', prefix: 'Token' },
    good: ({ headers }) =>
      headers['x-token'] === `Token ${SECRETS.CUSTOM}` && headers.authorization === undefined,
  },
  'key-header': {
    auth: { type: 'api_key', header: 'X-Api-Key', token: 'env:KEYED' },
    good: ({ headers }) => headers['x-api-key'] === SECRETS.KEYED,
  },
  'key-query': {
    auth: { type: 'api_key', query: 'api_key', key: 'env:QUERIED' },
    good: ({ url }) =>
      new URL(url, 'http://x').searchParams.getAll('api_key').join() === SECRETS.QUERIED,
  },
  basic: {
    auth: { type: 'basic', username: 'ada', password: 'env:PASSWORD' },
    good: ({ headers }) => headers.authorization === `Basic ${btoa(`ada:${SECRETS.PASSWORD}`)}`,
  },
  header: {
    auth: { type: 'header', name: 'X-Auth', value: 'env:LITERAL' },
    good: ({ headers }) => headers['x-auth'] === SECRETS.LITERAL,
  },
  client: {
    auth: {
      type: 'oauth2',
      tokenUrl: 'URL/token',
      clientId: 'me',
      clientSecret: 'env:CLIENT_SECRET',
      scopes: ['read', 'write'],
      audience: 'crm',
    },
    good: ({ headers }) => headers.authorization?.startsWith('Bearer issued-') === true,
  },
  refresh: {
    auth: {
      type: 'oauth2',
      tokenUrl: 'URL/token',
      clientId: 'me',
      refreshToken: 'env:REFRESH',
      clientAuth: 'body',
    },
    good: ({ headers }) => headers.authorization?.startsWith('Bearer renewed-') === true,
  },
}

/** A token that is not taken any more. */
let revoked: string | undefined

/** An API that asks for credentials, and says all that it was told: what a careless target does. */
function answerAuth(came: Came, n: number): ReturnType<Parameters<typeof startApi>[0]> {
  if (came.url === '/token') {
    const form = new URLSearchParams(came.body)
    if (form.get('grant_type') === 'refresh_token')
      return form.get('refresh_token') === SECRETS.REFRESH && form.get('client_id') === 'me'
        ? { body: { access_token: `renewed-${n}-aabbccdd`, expires_in: 3600 } }
        : { status: 400, body: { error: 'invalid_grant' } }
    const basic = came.headers.authorization === `Basic ${btoa(`me:${SECRETS.CLIENT_SECRET}`)}`
    return basic && form.get('scope') === 'read write' && form.get('audience') === 'crm'
      ? { body: { access_token: `issued-${n}-aabbccdd`, expires_in: 3600 } }
      : { status: 401, body: { error: 'invalid_client' } }
  }
  const name = came.url.split('/')[1] ?? ''
  if (came.url === '/client/revoked' && came.headers.authorization === revoked)
    return { status: 401, body: { error: 'revoked' } }
  if (AUTHS[name]?.good(came) !== true)
    return { status: 401, body: { error: 'who are you?', headers: came.headers as Json } }
  return { body: { ok: name, echo: { url: came.url, headers: came.headers as Json } } }
}

const resultsOf = (events: readonly JsonObject[]): readonly JsonObject[] =>
  events.filter(({ type }) => type === 'tool_call_result')
const told_ = (result: JsonObject | undefined): Json =>
  // the output of a request that answered JSON, as text
  JSON.parse(result?.['result'] as string) as Json

describe('credentials', () => {
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(answerAuth)
    door = await openDoor({
      script: told,
      env: { ...SECRETS },
      files: Object.fromEntries(
        Object.entries(AUTHS).flatMap(([name, { auth }]): [string, object][] => [
          [
            `connections/${name}/spec.json`,
            JSON.parse(
              JSON.stringify({
                baseUrl: `${api.url}/${name}`,
                headers: { 'X-Fixed': 'env:FIXED' },
                auth,
              }).replace('URL/', `${api.url}/`),
            ) as object,
          ],
          [`connections/${name}/access.json`, OPEN],
        ]),
      ),
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  test.each(Object.entries(AUTHS))('%s: are added', async (name, { good }) => {
    expect(
      resultsOf(await door.stream(calls({ connection: name, endpoint: '/me' }))),
    ).toMatchObject([{ status: 'success' }])
    expect(api.came.filter(({ url }) => url.startsWith(`/${name}/me`)).every(good)).toBe(true)
    expect(api.came.at(-1)?.headers['x-fixed']).toBe(SECRETS.FIXED)
  })

  test.each([
    ['bearer', { Authorization: 'Bearer mine' }],
    ['key-header', { 'x-API-key': 'mine' }],
    ['bearer-custom', { 'x-token': 'mine' }],
    ['header', { 'X-Auth': '' }],
    ['basic', { 'X-Fixed': 'mine' }],
    ['client', { Cookie: 'a=1' }],
  ])('%s: cannot be passed by the model', async (name, headers) => {
    const before = api.came.length
    const [result] = resultsOf(
      await door.stream(calls({ connection: name, endpoint: '/me', headers })),
    )
    expect(result).toMatchObject({
      status: 'error',
      error: expect.stringContaining('cannot be passed'),
    })
    expect(api.came).toHaveLength(before)
  })

  test('in the query: what the model passes by that name is dropped', async () => {
    const [result] = resultsOf(
      await door.stream(
        calls({
          connection: 'key-query',
          endpoint: '/me?api_key=mine&API_KEY=mine',
          params: { 'api_key[]': 'mine' },
        }),
      ),
    )
    expect(result).toMatchObject({ status: 'success' })
    expect(api.came.at(-1)?.url).toBe(`/key-query/me?api_key=${SECRETS.QUERIED}`)
  })

  test('a token is fetched once for many calls, and once more when it is not taken', async () => {
    const count = (): number => api.lines.filter((line) => line === 'POST /token').length
    await door.stream(calls({ connection: 'client', endpoint: '/first' }))
    const before = count()
    await door.stream(
      calls(
        ...Array.from({ length: 5 }, (_, n) => ({ connection: 'client', endpoint: `/list/${n}` })),
      ),
    )
    expect(count()).toBe(before)
    revoked = api.came.at(-1)?.headers.authorization
    const results = resultsOf(
      await door.stream(
        calls(
          { connection: 'client', endpoint: '/revoked', method: 'POST', data: {} },
          { connection: 'client', endpoint: '/revoked' },
        ),
      ),
    )
    expect(results).toMatchObject([{ status: 'success' }, { status: 'success' }])
    expect(count()).toBe(before + 1)
    expect(api.lines.filter((line) => line === 'POST /client/revoked')).toHaveLength(2)
  })

  test('never leave: not in the stream, the prompt, the log, the database or an inspection, though the target says them all', async () => {
    const heard: string[] = []
    for (const name of Object.keys(AUTHS))
      heard.push(JSON.stringify(await door.stream(calls({ connection: name, endpoint: '/echo' }))))
    for (const path of [
      '/inspect/context',
      '/inspect/connections',
      '/inspect/kernel',
      '/health',
      ...Object.keys(AUTHS).map((name) => `/inspect/connections/${name}`),
    ])
      heard.push((await door.get(path)).text)
    heard.push(
      JSON.stringify(door.model.requests.map(({ body }) => body)),
      door.log.join('\n'),
      await door.dump(),
    )
    for (const secret of [...Object.values(SECRETS), 'issued-', 'renewed-']) {
      for (const spelling of [
        secret,
        btoa(`ada:${secret}`),
        btoa(`me:${secret}`),
        encodeURIComponent(secret),
      ])
        expect(
          heard.filter((text) => text.includes(spelling)).map((text) => text.slice(0, 200)),
          secret,
        ).toEqual([])
    }
  })
})

describe('a target that', () => {
  let api: ApiServer
  let door: Door
  const seen = new Map<string, number>()
  beforeAll(async () => {
    api = await startApi(({ url, method }) => {
      const n = seen.get(url) ?? 0
      seen.set(url, n + 1)
      const [, , kind] = url.split('/')
      switch (kind) {
        case 'busy':
          return n === 0
            ? { status: 429, headers: { 'retry-after': '0' }, body: { error: 'slow down' } }
            : { body: { n } }
        case 'broken':
          return n < 2 ? { status: 503, body: 'no' } : { body: { n } }
        case 'down':
          return { status: 500, body: { error: 'oops' } }
        case 'cut':
          return n < 1 ? { cut: true } : { body: { n } }
        case 'slow':
          return { delay: 3_000, body: {} }
        case 'huge':
          return { body: 'x'.repeat(200_000) }
        case 'missing':
          return { status: 404, body: { error: { message: 'no such deal' } } }
        case 'moved':
          return { status: 302, headers: { location: `${api.url}/v1/elsewhere` } }
        case 'empty':
          return { status: 204 }
        case 'text':
          return {
            headers: { 'content-type': 'text/plain; charset=latin1' },
            body: Buffer.from('caf\u00e9', 'latin1'),
          }
        case 'html':
          return { headers: { 'content-type': 'application/json' }, body: '<html>' }
        case 'bytes':
          return { headers: { 'content-type': 'application/pdf' }, body: Buffer.from([0, 1, 2]) }
        case 'rated':
          return { body: { method } }
        default:
          return { body: { url } }
      }
    })
    const spec = { baseUrl: `${api.url}/v1`, limits: { timeoutMs: 400, maxBytes: 100_000 } }
    door = await openDoor({
      script: told,
      files: {
        'connections/crm/spec.json': spec,
        'connections/crm/access.json': OPEN,
        'connections/keyed/spec.json': { ...spec, idempotent: true },
        'connections/keyed/access.json': OPEN,
        'connections/rated/spec.json': { ...spec, rateLimit: { perSecond: 20, burst: 2 } },
        'connections/rated/access.json': OPEN,
      },
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })
  const one = async (args: JsonObject): Promise<JsonObject> =>
    resultsOf(await door.stream(calls({ connection: 'crm', ...args })))[0] ?? {}
  const cameTo = (path: string): readonly Came[] =>
    api.came.filter(({ url }) => url.startsWith(path))

  test.each([
    ['busy', 2],
    ['broken', 3],
    ['cut', 2],
  ])('is %s for a moment is asked again, for a read', async (kind, tries) => {
    expect(await one({ endpoint: `/${kind}/a` })).toMatchObject({ status: 'success' })
    expect(cameTo(`/v1/${kind}/a`)).toHaveLength(tries)
  })

  test('fails for good is left alone after three tries', async () => {
    expect(await one({ endpoint: '/down/a' })).toMatchObject({
      status: 'error',
      error: expect.stringMatching(
        /^crm answered 500 to GET \/v1\/down\/a: \{"error":"oops"\}\nNext: /,
      ),
    })
    expect(cameTo('/v1/down/a')).toHaveLength(3)
  })

  test.each([['busy'], ['broken'], ['down']])('is %s gets a write once', async (kind) => {
    expect(await one({ endpoint: `/${kind}/w`, method: 'POST', data: { a: 1 } })).toMatchObject({
      status: 'error',
    })
    expect(cameTo(`/v1/${kind}/w`)).toHaveLength(1)
  })

  test('breaks off a write leaves it in doubt, and says so', async () => {
    expect(await one({ endpoint: '/cut/w', method: 'POST', data: { a: 1 } })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('Whether crm acted on it is unknown'),
    })
    expect(cameTo('/v1/cut/w')).toHaveLength(1)
  })

  test('drops repeats of a key gets a write again, with the same key', async () => {
    expect(
      await one({ connection: 'keyed', endpoint: '/broken/k', method: 'POST', data: { a: 1 } }),
    ).toMatchObject({ status: 'success' })
    const keys = cameTo('/v1/broken/k').map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^run_/)
  })

  test('is slow, or says too much, is cut off', async () => {
    expect(await one({ endpoint: '/slow/w', method: 'DELETE' })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('did not answer in time'),
    })
    expect(await one({ endpoint: '/huge/a' })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('larger than 100000 bytes'),
    })
  })

  test.each([
    [
      'missing',
      {
        status: 'error',
        error:
          'crm answered 404 to GET /v1/missing: {"error":{"message":"no such deal"}}\nNext: check the path and the ids in it.',
      },
    ],
    ['empty', { status: 'success', result: '{"status":204}' }],
    ['text', { status: 'success', result: 'café' }],
    ['html', { status: 'success', result: '<html>' }],
    ['bytes', { status: 'success', result: '{"content_type":"application/pdf","bytes":3}' }],
  ])('answers %s', async (kind, expected) => {
    expect(await one({ endpoint: `/${kind}` })).toMatchObject(expected)
  })

  test('redirects a write is not followed', async () => {
    expect(await one({ endpoint: '/moved', method: 'POST', data: {} })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('which is not followed'),
    })
    expect(cameTo('/v1/elsewhere')).toEqual([])
  })

  test('has a limit is not asked faster', async () => {
    const begun = performance.now()
    const results = resultsOf(
      await door.stream(
        calls(
          ...Array.from({ length: 8 }, (_, n) => ({
            connection: 'rated',
            endpoint: `/rated/${n}`,
          })),
        ),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'success'))
    expect(performance.now() - begun).toBeGreaterThan(290) // two at once, then twenty a second
  })

  test.each<[string, JsonObject, Partial<Came> & { readonly type?: string }]>([
    ['an object', { data: { a: [1] } }, { body: '{"a":[1]}', type: 'application/json' }],
    ['a text', { data: 'hello' }, { body: 'hello', type: 'text/plain; charset=utf-8' }],
    ['JSON text', { data: ' {"a":1,"a":2}' }, { body: ' {"a":1,"a":2}', type: 'application/json' }],
    [
      'a form',
      {
        data: { a: 'x y', b: [1, 2] },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      { body: 'a=x+y&b=1&b=2', type: 'application/x-www-form-urlencoded' },
    ],
    [
      'a patch',
      {
        data: [{ op: 'remove', path: '/a' }],
        headers: { 'Content-Type': 'application/json-patch+json' },
      },
      { body: '[{"op":"remove","path":"/a"}]', type: 'application/json-patch+json' },
    ],
  ])('takes %s', async (_, args, { body, type }) => {
    await one({ endpoint: '/takes', method: 'POST', ...args })
    expect(api.came.at(-1)).toMatchObject({ body, headers: { 'content-type': type } })
  })

  test('takes no body with a read', async () => {
    expect(await one({ endpoint: '/x', data: { a: 1 } })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('reads have no body'),
    })
  })
})

describe('what the connection adds of who asks', () => {
  const spec = (api: ApiServer): JsonObject => ({
    baseUrl: `${api.url}/t/{tenant}`,
    contextInjection: {
      tenant: { in: 'path', field: 'tenant' },
      userId: { in: 'query', field: 'user_id' },
      region: { in: 'header', field: 'X-Region', required: false },
      plan: { in: 'body', field: 'meta.plan', required: false },
      principal: { in: 'header', field: 'X-Who' },
    },
  })

  test('wins over anything that the model passes', async () => {
    await using api = await startApi(() => ({ body: {} }))
    await using door = await openDoor({
      script: told,
      files: { 'connections/crm/spec.json': spec(api), 'connections/crm/access.json': OPEN },
    })
    const context = {
      userId: 'u-1',
      region: 'eu',
      plan: 'small',
      tenant: 'evil',
      principal: 'evil',
    }
    await door.stream(
      calls({
        connection: 'crm',
        endpoint: '/deals?user_id=u-2&USER_ID=u-3',
        params: { 'user_id[]': 'u-4', a: 1 },
        method: 'POST',
        data: { meta: { plan: 'big', x: 1 } },
      }),
      { context },
    )
    expect(api.came).toMatchObject([
      {
        url: '/t/local/deals?a=1&user_id=u-1',
        headers: { 'x-region': 'eu', 'x-who': 'local' },
        body: '{"meta":{"plan":"small","x":1}}',
      },
    ])
    await door.stream(calls({ connection: 'crm', endpoint: '/deals', method: 'PUT' }), { context })
    expect(api.came.at(-1)?.body).toBe('{"meta":{"plan":"small"}}')
    const refused = resultsOf(
      await door.stream(
        calls({ connection: 'crm', endpoint: '/deals', headers: { 'x-region': 'us' } }),
        { context },
      ),
    )
    expect(refused).toMatchObject([
      { status: 'error', error: expect.stringContaining('cannot be passed') },
    ])
    expect(api.came).toHaveLength(2)
  })

  test('is refused where it is not known', async () => {
    await using api = await startApi(() => ({ body: {} }))
    await using door = await openDoor({
      script: told,
      files: {
        'connections/crm/spec.json': {
          baseUrl: api.url,
          contextInjection: { region: { in: 'header', field: 'X-Region' } },
        },
        'connections/crm/access.json': OPEN,
      },
    })
    expect(
      resultsOf(await door.stream(calls({ connection: 'crm', endpoint: '/deals' }))),
    ).toMatchObject([{ status: 'error', error: expect.stringContaining('"region" of the caller') }])
    expect(api.came).toEqual([])
  })
})

describe('rows of others', () => {
  const deals = [
    { id: 1, name: 'mine', owner_id: 'u-1' },
    { id: 2, name: 'theirs', owner_id: 'u-2' },
    { id: 3, name: 'nobody says' },
  ]
  const access = {
    endpoints: {
      'GET /deals': { returns: ['Deal'] },
      'GET /deals/{id}': { returns: ['Deal'] },
      'PATCH /deals/{id}': { returns: ['Deal'] },
      'DELETE /deals/{id}': { returns: ['Deal'], confirm: false },
      'POST /deals': { returns: ['Deal'] },
      '* /**': false,
      'GET /contacts': { returns: ['Contact'] },
    },
    rowScoping: {
      Deal: {
        owner_id: {
          type: 'field_match',
          userContextField: 'userId',
          label: 'your deals',
          param: 'owner',
        },
      },
    },
  }
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(({ url, method }) => {
      // as lenient servers read it
      const pathname = new URL(url, 'http://x').pathname.toLowerCase().replace(/\/$/, '')
      if (pathname === '/deals' && method === 'GET') return { body: { data: deals, total: 3 } }
      if (pathname === '/export') return { body: [{ report: 'q1', rows: deals }] }
      if (pathname === '/contacts') return { body: [{ id: 9, owner_id: 'u-2' }] }
      const deal = deals.find(({ id }) => pathname === `/deals/${id}`)
      return deal ? { body: deal } : { body: { ok: true, owner_id: 'u-1' } }
    })
    door = await openDoor({
      script: told,
      files: {
        'connections/crm/spec.json': { baseUrl: api.url },
        'connections/crm/access.json': access,
      },
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })
  const as = async (userId: string, args: JsonObject): Promise<JsonObject> =>
    resultsOf(
      await door.stream(calls({ connection: 'crm', ...args }), { context: { userId } }),
    )[0] ?? {}

  test('are asked for less, and left out of what comes', async () => {
    const result = await as('u-1', { endpoint: '/deals?owner=u-2' })
    expect(api.came.at(-1)?.url).toBe('/deals?owner=u-1')
    expect(told_(result)).toEqual({
      scope: 'only your deals',
      left_out: 2,
      data: { data: [deals[0]], total: 3 },
    })
    expect(told_(await as('u-9', { endpoint: '/DEALS/' }))).toMatchObject({
      left_out: 3,
      data: { data: [] },
    })
  })

  test('are not given one by one', async () => {
    expect(told_(await as('u-1', { endpoint: '/deals/1' }))).toMatchObject({ data: deals[0] })
    for (const endpoint of [
      '/deals/2',
      '/deals/3',
      'deals//2/',
      '/x/../deals/2',
      '/%64eals/2',
      '/deals/2?owner_id=u-1',
    ]) {
      expect(await as('u-1', { endpoint }), endpoint).toMatchObject({
        status: 'error',
        error: 'You see only your deals of crm, and this is not among them.',
      })
    }
  })

  test('are found where no rule says what comes', async () => {
    expect(told_(await as('u-1', { endpoint: '/export' }))).toEqual({
      scope: 'only your deals',
      left_out: 1,
      data: [{ report: 'q1', rows: [deals[0], deals[2]] }],
    })
    expect(told_(await as('u-1', { endpoint: '/contacts' }))).toEqual([{ id: 9, owner_id: 'u-2' }])
  })

  test('are not changed or deleted', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const args = { method, ...(method === 'PATCH' && { data: { name: 'x' } }) }
      expect(await as('u-1', { endpoint: '/deals/2', ...args })).toMatchObject({
        status: 'error',
        error: expect.stringContaining('You may change only your deals'),
      })
      expect(api.lines.at(-1)).toBe('GET /deals/2')
      expect(await as('u-1', { endpoint: '/deals/1', ...args })).toMatchObject({
        status: 'success',
      })
      expect(api.lines.at(-1)).toBe(`${method} /deals/1`)
    }
    await as('u-1', { endpoint: '/deals', method: 'POST', data: { name: 'new', owner_id: 'u-2' } })
    expect(api.came.at(-1)?.body).toBe('{"name":"new","owner_id":"u-1"}')
  })
})

test('a value that the model may not see is sent back to where it came from, and nowhere else', async () => {
  await using api = await startApi(({ method }) =>
    method === 'GET' ? { body: { id: 7, email: 'ada@example.com' } } : { body: { ok: true } },
  )
  const access = {
    endpoints: { 'GET /people/{id}': { returns: ['Person'] }, 'POST /mail': false },
    fieldRestrictions: [
      {
        entity: 'Person',
        field: 'email',
        policy: 'retrieve_but_redact',
        sensitivity: 'pii_identifier',
      },
    ],
  }
  const post = (connection: string, to: string) => ({
    name: 'request',
    arguments: { connection, method: 'POST', endpoint: '/mail', data: { to } },
  })
  await using door = await openDoor({
    files: {
      'connections/crm/spec.json': { baseUrl: `${api.url}/crm` },
      'connections/crm/access.json': access,
      'connections/mail/spec.json': { baseUrl: `${api.url}/mail` },
      'connections/mail/access.json': access,
    },
    script: (request, n) => {
      const handle =
        /\[redacted:[^\]]+\]/.exec(JSON.stringify(request.messages))?.[0] ?? 'no handle'
      return n === 0
        ? reply.toolCalls({
            name: 'request',
            arguments: { connection: 'crm', endpoint: '/people/7' },
          })
        : n === 1
          ? reply.toolCalls([post('crm', handle), post('mail', handle)])
          : reply.text('Done.')
    },
  })
  const { body } = await door.say('Write to number 7.')
  // two approvals: the address was not the person's own word
  const pending = body['pending_input'] as unknown as readonly { readonly id: string }[]
  await door.answer({
    session_id: body['session_id'] ?? null,
    responses: pending.map(({ id }) => ({ id, approved: true })),
  })
  await expect.poll(() => door.model.count).toBe(3)
  expect(
    api.came.filter(({ method }) => method === 'POST').map((came) => [came.url, came.body]),
  ).toEqual([['/crm/mail', '{"to":"ada@example.com"}']])
  const said = JSON.stringify(door.model.requests.map((request) => request.body))
  expect(said).toContain('mail may not be given the value behind [redacted:person.email:')
  expect(said).not.toContain('ada@example.com')
})

describe('a connection whose files are not in order', () => {
  const files = {
    'connections/good/spec.json': { baseUrl: 'https://api.example.com/v1', testPath: '/me' },
    'connections/good/access.json': OPEN,
    'connections/bad/spec.json': { baseUrl: 'https://bad.example.com' },
    'connections/bad/access.json': '{ "endpoints": { "GET /a": { "confirm": "mabye" } }',
  }

  test('is out, everybody is told, and the agent goes on', async () => {
    await using door = await openDoor({ script: told, files })
    const { body } = await door.get('/inspect/connections')
    expect(body).toMatchObject({
      connections: [
        { name: 'good', status: 'ready' },
        {
          name: 'bad',
          status: 'failed',
          error: expect.stringContaining('connections/bad/access.json:1'),
        },
      ],
    })
    expect((await door.get('/health')).body).toMatchObject({
      status: 'degraded',
      connections: 1,
      problems: expect.arrayContaining([expect.stringContaining('bad left out')]),
    })
    expect((await door.get('/inspect/context')).body).toMatchObject({
      connections: [
        { name: 'good', kind: 'rest', status: 'ready' },
        { name: 'bad', status: 'failed' },
      ],
      connectionFiles: expect.arrayContaining(['connections/good/spec.json']),
    })
    expect((await door.get('/inspect/connections/bad')).body).toMatchObject({
      name: 'bad',
      status: 'failed',
    })
    expect((await door.get('/inspect/connections/none')).status).toBe(404)
    expect(door.log.filter((line) => line.includes('connection.left_out'))).toHaveLength(1)
    expect(
      resultsOf(await door.stream(calls({ connection: 'bad', endpoint: '/a' }))),
    ).toMatchObject([{ status: 'error' }])
    expect(door.model.requests[0]?.body.messages[0]).toMatchObject({
      content: expect.stringContaining('## good'),
    })
    expect(JSON.stringify(door.model.requests[0]?.body)).not.toContain('bad.example.com')
  })

  test('is told by `amodal validate`, which also asks the others whether they answer', async () => {
    await using api = await startApi(({ url }) =>
      url === '/v1/me' ? { status: 401, body: {} } : { body: {} },
    )
    await using door = await openDoor({ script: told, files })
    const validate = async (
      options: Readonly<Record<string, boolean>>,
    ): Promise<{ readonly code: number; readonly text: string }> => {
      const lines: string[] = []
      const command = door.running.kernel.current().registry(Commands).get('validate')
      const nothing = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: true as const, value: undefined }),
        }),
      }
      const code = await command?.run({
        options,
        arguments: [],
        dir: door.dir,
        env: {},
        print: (line) => {
          lines.push(line)
        },
        write: () => undefined,
        fail: () => undefined,
        input: nothing,
        log: door.running.kernel.current().log,
        signal: AbortSignal.timeout(30_000),
        start: () => Promise.reject(new Error('nothing is started')),
      })
      return { code: code ?? -1, text: lines.join('\n') }
    }
    const broken = await validate({ 'skip-test': true })
    expect(broken.code).toBe(1)
    expect(broken.text).toContain('connections/bad/access.json:1')
    expect(broken.text).toContain('the connection "bad" is left out')
    const access = join(door.dir, 'connections/bad/access.json')
    await writeFile(access, JSON.stringify(OPEN))
    expect(await validate({ 'skip-test': true })).toMatchObject({
      code: 0,
      text: expect.stringContaining('2 connections'),
    })
    await writeFile(
      join(door.dir, 'connections/good/spec.json'),
      (await readFile(join(door.dir, 'connections/good/spec.json'), 'utf8')).replace(
        'https://api.example.com',
        api.url,
      ),
    )
    expect(await validate({})).toMatchObject({
      code: 1,
      text: expect.stringContaining('good answered 401 to GET /v1/me'),
    })
  })
})

test('`connections` of amodal.json: credentials and addresses of a connection may stand there', async () => {
  await using api = await startApi(({ headers }) => ({
    body: { key: headers.authorization === 'Bearer sk-pay-1234567890' },
  }))
  await using door = await openDoor({
    manifest: {
      connections: {
        pay: { baseUrl: api.url, auth: { api_key: 'env:PAY_KEY' } },
        gone: { auth: { api_key: 'env:PAY_KEY' } },
      },
    },
    files: {
      'connections/pay/spec.json': { baseUrl: 'https://pay.example' },
      'connections/pay/access.json': {},
    },
    script: told,
    env: { PAY_KEY: 'sk-pay-1234567890' },
  })
  expect((await door.say(calls({ connection: 'pay', endpoint: '/me' }))).body).toMatchObject({
    tool_calls: [{ status: 'success', result: expect.stringContaining('true') as string }],
  })
  expect((await door.get('/inspect/health')).body['issues']).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      file: 'amodal.json',
      line: expect.any(Number) as number,
      message: expect.stringContaining('`connections.gone` belongs to no connection') as string,
    }),
  )
})
