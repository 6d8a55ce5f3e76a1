import type { Json, JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type ApiServer, type Came } from '../support/api-server.ts'
import { openDoor, type Door, type Heard } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'

const SECRET = 'bearer-4f1a9c77d2'

/** Books that repeat whatever they were sent, credentials as well. */
function books({ body, headers, method, url }: Came): ReturnType<Parameters<typeof startApi>[0]> {
  if (url === '/broken') return { status: 500, body: { error: 'the books are closed' } }
  if (url.startsWith('/customers')) return { body: { id: '7', name: 'Ada', ssn: '123-45-6789' } }
  return { body: { did: `${method} ${url}`, body, echo: headers as Json } }
}

const FILES = (url: string) => ({
  'connections/books/spec.json': {
    baseUrl: url,
    auth: { type: 'bearer', token: 'env:BOOKS_TOKEN' },
    limits: { tries: 1 },
  },
  'connections/books/access.json': {
    endpoints: {
      'GET /invoices': 'allow',
      'GET /broken': 'allow',
      'GET /customers/{id}': { returns: ['Customer'] },
      'POST /refunds': { confirm: true, reason: 'A refund is money that leaves.' },
      'DELETE /invoices/{id}': 'never',
    },
    fieldRestrictions: [{ entity: 'Customer', field: 'ssn', policy: 'never_retrieve' }],
  },
  'roles/clerk.json': { tools: ['request'], skills: [], connections: ['books'] },
  'roles/guest.json': { tools: [], skills: [], connections: [] },
})

describe('trying a connection', () => {
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(books)
    door = await openDoor({
      env: {
        BOOKS_TOKEN: SECRET,
        ...keysOf({
          clerk: { tenant: 'acme', roles: ['clerk'] },
          guest: { tenant: 'acme', roles: ['guest'] },
          chatter: { tenant: 'acme', roles: ['clerk'], scopes: ['chat', 'sessions'] },
        }),
      },
      files: FILES(api.url),
      script: reply.text('a model was called'),
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })
  const tryIt = (
    body: JsonObject,
    { key, who = 'clerk' }: { readonly key?: string; readonly who?: string } = {},
  ): Promise<Heard> =>
    door.post('/api/connections/books/try', body, {
      ...as(who),
      ...(key !== undefined && { 'idempotency-key': key }),
    })

  test('a read gives what the model would have, without credentials and without a model', async () => {
    const { body, status, text } = await tryIt({ endpoint: '/invoices', params: { page: 2 } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'success',
      tool: 'request',
      arguments: { connection: 'books', endpoint: '/invoices' },
    })
    expect(body['ms']).toBeTypeOf('number')
    expect(body['result']).toContain('GET /invoices?page=2')
    expect(api.came.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(text).not.toContain(SECRET)
    expect(door.model.requests).toHaveLength(0)
  })

  test('a restricted field is left out of it', async () => {
    const { body, text } = await tryIt({ endpoint: '/customers/7' })
    expect(body['result']).toContain('Ada')
    expect(text).not.toContain('123-45-6789')
  })

  test('a refused endpoint is refused with its rule, and nothing is sent', async () => {
    const before = api.came.length
    const { body, status } = await tryIt({ method: 'DELETE', endpoint: '/invoices/4' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'error', code: 'TOOL_DENIED' })
    expect(body['message']).toContain('DELETE /invoices/4: it is not allowed')
    expect(api.came).toHaveLength(before)
  })

  test('an effect waits for a person; the same key then gives its outcome', async () => {
    const call = { method: 'POST', endpoint: '/refunds', data: { amount: 20 } }
    const before = api.came.length
    const asked = await tryIt(call, { key: 'refund-1' })
    expect(asked.status).toBe(202)
    expect(asked.body).toMatchObject({ status: 'waiting', tool: 'request' })
    const [ask] = asked.body['pending_input'] as unknown as readonly JsonObject[]
    expect(JSON.stringify(ask?.['pending_input_context'])).toContain('money that leaves')
    expect(api.came).toHaveLength(before)
    const session = asked.body['session_id'] as string
    const answered = await door.answer(
      { session_id: session, id: ask?.['id'] ?? '', approved: true },
      as('clerk'),
    )
    expect(answered.status).toBe(200)
    const done = await tryIt(call, { key: 'refund-1' })
    expect(done.body).toMatchObject({ status: 'success', session_id: session })
    expect(done.body['result']).toContain('POST /refunds')
    expect(api.lines.filter((line) => line === 'POST /refunds')).toHaveLength(1)
  })

  test('a declined effect is not sent', async () => {
    const call = { method: 'POST', endpoint: '/refunds', data: { amount: 21 } }
    const before = api.came.length
    const asked = await tryIt(call, { key: 'refund-2' })
    const [ask] = asked.body['pending_input'] as unknown as readonly JsonObject[]
    await door.answer(
      {
        session_id: asked.body['session_id'] as string,
        id: ask?.['id'] ?? '',
        approved: false,
        feedback: 'too much',
      },
      as('clerk'),
    )
    const done = await tryIt(call, { key: 'refund-2' })
    expect(done.body).toMatchObject({ status: 'error', code: 'TOOL_DENIED' })
    expect(api.came).toHaveLength(before)
  })

  test('an error of the target and a bad call say what is wrong', async () => {
    const broken = await tryIt({ endpoint: '/broken' })
    expect(broken.body).toMatchObject({ status: 'error' })
    expect(broken.body['message']).toContain('the books are closed')
    const outside = await tryIt({ endpoint: 'https://elsewhere.example/x' })
    expect(outside.body).toMatchObject({ status: 'error' })
    const empty = await tryIt({ method: 'GET' })
    expect(empty.status).toBe(400)
    expect(empty.text).toContain('endpoint')
    const unknown = await door.post('/api/connections/none/try', { endpoint: '/x' }, as('clerk'))
    expect(unknown.status).toBe(404)
  })

  test('it takes the scope ops, and the connection has to be for the role of the caller', async () => {
    const chatter = await tryIt({ endpoint: '/invoices' }, { who: 'chatter' })
    expect(chatter.status).toBe(403)
    const guest = await tryIt({ endpoint: '/invoices' }, { who: 'guest' })
    expect(guest.status).toBe(404)
    const nobody = await door.post('/api/connections/books/try', { endpoint: '/invoices' }, {})
    expect(nobody.status).toBe(401)
  })
})
