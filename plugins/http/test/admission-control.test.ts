import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  Authenticator,
  definePlugin,
  err,
  failure,
  ok,
  principalId,
  RefusalListeners,
  RequestLimiter,
  Tenancy,
  tenantId,
  use,
  type Entry,
  type Failure,
  type Identity,
  type RouteContext,
  type RouteTable,
} from '@amodal/sdk'
import { eventStream } from '@amodal/sdk/wire'
import { failed, HttpApp } from '../src/tokens.ts'
import { mounting, raw, serving } from './server.ts'

const ANN: Identity = {
  principal: principalId('ann'),
  roles: ['r'],
  scopes: ['notes'],
  tenant: tenantId('acme'),
}
const ROOT: Identity = {
  principal: principalId('root'),
  roles: [],
  scopes: ['*'],
  choosesTenant: true,
}
const people = new Map([
  ['ann', ANN],
  ['root', ROOT],
])

/** Knows people by their names. */
const knowing = (configured: () => boolean | undefined = () => true): Entry =>
  use(
    definePlugin({
      name: 'names',
      version: '1.0.0',
      provides: [Authenticator],
      setup: ({ provide }) =>
        provide(Authenticator, () => ({
          configured,
          async authenticate({ headers }) {
            const name = headers.get('authorization')
            if (name === null) return ok(undefined)
            if (name === 'later')
              return err(failure('STORE_FAILED', 'the names cannot be read now'))
            const identity = people.get(name)
            return identity
              ? ok(identity)
              : err(failure('UNAUTHENTICATED', 'nobody is called that'))
          },
        })),
    }),
  )

const limiting = (limited: { requests?: Failure; refused?: Failure }): Entry =>
  use(
    definePlugin({
      name: 'limiting',
      version: '1.0.0',
      provides: [RequestLimiter],
      setup: ({ provide }) =>
        provide(RequestLimiter, () => ({
          request: () => Promise.resolve(limited.requests ? err(limited.requests) : ok(undefined)),
          queued: () => Promise.resolve(ok(undefined)),
          message: () => Promise.resolve(ok({ release: () => undefined })),
          refused: () => Promise.resolve(limited.refused ? err(limited.refused) : ok(undefined)),
        })),
    }),
  )

const LATER = failure('RATE_LIMITED', 'too many', { details: { retry_after_seconds: 7 } })

const notes = (
  mount: (table: RouteTable) => void = (table) => {
    table.mount('/notes', {
      fetch: (_request, { identity }: RouteContext) => Response.json(identity?.principal ?? null),
    })
    table.mount(
      '/open',
      {
        fetch: (_request, { identity }: RouteContext) => Response.json(identity?.principal ?? null),
      },
      { open: true },
    )
  },
): Entry => use(mounting('notes', mount))

const by = (name: string): RequestInit => ({ headers: { authorization: name } })

