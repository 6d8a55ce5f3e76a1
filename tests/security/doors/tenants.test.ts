import { HttpApp } from '@amodal/plugin-http/tokens'
import { main } from '@amodal/presets/cli'
import { createClient } from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definePlugin, SessionStore, use, type Entry, type JsonObject } from '@amodal/sdk'
import { openDoor, type Door } from '../support/door.ts'
import { as, keyFor, keysOf } from '../support/people.ts'

const NOTES = {
  name: 'notes',
  entity: {
    name: 'Note',
    key: '{id}',
    schema: { id: { type: 'string' }, text: { type: 'string' } },
  },
}
const FILES = {
  'stores/notes.json': NOTES,
  'stores/rates.json': { ...NOTES, name: 'rates', shared: true },
  'stores/rates.seed.json': [{ id: 'eur', text: '1.1' }],
}
const PEOPLE = {
  anna: { tenant: 'acme' },
  amos: { tenant: 'acme' },
  bert: { tenant: 'beta' },
  backend: {},
}

/** A route with an id of a session, and what is sent to it. */
interface Asked {
  readonly method: string
  readonly path: (id: string) => string
  readonly body?: (id: string) => JsonObject
  readonly headers?: Record<string, string>
}
const MESSAGE = { message: 'hello' }
const UI_MESSAGE = {
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
}
const ROUTES: readonly Asked[] = [
  ...['/chat', '/chat/stream', '/chat/sync', '/api/v1/chat', '/ai/stream'].map((path): Asked => ({
    method: 'POST',
    path: () => path,
    body: (id) => ({ ...MESSAGE, session_id: id }),
  })),
  {
    method: 'POST',
    path: () => '/chat/sync',
    body: (id) => ({ ...MESSAGE, sessionId: id }),
    headers: { 'idempotency-key': 'k1' },
  },
  {
    method: 'GET',
    path: (id) => `/ai/stream?message=hello&session_id=${id}`,
    headers: { accept: 'text/event-stream' },
  },
  {
    method: 'GET',
    path: (id) => `/ai/stream?session_id=${id}`,
    headers: { accept: 'text/event-stream', 'last-event-id': '1.1.0.1' },
  },
  {
    method: 'POST',
    path: () => '/widget-actions',
    body: (id) => ({ session_id: id, action: 'open', data: { row: 1 } }),
  },
  ...['', '/stream'].map((end): Asked => ({ method: 'GET', path: (id) => `/task/${id}${end}` })),
  { method: 'GET', path: (id) => `/chat/stream/${id}` },
  { method: 'GET', path: (id) => `/chat/stream/${id}`, headers: { 'last-event-id': '1.1.0.1' } },
  { method: 'GET', path: (id) => `/chat/stream/${id}`, headers: { 'idempotency-key': 'first' } },
  ...['/sessions', '/session', '/sessions/history'].flatMap((prefix) => [
    { method: 'GET', path: (id: string) => `${prefix}/${id}` },
    { method: 'DELETE', path: (id: string) => `${prefix}/${id}` },
    ...['PUT', 'PATCH'].map((method) => ({
      method,
      path: (id: string) => `${prefix}/${id}`,
      body: () => ({ title: 'mine now' }),
    })),
  ]),
  { method: 'GET', path: (id) => `/inspect/sessions/${id}` },
  ...['cancel', 'clear', 'fork'].map((verb): Asked => ({
    method: 'POST',
    path: (id) => `/sessions/${id}/${verb}`,
  })),
  { method: 'DELETE', path: (id) => `/sessions/${id}/grants/:grant` },
  { method: 'GET', path: (id) => `/sessions/${id}/trace` },
  { method: 'GET', path: (id) => `/sessions/${id}/trace/1` },
  { method: 'GET', path: (id) => `/sessions/${id}/workspace` },
  { method: 'GET', path: (id) => `/sessions/${id}/workspace/files/a.txt` },
  { method: 'GET', path: (id) => `/sessions/${id}/workspace/diff` },
  { method: 'POST', path: (id) => `/sessions/${id}/workspace/undo`, body: () => ({}) },
  { method: 'GET', path: (id) => `/api/studio/workspaces?session=${id}` },
  { method: 'GET', path: (id) => `/sessions/${id}/state` },
  { method: 'GET', path: (id) => `/sessions/${id}/state/stream` },
  {
    method: 'PATCH',
    path: (id) => `/sessions/${id}/state`,
    body: () => ({ level: 1 }),
    headers: { 'if-match': '*' },
  },
  ...['GET', 'DELETE'].map((method): Asked => ({
    method,
    path: (id) => `/panels/doctors/members/${id}`,
  })),
  {
    method: 'POST',
    path: () => '/panels/doctors/ask',
    body: (id) => ({ ...MESSAGE, members: [id] }),
  },
  { method: 'POST', path: (id) => `/sessions/${id}/fork`, body: () => ({ at: 1 }) },
  {
    method: 'POST',
    path: () => '/ask-user-response',
    body: (id) => ({ session_id: id, id: 'ask_1', approved: true }),
  },
  {
    method: 'POST',
    path: (id) => `/chat/sessions/${id}/ask-user-response`,
    body: () => ({ ask_id: 'ask_1', answers: { a: 1 } }),
  },
  // the wires of other protocols
  ...[{}, { 'idempotency-key': 'first' }].flatMap((headers): readonly Asked[] => [
    {
      method: 'POST',
      path: () => '/chat/ai-stream',
      body: (id) => ({ id, ...UI_MESSAGE }),
      headers,
    },
    {
      method: 'POST',
      path: () => '/chat/ai-stream',
      body: (id) => ({ id: 'mine', session_id: id, ...UI_MESSAGE }),
      headers,
    },
  ]),
  { method: 'GET', path: (id) => `/chat/ai-stream/${id}` },
  { method: 'GET', path: (id) => `/chat/ai-stream/${id}/stream` },
  { method: 'POST', path: (id) => `/chat/ai-stream/${id}/stop` },
  {
    method: 'POST',
    path: () => '/ag-ui',
    body: (id) => ({
      threadId: id,
      runId: 'first',
      messages: [{ id: 'm', role: 'user', content: 'hello' }],
      tools: [],
      context: [],
    }),
  },
  {
    method: 'POST',
    path: () => '/ag-ui',
    body: (id) => ({
      threadId: id,
      runId: 'r',
      messages: [],
      resume: [{ interruptId: 'ask_1', status: 'resolved', payload: true }],
    }),
  },
  { method: 'POST', path: (id) => `/ag-ui/${id}/stop` },
]
/** Prefixes without an id of anybody's: a new one has to be put here or above. */
const WITHOUT = [
  '/',
  // a token has the tenant of the key that makes it: plugins/auth/test/person-tokens.test.ts
  '/auth/tokens',
  '/widget.html',
  '/widget.js',
  // sessions there are bound to their principal: plugins/wire-mcp/test
  '/mcp',
  '/.well-known/oauth-protected-resource',
  // it has no data of a tenant
  '/openapi.json',
  '/studio',
  '/health',
  '/inspect',
  // refuses credentials of a tenant: tests/e2e/metrics.test.ts
  '/metrics',
  '/api/stores',
  '/api/dead-letters',
  // documents are read as another tenant in tests/e2e/pages-security.test.ts
  '/api/pages',
  '/pages',
  '/pages-bundle',
  '/api/memory',
  '/api/stats',
  // asked as another tenant in audit-routes.test.ts
  '/api/audit',
  '/api/studio/views',
  '/api/studio/automations',
  '/api/studio/feedback',
  '/api/studio/tools',
  // asked as another tenant in plugins/usage/test/usage.test.ts
  '/api/usage',
  '/api/studio/evals',
  '/api/studio/experiments',
  // asked as another tenant in tests/presets/experiments.test.ts
  '/api/experiments',
  // of the agent, not of a tenant: tests/presets/deployments.test.ts
  '/api/deployments',
  // of the machine and its folder, not of a tenant: tests/presets/admin-agent.test.ts
  '/config',
  '/api/files',
  '/api/secrets',
  // asked as another tenant in tests/presets/evals-server.test.ts
  '/api/evals',
  '/api/events',
  '/api/config',
  '/api/me',
  '/automations',
  '/webhooks',
  // logins are of the agent, not of a tenant: tests/security/doors/roles.test.ts
  '/connections',
  // begins a session of the caller: tests/security/doors/try.test.ts
  '/api/connections',
  // begins a session of the caller: tests/presets/second-layout-tools.test.ts
  '/api/tools',
  '/.well-known/agent-card.json',
  '/v1/chat/completions',
  '/v1/models',
  // asked as another tenant in plugins/feedback/test
  '/api/feedback',
  '/api/feedback/export',
  '/api/feedback/stats',
  // asked as another tenant in plugins/tools-versions/test/tools.test.ts
  '/v1/:org/tool',
  // asked as another tenant in plugins/assets/test
  '/assets',
  // asked as another tenant in plugins/wire-openai/test and plugins/wire-a2a/test
  '/v1/responses',
  '/v1/conversations',
  '/a2a',
  // asked above for a panel that there is
  '/panels/:panel/ask',
  // asked as another tenant in plugins/agent-runs/test, since they answer with a code of their own
  '/api/platform/v1/agents',
  '/api/platform/v1/artifacts',
  // asked as another tenant in plugins/tool-repos/test
  '/v1/:org/tool/git',
  // answers whoever has a link: plugins/agent-runs/test/links.test.ts
  '/api/platform/v1/artifact-links',
  '/api/platform/v1/mcp',
]

