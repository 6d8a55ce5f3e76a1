import type { JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door } from '../support/door.ts'
import { calls, told } from '../support/told-script.ts'

const content = (
  type: string,
  schema: JsonObject = { type: 'object' },
  more: JsonObject = {},
): JsonObject => ({ requestBody: { content: { [type]: { schema, ...more } } } })
const DOCUMENT = {
  openapi: '3.0.0',
  info: { title: 'Pay' },
  paths: {
    '/charges': {
      post: content(
        'application/x-www-form-urlencoded',
        { properties: { expand: { type: 'array', items: { type: 'string' } } } },
        { encoding: { expand: { style: 'deepObject', explode: true } } },
      ),
    },
    '/files': {
      post: content('multipart/form-data', {
        properties: { file: { type: 'string', format: 'binary' } },
      }),
    },
    '/feed': { post: content('application/xml', { type: 'string' }) },
    '/raw': { put: content('application/octet-stream', { type: 'string', format: 'binary' }) },
    '/plain': { post: content('text/plain', { type: 'string' }) },
    '/#Action=Copy': {
      post: {
        parameters: [{ name: 'Action', in: 'query', required: true, schema: { enum: ['Copy'] } }],
        ...content('text/xml'),
      },
    },
  },
}
const OPEN = { default: { read: 'allow', write: 'allow' } }
const open = (api: ApiServer, access: JsonObject = OPEN): Promise<Door> =>
  openDoor({
    files: {
      'connections/pay/spec.json': { baseUrl: api.url, format: 'openapi' },
      'connections/pay/access.json': access,
      'connections/pay/openapi.json': DOCUMENT,
    },
    script: told,
  })
const post = (endpoint: string, data: JsonObject[string], more: JsonObject = {}): string =>
  calls({ connection: 'pay', method: 'POST', endpoint, data, ...more })
const answering = (): Promise<ApiServer> => startApi(() => ({ body: { ok: true } }))

describe('a body is written as the API document says', () => {
  test('forms, multipart, XML, text and bytes arrive as what they are', async () => {
    await using api = await answering()
    await using door = await open(api)
    await door.say(
      post('/charges', { amount: 500, metadata: { order: 'A-1' }, expand: ['customer'] }),
    )
    await door.say(
      post('/files', {
        purpose: 'dispute',
        file: {
          base64: Buffer.from('%PDF-1').toString('base64'),
          filename: 'a.pdf',
          content_type: 'application/pdf',
        },
      }),
    )
    await door.say(post('/feed', '<order id="1"/>'))
    await door.say(post('/raw', Buffer.from('raw bytes').toString('base64'), { method: 'PUT' }))
    await door.say(post('/plain', 'just words'))
    await door.say(post('/#Action=Copy', '<a/>'))
    const [form, files, ...others] = api.came
    expect(form?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(form?.body)]).toEqual([
      ['amount', '500'],
      ['metadata[order]', 'A-1'],
      ['expand[0]', 'customer'],
    ])
    const read = await new Response(files?.body ?? '', {
      headers: { 'content-type': files?.headers['content-type'] ?? '' },
    }).formData()
    const file = read.get('file')
    expect([
      read.get('purpose'),
      file instanceof File && [file.name, file.type, await file.text()],
    ]).toEqual(['dispute', ['a.pdf', 'application/pdf', '%PDF-1']])
    expect(others.map(({ url, headers, body }) => [url, headers['content-type'], body])).toEqual([
      ['/feed', 'application/xml', '<order id="1"/>'],
      ['/raw', 'application/octet-stream', 'raw bytes'],
      ['/plain', 'text/plain; charset=utf-8', 'just words'],
      ['/?Action=Copy', 'text/xml; charset=utf-8', '<a/>'],
    ])
  })

  test('what is approved is what is sent, and it is said how', async () => {
    await using api = await answering()
    await using door = await open(api, { endpoints: { 'POST /charges': { confirm: true } } })
    const asked = await door.say(post('/charges', { amount: 500, metadata: { order: 'A-1' } }))
    expect(asked).toMatchObject({
      status: 202,
      body: {
        pending_input: [
          {
            pending_input_context: {
              content_type: 'application/x-www-form-urlencoded',
              params: { data: { amount: 500, metadata: { order: 'A-1' } } },
            },
          },
        ],
      },
    })
    expect(api.came).toEqual([])
    const [ask] = asked.body['pending_input'] as readonly JsonObject[] // as it was matched
    await door.answer({
      session_id: asked.body['session_id'] ?? '',
      id: ask?.['pending_input_id'] ?? ask?.['id'] ?? '',
      approved: true,
    })
    await expect
      .poll(() => api.came.map(({ body }) => decodeURIComponent(body)), { timeout: 20_000 })
      .toEqual(['amount=500&metadata[order]=A-1'])
  })

  test('a threshold sees the fields of a form however they are nested, and bytes as what they hold', async () => {
    await using api = await answering()
    const limit = {
      confirm: false,
      thresholds: [{ field: 'body.items[].qty', above: 10, escalate: 'never' }],
    }
    await using door = await open(api, {
      endpoints: { 'POST /charges': limit, 'POST /other': limit },
    })
    const bytes = Buffer.from('{"items":[{"qty":99}]}').toString('base64')
    for (const message of [
      post('/charges', { items: [{ qty: 99 }] }),
      post('/charges', { 'items[0][qty]': 99 }),
      post(
        '/other',
        { 'items[0][qty]': 99 },
        { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ),
      post('/other', bytes, { headers: { 'content-type': 'application/octet-stream' } }),
      post(
        '/other',
        { items: [{ qty: 99 }] },
        { headers: { 'content-type': 'multipart/form-data' } },
      ),
    ])
      expect(JSON.stringify((await door.say(message)).body), message).toContain('is above 10')
    expect(api.came).toEqual([])
    await door.say(post('/charges', { items: [{ qty: 9 }] }))
    expect(api.lines).toEqual(['POST /charges'])
  })

  test('what cannot be written is said, and nothing is sent', async () => {
    await using api = await answering()
    await using door = await open(api)
    expect(JSON.stringify((await door.say(post('/feed', { a: 1 }))).body)).toContain(
      'cannot be sent as application/xml',
    )
    expect(
      JSON.stringify(
        (
          await door.say(
            post('/charges', { a: 1 }, { headers: { 'content-type': 'application/json' } }),
          )
        ).body,
      ),
    ).toContain('takes application/x-www-form-urlencoded')
    expect(api.came).toEqual([])
  })
})
