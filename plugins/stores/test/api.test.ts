import { describe, expect, test } from 'vitest'
import { alert, ALERTS, desk } from './support.ts'

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
const document = (id: number, version = 1) => ({
  key: `api:${id}`,
  appId: 'desk',
  store: 'active-alerts',
  version,
  payload: alert(id),
  meta: { computedAt: ISO, stale: false, ttl: 60, expiresAt: ISO },
})
const problem = (code: string, message: string) => ({
  error: { code, message: expect.stringContaining(message) as string },
})

describe('GET /api/stores', () => {
  test('lists the stores, with how many documents each has', async () => {
    await using agent = await desk([
      { ...ALERTS, seed: [alert(1)] },
      { name: 'plain', entity: { name: 'Plain', key: '{id}', schema: { id: { type: 'string' } } } },
    ])
    const access = { write: true, delete: true }
    expect(await agent.request('/api/stores')).toEqual({
      status: 200,
      body: {
        stores: [
          {
            name: 'active-alerts',
            description: 'What is wrong now.',
            entity: 'Alert',
            key: '{service}:{id}',
            schema: ALERTS.entity.schema,
            ttl: 60,
            trace: false,
            history: 2,
            access,
            documentCount: 1,
            deadLetterCount: null,
          },
          {
            name: 'plain',
            entity: 'Plain',
            key: '{id}',
            schema: { id: { type: 'string' } },
            ttl: null,
            trace: false,
            history: 0,
            access,
            documentCount: 0,
            deadLetterCount: null,
          },
        ],
      },
    })
  })

  test('says which of them the caller may change', async () => {
    await using agent = await desk([
      { ...ALERTS, shared: true, failure: { mode: 'partial', deadLetter: true } },
    ])
    expect(await agent.request('/api/stores')).toMatchObject({
      body: { stores: [{ access: { write: false, delete: false }, deadLetterCount: null }] },
    })
  })
})