/** All that could tell one answer from another. */
async function bytesOf(
  door: Door,
  { method, path, body, headers }: Asked,
  id: string,
  who: Record<string, string>,
): Promise<string> {
  const response = await fetch(`${door.url}${path(id)}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers, ...who },
    ...(body && { body: JSON.stringify(body(id)) }),
    signal: AbortSignal.timeout(10_000),
  })
  return JSON.stringify([
    response.status,
    [...response.headers].filter(([name]) => name !== 'date'),
    await response.text(),
  ])
}

const sessionIn = ({ session_id: id }: JsonObject): string => (typeof id === 'string' ? id : 'none')

const UNKNOWN = `sess_${'0'.repeat(24)}`

interface StoreCall {
  readonly name: string
  /** As JSON. */
  readonly args: string
}

/** Notes every call of the session store. */
const watchingStore = (calls: StoreCall[]) =>
  definePlugin({
    name: 'watching-store',
    version: '1.0.0',
    decorates: [SessionStore],
    setup({ decorate }) {
      decorate(
        SessionStore,
        (inner) =>
          new Proxy(inner, {
            get(store, name) {
              const value: unknown = Reflect.get(store, name, store)
              if (typeof value !== 'function') return value
              return (...args: unknown[]): unknown => {
                calls.push({ name: String(name), args: JSON.stringify(args) })
                return Reflect.apply(value, store, args)
              }
            },
          }),
      )
    },
  })

async function inhabited(
  manifest: JsonObject = {},
  entries: readonly Entry[] = [],
): Promise<{ readonly door: Door; readonly session: string }> {
  const door = await openDoor({
    env: keysOf(PEOPLE),
    files: FILES,
    entries,
    manifest: { panels: { doctors: {} }, ...manifest },
    script: (request) =>
      request.messages.at(-1)?.role === 'user'
        ? reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Sure?' } }])
        : reply.text('done'),
  })
  const said = await door.say('the acme secret', {}, { ...as('anna'), 'idempotency-key': 'first' })
  expect(said.status).toBe(202)
  const stored = await door.post('/api/stores/notes', { id: 'n1', text: 'of acme' }, as('anna'))
  expect(stored.status).toBe(201)
  return { door, session: sessionIn(said.body) }
}

describe('a session of another tenant', () => {
  let door: Door
  let session: string
  beforeAll(async () => {
    ;({ door, session } = await inhabited())
  })
  afterAll(() => door[Symbol.asyncDispose]())

  test('every prefix that is mounted is asked below', () => {
    const paths = ROUTES.flatMap(({ path }) => [path('x'), path(':id')]).map(
      (path) => path.split('?')[0] ?? path,
    )
    const left = door.running.kernel.scope
      .get(HttpApp)
      .routes()
      .filter(
        (prefix) =>
          !WITHOUT.some((one) => prefix === one || prefix.startsWith(`${one}/`)) &&
          !paths.some((path) => path === prefix || path.startsWith(`${prefix}/`)),
      )
    expect(left).toEqual([])
  })

  test('counts in no statistics but its own', async () => {
    expect((await door.get('/api/stats', as('anna'))).body).toMatchObject({ sessions: 1 })
    expect((await door.get('/api/stats', as('bert'))).body).toMatchObject({ sessions: 0 })
  })

  test.each(
    ROUTES.map(
      (route) =>
        [
          `${route.method} ${route.path(':id')} ${JSON.stringify(route.headers ?? {})}`,
          route,
        ] as const,
    ),
  )('%s answers as an unknown one does, byte by byte', async (_, route) => {
    const unknown = await bytesOf(door, route, UNKNOWN, as('bert'))
    expect(unknown).toContain('SESSION_NOT_FOUND')
    expect(await bytesOf(door, route, session, as('bert'))).toBe(unknown)
    // Also for whoever may name any scope, in another one.
    expect(await bytesOf(door, route, session, { ...as('backend'), 'x-scope-id': 'beta' })).toBe(
      unknown,
    )
    expect(await bytesOf(door, route, session, as('backend'))).toBe(unknown)
  })

  test('is untouched by all that', async () => {
    const { body } = await door.get(`/sessions/${session}`, as('anna'))
    expect(body).toMatchObject({
      title: 'the acme secret',
      scope_id: 'acme',
      state: 'confirming',
      message_count: 1,
    })
    expect((await door.get('/sessions', as('bert'))).body).toEqual({
      sessions: [],
      next_cursor: null,
      waiting_count: 0,
    })
    expect((await door.get('/sessions/history', as('bert'))).text).toBe('[]')
  })

  test('is seen by others of its tenant, and by a backend that names it', async () => {
    expect((await door.get(`/sessions/${session}`, as('amos'))).status).toBe(200)
    for (const path of [`/sessions/${session}?scope_id=acme`, '/sessions?scope_id=acme'])
      expect((await door.get(path, as('backend'))).text).toContain('the acme secret')
  })

  test('asks the store for the same as an unknown one, so that it takes as long', async () => {
    const calls: StoreCall[] = []
    const watched = await inhabited({}, [use(watchingStore(calls))])
    await using other = watched.door
    const [foreign, unknown] = [watched.session, UNKNOWN]
    const namesOf = async (id: string): Promise<readonly string[]> => {
      calls.length = 0
      expect((await other.get(`/sessions/${id}`, as('bert'))).status).toBe(404)
      return calls.filter(({ args }) => args.includes(id)).map(({ name }) => name)
    }
    expect(await namesOf(foreign)).not.toEqual([])
    expect(await namesOf(foreign)).toEqual(await namesOf(unknown))
  })
})

describe('a scope', () => {
  test("that is not the credential's answers the same on every route, whether it exists or not", async () => {
    const { door, session } = await inhabited()
    await using _ = door
    for (const route of [
      ...ROUTES,
      { method: 'GET', path: () => '/sessions' },
      { method: 'GET', path: () => '/api/events' },
      { method: 'POST', path: () => '/task', body: () => ({ prompt: 'x' }) },
      { method: 'GET', path: () => '/api/memory' },
      { method: 'DELETE', path: () => '/api/memory' },
      { method: 'GET', path: () => '/api/stores' },
      { method: 'GET', path: () => '/api/stores/notes' },
      { method: 'GET', path: () => '/api/stores/notes/n1' },
    ]) {
      const answers = await Promise.all(
        ['beta', 'nowhere'].map((scope) =>
          bytesOf(door, route, session, { ...as('anna'), 'x-scope-id': scope }),
        ),
      )
      expect(new Set(answers).size).toBe(1)
      expect(answers[0]).toContain('there is no such scope')
    }
    expect(
      (await door.get(`/sessions/${session}`, { ...as('anna'), 'x-scope-id': 'acme' })).status,
    ).toBe(200)
  })

  test('is required where config says so', async () => {
    const { door } = await inhabited({ plugins: [['tenant', { requireScope: true }]] })
    await using _ = door
    const refused = await door.say('hello', {}, as('backend'))
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: { code: 'scope_required', message: expect.stringContaining('scope_id') as string } },
    ])
    expect((await door.say('hello', { scope_id: 'acme' }, as('backend'))).status).toBe(202)
    expect((await door.say('hello', {}, as('anna'))).status).toBe(202)
    expect((await door.get('/sessions', as('backend'))).status).toBe(400)
    for (const path of ['/api/stores', '/api/events', '/api/stats', `/task/${UNKNOWN}`])
      expect((await door.get(path, as('backend'))).body).toMatchObject({
        error: { code: 'scope_required' },
      })
    expect((await door.post('/task', { prompt: 'hello' }, as('backend'))).body).toMatchObject({
      error: { code: 'scope_required' },
    })
  })

  test('reaches the session that it makes', async () => {
    const { door } = await inhabited()
    await using _ = door
    const { body } = await door.say('for gamma', { scope_id: 'gamma' }, as('backend'))
    const path = `/sessions/${sessionIn(body)}`
    expect((await door.get(`${path}?scope_id=gamma`, as('backend'))).body).toMatchObject({
      scope_id: 'gamma',
    })
    expect((await door.get(path, as('backend'))).status).toBe(404)
  })
})

describe('documents', () => {
  test("are one tenant's, in the API and to its agent", async () => {
    const { door } = await inhabited()
    await using _ = door
    const missing: Asked = { method: 'GET', path: (id) => `/api/stores/notes/${id}` }
    expect(await bytesOf(door, missing, 'n1', as('bert'))).toBe(
      await bytesOf(door, missing, 'n0', as('bert')),
    )
    expect((await door.get('/api/stores/notes', as('bert'))).body).toMatchObject({
      documents: [],
      total: 0,
    })
    expect((await door.get('/api/stores/notes/n1', as('amos'))).status).toBe(200)
    expect((await door.get('/api/stores', as('bert'))).body['stores']).toContainEqual(
      expect.objectContaining({ name: 'notes', documentCount: 0 }),
    )
    // The same key of a document is another document.
    await door.post('/api/stores/notes', { id: 'n1', text: 'of beta' }, as('bert'))
    expect((await door.get('/api/stores/notes/n1', as('anna'))).text).toContain('of acme')
  })

  test("that are shared are everybody's to read, and nobody's to write", async () => {
    const { door } = await inhabited()
    await using _ = door
    for (const who of ['anna', 'bert', 'backend'])
      expect((await door.get('/api/stores/rates/eur', as(who))).body).toMatchObject({
        document: { payload: { text: '1.1' } },
      })
    expect(
      (await door.post('/api/stores/rates', { id: 'eur', text: '9' }, as('anna'))).status,
    ).toBe(403)
    const tools = door.model.requests.flatMap(({ body }) =>
      (body.tools ?? []).map((tool) => tool.function.name),
    )
    expect(tools).toEqual(expect.arrayContaining(['query_store', 'store_notes']))
    expect(tools).not.toContain('store_rates')
  })

  test('that are shared are written where config says so, for all', async () => {
    const { door } = await inhabited({ plugins: [['stores', { sharedWrites: 'everybody' }]] })
    await using _ = door
    expect(
      (
        await door.post(
          '/api/stores/rates',
          { id: 'usd', text: '1' },
          { ...as('anna'), 'idempotency-key': 'k' },
        )
      ).status,
    ).toBe(201)
    expect((await door.get('/api/stores/rates/usd', as('bert'))).body).toMatchObject({
      document: { payload: { text: '1' } },
    })
    // The same key of another tenant is another write.
    expect(
      (
        await door.post(
          '/api/stores/rates',
          { id: 'usd', text: '2' },
          { ...as('bert'), 'idempotency-key': 'k' },
        )
      ).body,
    ).toMatchObject({ version: 2 })
  })

  test('that are shared are written by roles', async () => {
    const door = await openDoor({
      env: keysOf({ boss: { tenant: 'acme', roles: ['editor'] }, anna: { tenant: 'acme' } }),
      files: FILES,
      manifest: { plugins: [['stores', { sharedWrites: ['editor'] }]] },
      script: (request) =>
        request.messages.at(-1)?.role === 'user'
          ? reply.toolCalls([{ name: 'store_rates', arguments: { id: 'usd', text: '5' } }])
          : reply.text('done'),
    })
    await using _ = door
    expect(
      (await door.post('/api/stores/rates', { id: 'usd', text: '1' }, as('anna'))).status,
    ).toBe(403)
    expect((await door.say('set it', {}, as('anna'))).text).toContain('may only read')
    expect((await door.get('/api/stores/rates/usd', as('anna'))).status).toBe(404)
    await door.say('set it', {}, as('boss'))
    expect((await door.get('/api/stores/rates/usd', as('anna'))).body).toMatchObject({
      document: { payload: { text: '5' } },
    })
  })
})

describe('sessions of one principal', () => {
  test("are nobody else's, where config says so: the same bytes on every route", async () => {
    const { door, session } = await inhabited({ plugins: [['tenant', { sessions: 'principal' }]] })
    await using _ = door
    for (const route of ROUTES) {
      const unknown = await bytesOf(door, route, UNKNOWN, as('amos'))
      expect(unknown).toContain('SESSION_NOT_FOUND')
      expect(await bytesOf(door, route, session, as('amos'))).toBe(unknown)
    }
    expect((await door.get('/sessions', as('amos'))).body).toMatchObject({ sessions: [] })
    expect((await door.get('/sessions', as('anna'))).body).toMatchObject({
      sessions: [{ session_id: session }],
    })
    expect((await door.get(`/sessions/${session}`, as('anna'))).body).toMatchObject({
      title: 'the acme secret',
      message_count: 1,
      state: 'confirming',
    })
  })
})

test('a client says who it is, and whose data it asks for', async () => {
  const { door, session } = await inhabited()
  await using _ = door
  const { url } = door
  expect(await createClient({ url, credential: keyFor('anna') }).session(session)).toMatchObject({
    title: 'the acme secret',
  })
  expect(
    await createClient({ url, credential: keyFor('backend'), scope: 'acme' }).session(session),
  ).toMatchObject({ scope_id: 'acme' })
  await expect(
    createClient({ url, credential: keyFor('backend'), scope: 'beta' }).session(session),
  ).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  await expect(createClient({ url }).session(session)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    status: 401,
  })
  const chat = async (env: Readonly<Record<string, string>>): Promise<string> => {
    let said = ''
    const print = (text: string): void => {
      said += text
    }
    await main({
      argv: ['chat', 'hello', '--url', url, '--scope', 'gamma', '--dir', door.dir],
      env,
      signal: new AbortController().signal,
      input: (async function* () {
        yield* [] as readonly string[]
      })(),
      write: print,
      fail: print,
    })
    return said
  }
  expect(await chat({ AMODAL_CREDENTIAL: keyFor('backend') })).toContain('Sure?')
  expect((await door.get('/sessions?scope_id=gamma', as('backend'))).body).toMatchObject({
    sessions: [{ title: 'hello' }],
  })
  expect(await chat({})).toContain('UNAUTHENTICATED')
})

test('what is told of the server is told to whoever is known, and of runs only their own', async () => {
  const { door } = await inhabited()
  await using _ = door
  expect((await door.get('/health')).body).toEqual({ status: 'ok' })
  expect((await door.get('/health', as('anna'))).body).toMatchObject({
    status: 'ok',
    name: 'door',
    uptime_ms: expect.any(Number) as number,
  })
  for (const path of ['/inspect/health', '/inspect/context', '/inspect/kernel', '/inspect/nothing'])
    expect((await door.get(path)).status).toBe(401)
  expect((await door.get('/inspect/health', as('bert'))).body).toMatchObject({
    runs: [],
    errors: [],
  })
})
