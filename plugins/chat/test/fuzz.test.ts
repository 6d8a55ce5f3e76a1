import fc from 'fast-check'
import { expect, test } from 'vitest'
import { raw, served } from './server.ts'

const routes: readonly (readonly [path: string, ...methods: string[]])[] = [
  ['/chat', 'POST'],
  ['/chat/stream', 'POST'],
  ['/chat/sync', 'POST'],
  ['/api/v1/chat', 'POST'],
  ['/ai/stream', 'POST'],
  ['/chat/stream/:id', 'GET'],
  ['/sessions', 'GET'],
  ['/sessions/history', 'GET'],
  ['/sessions/:id', 'GET', 'PUT', 'PATCH', 'DELETE'],
  ['/session/:id', 'GET', 'PATCH'],
  ['/sessions/history/:id', 'GET', 'PATCH', 'DELETE'],
  ['/sessions/:id/cancel', 'POST'],
  ['/sessions/:id/clear', 'POST'],
  ['/sessions/:id/fork', 'POST'],
  ['/ask-user-response', 'POST'],
  ['/chat/sessions/:id/ask-user-response', 'POST'],
  ['/', 'GET'],
  ['/nothing', 'GET'],
]
const anyMethod = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'BREW',
  'CONNECT',
)
/** Mostly a method that the route has, so that what is behind it is reached. */
const target = fc.constantFrom(...routes).chain(([path, ...methods]) =>
  fc.record({
    path: fc.constant(path),
    method: fc.oneof({ arbitrary: fc.constantFrom(...methods), weight: 4 }, anyMethod),
  }),
)
const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '..',
    '%',
    '%00',
    '%E0%A4%A',
    '__proto__',
    'constructor',
    '\ud800',
    'x'.repeat(300),
    'sess_1',
    '../../etc',
    'a/b',
    "' or 1=1 --",
    '{{',
    '*',
  ),
)
const json = fc.jsonValue({ maxDepth: 3 })
const field = fc.constantFrom(
  'message',
  'session_id',
  'sessionId',
  'images',
  'context',
  'model',
  'max_turns',
  'max_session_tokens',
  'stream',
  'id',
  'ask_id',
  'approved',
  'answers',
  'response',
  'action',
  'responses',
  'title',
  'tags',
  'metadata',
  'at',
  '__proto__',
  'toString',
)
const body = fc.oneof(
  fc.dictionary(field, fc.oneof(json, strange)).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.string({ maxLength: 20 }), strange)
    .map(([a, b]) => `{"message":"${a}","session_id":${b}}`),
  strange,
  json.map((value) => JSON.stringify(value)),
  fc.nat(60_000).map((depth) => '['.repeat(depth)),
  fc.nat(20_000).map((depth) => `${'{"answers":['.repeat(depth)}1${']}'.repeat(depth)}`),
  fc.constantFrom(
    '{"message":"x","message":null}',
    '{"id":"ask_1","approved":"yes","session_id":"sess_1"}',
    '\u0000',
    '{"message":"\\ud800\\u0000"}',
    `{"message":"${'x'.repeat(200_000)}"}`,
    '{"message":"x","images":[{"mimeType":"image/png","data":"////"}]}',
  ),
)
const header = fc.tuple(
  fc.constantFrom(
    'content-type',
    'accept',
    'idempotency-key',
    'last-event-id',
    'host',
    'origin',
    'content-length',
    'transfer-encoding',
    'expect',
    'connection',
    'upgrade',
    'x-http-method-override',
    'cookie',
    'range',
    'if-none-match',
  ),
  fc.oneof(
    fc.constantFrom(
      'application/json',
      'text/plain',
      'chunked',
      '0',
      '-1',
      '5',
      '99999999',
      '1.1.1.1',
      'null',
      '*/*',
      'websocket',
      '100-continue',
      'close',
      'localhost',
      'evil.example',
      'http://evil.example',
    ),
    fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, '')),
  ),
)
const request = fc.record({
  target,
  id: fc.oneof(fc.constant('sess_1'), strange),
  query: fc.oneof(fc.constant(''), strange),
  typed: fc.oneof({ arbitrary: fc.constant(true), weight: 5 }, fc.constant(false)),
  body,
  headers: fc.oneof(
    { arbitrary: fc.array(header, { maxLength: 0 }), weight: 2 },
    fc.array(header, { maxLength: 3 }),
  ),
})

test('300 malformed requests to every route: never a 5xx, never a hang', async () => {
  await using server = await served({}, { requestTimeoutMs: 300 })
  await server.post('/chat/sync', { message: 'approve' })
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ target: { method, path: pattern }, id, query, typed, body, headers }) => {
        // Written by hand: a client would refuse to send most of this.
        const path = pattern.replace(':id', id) + (query && `?limit=${query}&cursor=${query}`)
        const has = (...names: readonly string[]): boolean =>
          headers.some(([name]) => names.includes(name))
        const all: readonly (readonly [name: string, value: string])[] = [
          ...(has('host') ? [] : [['host', 'localhost'] as const]),
          ...(typed ? [['content-type', 'application/json'] as const] : []),
          ...(has('content-length', 'transfer-encoding')
            ? []
            : [['content-length', `${Buffer.byteLength(body)}`] as const]),
          ...headers,
          ['connection', 'close'],
        ]
        const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        const { answer, hung } = await raw(
          server.port,
          `${method} ${path.replaceAll(/[\s\u0000]/g, '+')} HTTP/1.1\r\n${head}\r\n${body}`,
          1_500,
        )
        // a stream of a session that waits stays open
        expect(hung && !answer.includes('text/event-stream')).toBe(false)
        const status = Number(/^HTTP\/1\.1 (?!100)(\d{3})/m.exec(answer)?.[1] ?? 0)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        expect(status).toBeLessThan(500)
        if (status >= 400 && method !== 'HEAD' && status !== 417)
          expect(answer).toMatch(/"error":\{"code":"[A-Z_]+","message":/)
      },
    ),
    { numRuns: 300, seed: 20_261_121 },
  )
  const health = await server.post('/chat/sync', { message: 'still here' })
  expect(await health.json()).toMatchObject({ response: 'still here' })
  // It reached the routes, and was not refused at the door alone.
  for (const status of [200, 400, 404, 405]) expect(statuses.get(status) ?? 0).toBeGreaterThan(5)
}, 120_000)
