import { describe, expect, test } from 'vitest'
import {
  definePlugin,
  err,
  failure,
  ok,
  RefusalListeners,
  RequestLimiter,
  Tenancy,
  tenantId,
  use,
  type Entry,
  type Failure,
} from '@amodal/sdk'
import { eventStream } from '@amodal/sdk/wire'
import { failed, HttpApp } from '../src/tokens.ts'
import { mounting, raw, serving } from './server.ts'
import { ANN, knowing, notes, by } from './admission-fixtures.ts'

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

describe('admission', () => {
  test('admits known callers to the routes of their scopes', async () => {
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

  test('a route without a scope has that of its parent route', async () => {
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

  test('serves unauthenticated callers on open routes only', async () => {
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

  test('reports an authenticator that is unavailable', async () => {
    await using server = await serving([knowing(), notes()])
    expect((await server.get('/notes', by('later'))).status).toBe(503)
  })

  test('admits everybody on loopback while no key is configured', async () => {
    const state: { configured: boolean | undefined } = { configured: false }
    await using server = await serving([knowing(() => state.configured), notes()])
    expect(await (await server.get('/notes')).json()).toBe('local')
    state.configured = true
    expect((await server.get('/notes')).status).toBe(401)
    state.configured = undefined
    // Health is requested before the authenticator is ready; it responds at once, as to a stranger.
    expect(await (await server.get('/open', by('later'))).json()).toBeNull()
  })

  test('admits nobody from other machines while no key is configured', async () => {
    await using server = await serving([knowing(() => false), notes()], { host: '0.0.0.0' })
    expect((await server.get('/notes')).status).toBe(401)
  })

  test('decides before the body is read', async () => {
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

  test('decides before the first byte of a stream', async () => {
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

  test('returns when to retry', async () => {
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

  test('reports each refusal, also if a listener fails', async () => {
    const refusals: unknown[] = []
    const listening = use(
      definePlugin({
        name: 'listening',
        version: '1.0.0',
        setup({ add }) {
          add(RefusalListeners, 'bad', () => {
            throw new Error('oops')
          })
          add(RefusalListeners, 'good', (refusal) => void refusals.push(refusal))
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
    expect(refusals).toEqual([
      { code: 'UNAUTHENTICATED', method: 'GET', path: '/notes', from: '127.0.0.1' },
      { code: 'FORBIDDEN_SCOPE', method: 'GET', path: '/b', from: '127.0.0.1', principal: 'ann' },
    ])
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'http.listener_failed' }),
    )
  })

  test('trusts the identity of an embedding application', async () => {
    await using server = await serving([knowing(), notes()])
    const app = server.kernel.scope.get(HttpApp)
    expect((await app.fetch(new Request('http://x/notes'))).status).toBe(401)
    expect(await (await app.fetch(new Request('http://x/notes'), { identity: ANN })).json()).toBe(
      'ann',
    )
  })
})

describe('the tenant of a request', () => {
  const tenantNotes = notes((table) =>
    table.mount('/notes', {
      async fetch(request, { caller }) {
        const result = caller(
          request.method === 'POST' ? (await request.json()).scope_id : undefined,
        )
        return result.ok ? Response.json(result.value.tenant) : failed(result.error)
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
          callerOf: ({ principal, roles }, scopeId) =>
            scopeId === undefined
              ? err(failure('SCOPE_REQUIRED', 'which?'))
              : ok({ tenant: tenantId(scopeId), principal, roles }),
        })),
    }),
  )
  const asking = (init: RequestInit = {}, name = 'root'): RequestInit => ({
    ...init,
    headers: { authorization: name, ...init.headers },
  })

  test('is in the body, in the query or in a header', async () => {
    await using server = await serving([knowing(), scoped, tenantNotes])
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

  test('must be unambiguous and a valid id', async () => {
    await using server = await serving([knowing(), scoped, tenantNotes])
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

  test('is requested with the codes that clients know', async () => {
    await using server = await serving([knowing(), scoped, tenantNotes])
    const response = await server.get('/notes', asking())
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { code: 'scope_required', message: 'which?' } },
    ])
  })

  test("is the credential's own without a tenancy plugin, and no other", async () => {
    await using server = await serving([knowing(), tenantNotes])
    expect(await (await server.get('/notes', asking({}, 'ann'))).json()).toBe('acme')
    expect(await (await server.get('/notes', asking())).json()).toBe('local')
    expect((await server.get('/notes?scope_id=other', asking({}, 'ann'))).status).toBe(404)
  })
})