describe('GET /api/stores/:name', () => {
  test('gives documents', async () => {
    await using agent = await desk([{ ...ALERTS, seed: [alert(1), alert(2), alert(3)] }])
    expect(await agent.request('/api/stores/active-alerts?sort=-id&limit=2')).toEqual({
      status: 200,
      body: { documents: [document(3), document(2)], total: 3, hasMore: true },
    })
    expect(
      await agent.request(
        `/api/stores/active-alerts?filter=${encodeURIComponent('{"id":{"lt":2}}')}&offset=0`,
      ),
    ).toEqual({ status: 200, body: { documents: [document(1)], total: 1, hasMore: false } })
    expect(await agent.request('/api/stores/active-alerts?filter=&sort=')).toMatchObject({
      status: 400,
    })
  })

  test.each([
    ['filter=open', 'filter: must be a JSON object, such as {"status":"open"}'],
    ['filter=[1]', 'filter: must be a JSON object'],
    ['filter={"colour":1}', '"colour" is no field of active-alerts'],
    ['sort=colour', '"colour" is no field of active-alerts'],
    ['limit=0', 'limit: Too small'],
    ['limit=1001', 'limit: Too big'],
    ['limit=many', 'limit: Invalid input'],
    ['offset=-1', 'offset: Too small'],
  ])('?%s is refused', async (query, message) => {
    await using agent = await desk()
    expect(await agent.request(`/api/stores/active-alerts?${query}`)).toEqual({
      status: 400,
      body: problem('VALIDATION_ERROR', message),
    })
  })

  test('of no store is not found', async () => {
    await using agent = await desk()
    for (const name of ['nothing', 'constructor', '..%2f..'])
      expect(await agent.request(`/api/stores/${name}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
  })
})

describe('GET /api/stores/:name/:key', () => {
  test('gives the document and its earlier versions', async () => {
    await using agent = await desk()
    for (const id of [1, 1, 1, 1]) await agent.post('/api/stores/active-alerts', alert(id))
    const { status, body } = await agent.request('/api/stores/active-alerts/api%3A1')
    expect(status).toBe(200)
    expect(body).toEqual({ document: document(1, 4), history: [document(1, 3), document(1, 2)] })
  })

  test('finds keys with slashes and percent signs', async () => {
    await using agent = await desk()
    for (const service of ['a/b', '50%', '?#', 'ünï']) {
      await agent.post('/api/stores/active-alerts', alert(1, { service }))
      expect(
        await agent.request(`/api/stores/active-alerts/${encodeURIComponent(`${service}:1`)}`),
      ).toMatchObject({ status: 200, body: { document: { key: `${service}:1` } } })
    }
  })

  test('of no document is not found', async () => {
    await using agent = await desk()
    expect(await agent.request('/api/stores/active-alerts/nothing')).toEqual({
      status: 404,
      body: problem('NOT_FOUND', 'there is no such document'),
    })
  })
})

describe('POST /api/stores/:name', () => {
  test('stores the document that the body is', async () => {
    await using agent = await desk()
    expect(await agent.post('/api/stores/active-alerts', alert(1))).toEqual({
      status: 201,
      body: { stored: true, key: 'api:1', version: 1 },
    })
    expect(await agent.post('/api/stores/active-alerts', alert(1))).toEqual({
      status: 201,
      body: { stored: true, key: 'api:1', version: 2, previousVersion: 1 },
    })
  })

  test('with the same Idempotency-Key happens once', async () => {
    await using agent = await desk()
    for (const _ of [1, 2])
      expect(
        await agent.post('/api/stores/active-alerts', alert(1), { 'idempotency-key': 'k1' }),
      ).toMatchObject({ status: 201, body: { version: 1 } })
    expect(
      await agent.post('/api/stores/active-alerts', alert(1), { 'idempotency-key': 'two words' }),
    ).toEqual({ status: 400, body: problem('VALIDATION_ERROR', 'Idempotency-Key: must be') })
  })

  test('with the Idempotency-Key of another document is refused, and says so', async () => {
    await using agent = await desk()
    await agent.post('/api/stores/active-alerts', alert(1), { 'idempotency-key': 'k1' })
    expect(
      await agent.post('/api/stores/active-alerts', alert(2), { 'idempotency-key': 'k1' }),
    ).toEqual({
      status: 409,
      body: problem('MESSAGE_CONFLICT', 'this key belongs to another write'),
    })
    expect((await agent.request('/api/stores/active-alerts/api%3A2')).status).toBe(404)
  })

  test('for a version writes over no other one', async () => {
    await using agent = await desk()
    const put = (title: string, headers: Readonly<Record<string, string>>) =>
      agent.post('/api/stores/active-alerts', alert(1, { title }), headers)
    expect(await put('a', { 'if-match': '"1"' })).toEqual({
      status: 412,
      body: problem('STORE_CONFLICT', 'the document stands at version 0, not 1'),
    })
    expect((await put('b', { 'if-none-match': '*' })).status).toBe(201)
    expect((await put('c', { 'if-none-match': '*' })).status).toBe(412)
    expect((await put('d', { 'if-match': '"1"' })).body).toMatchObject({ version: 2 })
    expect((await put('e', { 'if-match': '"1"' })).status).toBe(412)
    expect(await agent.request('/api/stores/active-alerts/api%3A1')).toMatchObject({
      body: { document: { version: 2, payload: { title: 'd' } } },
    })
  })

  test.each<[Readonly<Record<string, string>>, string]>([
    [{ 'if-match': '*' }, 'If-Match: must be a version'],
    [{ 'if-match': '"0"' }, 'If-Match: must be a version'],
    [{ 'if-none-match': '"1"' }, 'If-None-Match: must be *'],
    [{ 'if-match': '"1"', 'if-none-match': '*' }, 'send one of them'],
  ])('for the version %j is refused', async (headers, message) => {
    await using agent = await desk()
    expect(await agent.post('/api/stores/active-alerts', alert(1), headers)).toEqual({
      status: 400,
      body: problem('VALIDATION_ERROR', message),
    })
  })

  test.each([
    [alert(1, { severity: 'P9' }), 'severity: must be one of P1, P2, P3'],
    [{}, 'id: is missing; service: is missing'],
    [[alert(1)], 'body: '],
    ['no JSON', 'body: '],
  ])('%j is refused', async (body, message) => {
    await using agent = await desk()
    expect(await agent.post('/api/stores/active-alerts', body)).toEqual({
      status: 400,
      body: problem('VALIDATION_ERROR', message),
    })
  })

  test('takes JSON only, as a form of another page could not send it', async () => {
    await using agent = await desk()
    expect(
      await agent.post('/api/stores/active-alerts', alert(1), { 'content-type': 'text/plain' }),
    ).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA' } } })
  })
})

describe('DELETE /api/stores/:name/:key', () => {
  test('removes a document, and says where there was none', async () => {
    await using agent = await desk()
    await agent.post('/api/stores/active-alerts', alert(1))
    expect(await agent.request('/api/stores/active-alerts/api%3A1', { method: 'DELETE' })).toEqual({
      status: 200,
      body: { deleted: true, key: 'api:1' },
    })
    for (const key of ['api%3A1', 'a%00'])
      expect(
        (await agent.request(`/api/stores/active-alerts/${key}`, { method: 'DELETE' })).status,
      ).toBe(404)
  })

  test('with the same Idempotency-Key happens once', async () => {
    await using agent = await desk()
    await agent.post('/api/stores/active-alerts', alert(1))
    const sent = { method: 'DELETE', headers: { 'idempotency-key': 'k' } }
    for (const _ of [1, 2])
      expect((await agent.request('/api/stores/active-alerts/api%3A1', sent)).status).toBe(200)
    await agent.post('/api/stores/active-alerts', alert(2))
    expect((await agent.request('/api/stores/active-alerts/api%3A2', sent)).status).toBe(409)
  })

  test("of what is everybody's is refused", async () => {
    await using agent = await desk([{ ...ALERTS, shared: true, seed: [alert(1)] }])
    expect(
      await agent.request('/api/stores/active-alerts/api%3A1', { method: 'DELETE' }),
    ).toMatchObject({ status: 403, body: { error: { code: 'STORE_READ_ONLY' } } })
  })
})

test('other methods and paths are told apart', async () => {
  await using agent = await desk()
  expect(await agent.request('/api/stores/active-alerts', { method: 'DELETE' })).toMatchObject({
    status: 405,
    body: {
      error: { code: 'NOT_ALLOWED', message: expect.stringContaining('GET, POST are') as string },
    },
  })
  expect(await agent.request('/api/stores/active-alerts/a/b')).toMatchObject({ status: 404 })
})

describe('what no database keeps', () => {
  const plain = {
    name: 'plain',
    entity: {
      name: 'Plain',
      key: '{id}',
      schema: {
        id: { type: 'string' as const },
        more: {
          type: 'object' as const,
          fields: { text: { type: 'string' as const } },
          nullable: true,
        },
      },
    },
  }

  test.each(['{"id":"a\\u0000"}', '{"id":"a","more":{"text":"\\ud800"}}', '{"id":"\\udc00"}'])(
    '%s is refused, and said',
    async (body) => {
      await using agent = await desk([plain])
      expect(await agent.post('/api/stores/plain', body)).toMatchObject({
        status: 400,
        body: {
          error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('U+0000') as string },
        },
      })
      expect(await agent.call('store_plain', JSON.parse(body))).toContain('U+0000')
    },
  )

  test('as a key is not there, and as a filter is none', async () => {
    await using agent = await desk([plain])
    expect((await agent.request('/api/stores/plain/a%00')).status).toBe(404)
    expect(
      (await agent.request('/api/stores/plain?filter=%7B%22id%22%3A%22%5Cu0000%22%7D')).status,
    ).toBe(400)
    expect(await agent.call('query_store', { store: 'plain', key: 'a\0' })).toMatchObject({
      output: { found: false },
    })
  })

  test('is not the text that looks like it', async () => {
    await using agent = await desk([plain])
    expect(await agent.post('/api/stores/plain', { id: '\\u0000 \\ud800 😀' })).toMatchObject({
      status: 201,
    })
  })
})