describe('admission', () => {
  test('lets in whoever is known, where their scopes go', async () => {
    await using server = await serving([
      knowing(),
      notes(),
      use(
        mounting('other', (table) =>
          table.mount('/other', { fetch: () => new Response('in') }, { scope: 'special' }),
        ),
      ),
    ])
    expect(await (await server.get('/notes', by('ann'))).json()).toBe('ann')
    expect((await server.get('/other', by('ann'))).status).toBe(403)
    expect(await (await server.get('/other', by('root'))).text()).toBe('in')
    expect((await server.get('/nothing', by('ann'))).status).toBe(404)
  })

  test('takes a route that names no scope for a part of the one it lies under', async () => {
    const part = use(
      mounting('part', (table) => {
        table.mount('/notes/part/deep', { fetch: () => new Response('in') })
        table.mount('/noteside', { fetch: () => new Response('in') })
      }),
    )
    await using server = await serving([knowing(), notes(), part])
    expect([
      (await server.get('/notes/part/deep', by('ann'))).status,
      (await server.get('/noteside', by('ann'))).status,
    ]).toEqual([200, 403])
  })

  test('answers strangers only where it is open', async () => {
    await using server = await serving([knowing(), notes()])
    expect([
      (await server.get('/notes')).status,
      (await server.get('/nothing')).status,
      (await server.get('/notes', by('eve'))).status,
    ]).toEqual([401, 401, 401])
    expect(await (await server.get('/open')).json()).toBeNull()
    expect(await (await server.get('/open', by('ann'))).json()).toBe('ann')
    expect((await server.get('/open', by('eve'))).status).toBe(401)
  })

  test('says so where nobody can be known now', async () => {
    await using server = await serving([knowing(), notes()])
    expect((await server.get('/notes', by('later'))).status).toBe(503)
  })

  test('lets everybody in while there is nobody to know, and this machine alone can connect', async () => {
    const state: { configured: boolean | undefined } = { configured: false }
    await using server = await serving([knowing(() => state.configured), notes()])
    expect(await (await server.get('/notes')).json()).toBe('local')
    state.configured = true
    expect((await server.get('/notes')).status).toBe(401)
    state.configured = undefined
    // Health is asked for before that is known, and answers at once what a stranger may hear.
    expect(await (await server.get('/open', by('later'))).json()).toBeNull()
  })

  test('stays shut off loopback while there is nobody to know', async () => {
    await using server = await serving([knowing(() => false), notes()], { host: '0.0.0.0' })
    expect((await server.get('/notes')).status).toBe(401)
  })

  test('is asked before anything of a body is read', async () => {
    let reached = 0
    await using server = await serving([
      knowing(),
      notes((table) =>
        table.mount('/notes', {
          fetch: async (request) => {
            reached++
            await request.text()
            return new Response('read')
          },
        }),
      ),
    ])
    // The rest of the body never comes.
    const head =
      'POST /notes HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{"a":'
    expect(await raw(server.port, head, 500)).toMatch(/^HTTP\/1.1 401.*UNAUTHENTICATED/s)
    expect(await raw(server.port, head.replace('900000', '90000000'), 500)).toMatch(
      /^HTTP\/1.1 401/,
    )
    expect(reached).toBe(0)
  })

  test('is asked before the first byte of a stream', async () => {
    await using server = await serving([
      knowing(),
      notes((table) =>
        table.mount('/notes', {
          fetch: () =>
            eventStream({
              take: () => [],
              wait: () => Promise.resolve(false),
              close: () => undefined,
              async *[Symbol.asyncIterator]() {},
            }),
        }),
      ),
    ])
    const refused = await server.get('/notes', { headers: { accept: 'text/event-stream' } })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/json'])
    expect((await server.get('/notes', by('ann'))).headers.get('content-type')).toContain(
      'text/event-stream',
    )
  })

  test('says when to come back', async () => {
    const limited: { requests?: Failure; refused?: Failure } = {}
    await using server = await serving([knowing(), limiting(limited), notes()])
    limited.requests = LATER
    const refused = await server.get('/notes', by('ann'))
    expect([
      refused.status,
      refused.headers.get('retry-after'),
      (await refused.json()).error.code,
    ]).toEqual([429, '7', 'RATE_LIMITED'])
    expect((await server.get('/open', by('ann'))).status).toBe(200) // health is not counted
    delete limited.requests
    limited.refused = LATER
    expect((await server.get('/notes', by('eve'))).status).toBe(429)
    // Whoever is known is let in, whatever others do from the same address.
    expect((await server.get('/notes', by('ann'))).status).toBe(200)
  })

  test('tells of each refusal, and does not mind a listener that fails', async () => {
    const heard: unknown[] = []
    const listening = use(
      definePlugin({
        name: 'listening',
        version: '1.0.0',
        setup({ add }) {
          add(RefusalListeners, 'bad', () => {
            throw new Error('oops')
          })
          add(RefusalListeners, 'good', (refusal) => void heard.push(refusal))
        },
      }),
    )
    await using server = await serving([
      knowing(),
      listening,
      notes(),
      use(mounting('b', (table) => table.mount('/b', { fetch: () => new Response() }))),
    ])
    await server.get('/notes?secret=1', by('eve'))
    await server.get('/b', by('ann'))
    expect(heard).toEqual([
      { code: 'UNAUTHENTICATED', method: 'GET', path: '/notes', from: '127.0.0.1' },
      { code: 'FORBIDDEN_SCOPE', method: 'GET', path: '/b', from: '127.0.0.1', principal: 'ann' },
    ])
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'http.listener_failed' }),
    )
  })

  test('believes an embedding that says who it is', async () => {
    await using server = await serving([knowing(), notes()])
    const app = server.kernel.scope.get(HttpApp)
    expect((await app.fetch(new Request('http://x/notes'))).status).toBe(401)
    expect(await (await app.fetch(new Request('http://x/notes'), { identity: ANN })).json()).toBe(
      'ann',
    )
  })
})

describe('whose data', () => {
  const told = notes((table) =>
    table.mount('/notes', {
      async fetch(request, { caller }) {
        const said = caller(request.method === 'POST' ? (await request.json()).scope_id : undefined)
        return said.ok ? Response.json(said.value.tenant) : failed(said.error)
      },
    }),
  )
  const scoped = use(
    definePlugin({
      name: 'scoped',
      version: '1.0.0',
      provides: [Tenancy],
      setup: ({ provide }) =>
        provide(Tenancy, () => ({
          callerOf: ({ principal, roles }, asked) =>
            asked === undefined
              ? err(failure('SCOPE_REQUIRED', 'which?'))
              : ok({ tenant: tenantId(asked), principal, roles }),
        })),
    }),
  )
  const asking = (init: RequestInit = {}, name = 'root'): RequestInit => ({
    ...init,
    headers: { authorization: name, ...init.headers },
  })

  test('stands in the body, in the query or in a header', async () => {
    await using server = await serving([knowing(), scoped, told])
    expect(await (await server.get('/notes?scope_id=a', asking())).json()).toBe('a')
    expect(
      await (await server.get('/notes', asking({ headers: { 'x-scope-id': 'b' } }))).json(),
    ).toBe('b')
    expect(
      await (
        await server.get('/notes', asking({ method: 'POST', body: '{"scope_id":"c"}' }))
      ).json(),
    ).toBe('c')
    expect(
      await (
        await server.get('/notes?scope_id=a', asking({ headers: { 'x-scope-id': 'a' } }))
      ).json(),
    ).toBe('a')
  })

  test('must be one, and spelled as an id', async () => {
    await using server = await serving([knowing(), scoped, told])
    for (const [path, init] of [
      ['/notes?scope_id=a', { headers: { 'x-scope-id': 'b' } }],
      ['/notes?scope_id=a&scope_id=b', {}],
      ['/notes?scope_id=a', { method: 'POST', body: '{"scope_id":"b"}' }],
      ['/notes?scope_id=a%2Fb', {}],
      ['/notes?scope_id=*', {}],
    ] as const) {
      const response = await server.get(path, asking(init))
      expect([path, response.status, (await response.json()).error.code]).toEqual([
        path,
        400,
        'VALIDATION_ERROR',
      ])
    }
  })

  test('is asked for in the words that clients know', async () => {
    await using server = await serving([knowing(), scoped, told])
    const response = await server.get('/notes', asking())
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { code: 'scope_required', message: 'which?' } },
    ])
  })

  test("is the credential's own where nobody keeps tenants apart, and no other", async () => {
    await using server = await serving([knowing(), told])
    expect(await (await server.get('/notes', asking({}, 'ann'))).json()).toBe('acme')
    expect(await (await server.get('/notes', asking())).json()).toBe('local')
    expect((await server.get('/notes?scope_id=other', asking({}, 'ann'))).status).toBe(404)
  })
})

describe('pages of other origins', () => {
  const APP = 'https://app.example.com'
  const cors = { cors: { origins: [APP], maxAgeSeconds: 60 } }
  const send = (
    port: number,
    method: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> =>
    raw(
      port,
      `${method} /notes HTTP/1.1\r\n${Object.entries({
        host: 'localhost',
        connection: 'close',
        ...headers,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    )

  test('may call where they are listed, and read the answer', async () => {
    await using server = await serving([knowing(), notes()], cors)
    const answer = (
      await send(server.port, 'GET', { origin: APP, authorization: 'ann' })
    ).toLowerCase()
    expect(answer).toMatch(/^http\/1.1 200/)
    for (const header of [
      `access-control-allow-origin: ${APP}`,
      'vary: origin',
      'cross-origin-resource-policy: cross-origin',
      'access-control-expose-headers: mcp-session-id, retry-after, www-authenticate',
    ])
      expect(answer).toContain(header)
    expect(answer).not.toContain('allow-credentials')
    const refused = (await send(server.port, 'GET', { origin: APP })).toLowerCase()
    expect(refused).toMatch(/^http\/1.1 401/)
    expect(refused).toContain(`access-control-allow-origin: ${APP}`)
  })

  test('ask before they send, without a credential', async () => {
    await using server = await serving([knowing(), notes()], cors)
    const answer = (
      await send(server.port, 'OPTIONS', {
        origin: APP,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      })
    ).toLowerCase()
    expect(answer).toMatch(/^http\/1.1 204/)
    for (const header of [
      `access-control-allow-origin: ${APP}`,
      'access-control-allow-headers: authorization, content-type,',
      'access-control-allow-methods: get, post',
      'access-control-max-age: 60',
    ])
      expect(answer).toContain(header)
    expect((await send(server.port, 'OPTIONS', { origin: APP })).toLowerCase()).toMatch(
      /^http\/1.1 401/,
    )
  })

  test.each([
    'https://evil.example',
    'null',
    'http://app.example.com',
    'https://app.example.com:444',
    'https://app.example.com.evil.example',
    `${APP}/`,
    'https://APP.example.com',
  ])('and others may not: %s', async (origin) => {
    await using server = await serving([knowing(), notes()], cors)
    for (const answer of [
      await send(server.port, 'GET', { origin, authorization: 'ann' }),
      await send(server.port, 'OPTIONS', { origin, 'access-control-request-method': 'POST' }),
    ]) {
      expect(answer).toMatch(/^HTTP\/1.1 403.*FORBIDDEN_ORIGIN/s)
      expect(answer.toLowerCase()).not.toContain('access-control-allow-origin')
    }
  })

  test('say nothing of pages where none are listed', async () => {
    await using server = await serving([knowing(), notes()])
    expect((await send(server.port, 'GET', { authorization: 'ann' })).toLowerCase()).not.toMatch(
      /access-control|vary/,
    )
  })

  test('a listed page does not make a foreign host name ours', async () => {
    await using server = await serving([knowing(), notes()], cors)
    expect(
      await send(server.port, 'GET', { host: 'evil.example', origin: APP, authorization: 'ann' }),
    ).toMatch(/^HTTP\/1.1 403/)
  })

  test.each([
    ['*'],
    ['app.example.com'],
    ['https://app.example.com/'],
    ['https://*.example.com/x'],
    ['file://'],
  ])('%s is no origin to list', async (origin) => {
    await expect(serving([], { cors: { origins: [origin] } })).rejects.toThrow(
      /BAD_CONFIG|must be an origin/,
    )
  })
})

describe('where a request came from', () => {
  /** Told by the refusal, over a connection that says whom it forwards. */
  async function from(proxies: readonly string[], forwarded: string | undefined): Promise<unknown> {
    let heard: unknown
    const listening = use(
      definePlugin({
        name: 'listening',
        version: '1.0.0',
        setup: ({ add }) =>
          add(RefusalListeners, 'it', (refusal) => {
            heard = refusal.from
          }),
      }),
    )
    await using server = await serving([knowing(), listening, notes()], { proxies })
    await server.get(
      '/notes',
      forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
    )
    return heard
  }

  test.each([
    ['nobody in front', [], undefined, '127.0.0.1'],
    ['nobody in front, and somebody says so', [], '203.0.113.7', '127.0.0.1'],
    ['a proxy in front', ['127.0.0.1'], '203.0.113.7', '203.0.113.7'],
    ['a network of proxies', ['127.0.0.0/8', '10.0.0.0/8'], '203.0.113.7, 10.1.2.3', '203.0.113.7'],
    [
      'what a client made up stands before what the proxy says',
      ['127.0.0.1'],
      '1.1.1.1, 203.0.113.7',
      '203.0.113.7',
    ],
    ['IPv6', ['127.0.0.1', '2001:db8::/32'], '2001:db9::1, 2001:db8::5', '2001:db9::1'],
    [
      'an IPv4 address in the clothes of an IPv6 one',
      ['127.0.0.1'],
      '::ffff:203.0.113.7',
      '203.0.113.7',
    ],
    ['what is no address', ['127.0.0.1'], 'unknown', '127.0.0.1'],
    ['nothing', ['127.0.0.1'], undefined, '127.0.0.1'],
  ])('%s', async (_, proxies, forwarded, expected) => {
    expect(await from(proxies, forwarded)).toBe(expected)
  })

  test.each(['10.0.0.0/33', '10.0.0', 'proxy.internal', '10.0.0.0/8/8', ''])(
    '"%s" is no network',
    async (network) => {
      await expect(serving([], { proxies: [network] })).rejects.toThrow(
        /BAD_CONFIG|must be an address/,
      )
    },
  )

  test('a client that is gone before it is known is nothing to fail over', async () => {
    await using server = await serving([knowing(), notes()])
    const socket = createConnection({ port: server.port, host: '127.0.0.1' }, () =>
      socket.end('GET /notes HTTP/1.1\r\nhost: localhost\r\n\r\n', () => socket.destroy()),
    )
    await new Promise((resolve) => socket.on('close', resolve))
    expect((await server.get('/notes', by('ann'))).status).toBe(200)
  })
})
