import type { ApiDocument, BodyMedia, Json, JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../src/documents/read-document.ts'
import { payloadOf } from '../src/payload.ts'
import { actionOf } from '../src/tokens.ts'

const textOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString()
const sent = (body: Json, media?: BodyMedia): string => {
  const made = payloadOf(body, media)
  return made.ok ? `${made.value.contentType}\n${textOf(made.value.body)}` : `! ${made.error}`
}
const form = (body: Json, fields: BodyMedia['fields'] = {}): string => {
  const [type, text = ''] = sent(body, { type: 'application/x-www-form-urlencoded', fields }).split(
    '\n',
  )
  return type === 'application/x-www-form-urlencoded'
    ? decodeURIComponent(text.replaceAll('+', ' '))
    : (type ?? '')
}

describe('a form', () => {
  test.each<[string, Json, NonNullable<BodyMedia['fields']>, string]>([
    [
      'texts and numbers; null is left out',
      { a: 'x y', n: 5, on: true, none: null },
      {},
      'a=x y&n=5&on=true',
    ],
    [
      'objects and lists in brackets',
      { metadata: { order: 'A-1' }, items: [{ price: 'p', tax: ['t'] }] },
      {},
      'metadata[order]=A-1&items[0][price]=p&items[0][tax][0]=t',
    ],
    ['a list of texts as a name that comes again', { tags: ['a', 'b'] }, {}, 'tags=a&tags=b'],
    [
      'a list as the document says: deepObject',
      { expand: ['a', 'b'] },
      { expand: { style: 'deepObject' } },
      'expand[0]=a&expand[1]=b',
    ],
    ['a list as the document says: comma', { ids: [1, 2] }, { ids: { style: 'comma' } }, 'ids=1,2'],
    ['a list as the document says: pipe', { ids: [1, 2] }, { ids: { style: 'pipe' } }, 'ids=1|2'],
    [
      'an object as the document says: its own names',
      { color: { r: 1, g: 2 } },
      { color: { style: 'flat' } },
      'r=1&g=2',
    ],
    [
      'an object where the document says text',
      { blocks: [{ type: 'section' }] },
      { blocks: { kind: 'text' } },
      'blocks=[{"type":"section"}]',
    ],
    [
      'a field of JSON',
      { filter: { a: 1 } },
      { filter: { contentType: 'application/json' } },
      'filter={"a":1}',
    ],
    ['what was written by whoever passed it', 'a=1&b=2', {}, 'a=1&b=2'],
  ])('has %s', (_, body, fields, expected) => {
    expect(form(body, fields)).toBe(expected)
  })

  test('is an object', () => {
    expect(form([1])).toBe('! a form is an object: { "name": "value" }')
  })
})

describe('a multipart body', () => {
  const parts = async (body: Json, fields: BodyMedia['fields'] = {}) => {
    const made = payloadOf(body, { type: 'multipart/form-data', fields })
    if (!made.ok) return made.error
    const read = await new Response(made.value.body as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': made.value.contentType },
    }).formData()
    return Promise.all(
      [...read].map(async ([name, value]) =>
        typeof value === 'string'
          ? [name, value]
          : [
              name,
              value.name,
              value.type,
              Buffer.from(await value.arrayBuffer()).toString('latin1'),
            ],
      ),
    )
  }

  test('is read by a parser that is not ours, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    expect(
      await parts({
        file: {
          base64: Buffer.from(bytes).toString('base64'),
          filename: 'a "b".bin',
          content_type: 'image/png',
        },
        note: 'Grüße\r\n--x',
        n: 5,
      }),
    ).toEqual([
      ['file', 'a "b".bin', 'image/png', Buffer.from(bytes).toString('latin1')],
      ['note', 'Grüße\r\n--x'],
      ['n', '5'],
    ])
  })

  test('has files as text, as base64 alone where the document says file, and in lists', async () => {
    expect(
      await parts(
        {
          csv: { text: 'a,b', filename: 'x.csv' },
          photo: 'AAEC',
          all: [{ text: '1' }, { text: '2' }],
        },
        { photo: { kind: 'file', contentType: 'image/jpeg' }, all: { kind: 'file' } },
      ),
    ).toEqual([
      ['csv', 'x.csv', 'text/plain; charset=utf-8', 'a,b'],
      ['photo', 'photo', 'image/jpeg', '\u0000\u0001\u0002'],
      ['all', 'all', 'text/plain; charset=utf-8', '1'],
      ['all', 'all', 'text/plain; charset=utf-8', '2'],
    ])
  })

  test('has objects as JSON, in a part that says so', () => {
    const made = payloadOf({ meta: { text: 'a' } }, { type: 'multipart/form-data' })
    expect(made.ok && textOf(made.value.body)).toContain(
      'name="meta"\r\nContent-Type: application/json\r\n\r\n{"text":"a"}\r\n',
    )
  })

  test('is the same bytes for the same parts', () => {
    expect(sent({ a: 'x' }, { type: 'multipart/form-data' })).toBe(
      sent({ a: 'x' }, { type: 'multipart/form-data' }),
    )
  })

  test.each<[Json, string]>([
    [{ file: 'no base64!' }, '`file` takes a file'],
    [{ file: { base64: '###' } }, 'no base64'],
    [{ file: { text: 'a', filename: '../x' } }, '`filename` is a name'],
    [{ file: { text: 'a', content_type: 'a\r\nb' } }, '`content_type` is a media type'],
    ['text', 'a multipart body is an object'],
  ])('cannot be %j', async (body, why) => {
    expect(await parts(body, { file: { kind: 'file' } })).toContain(why)
  })
})

test.each<[string, Json, string, string]>([
  ['text', 'Grüße', 'text/plain', 'text/plain; charset=utf-8\nGrüße'],
  ['XML', '<a/>', 'application/xml', 'application/xml\n<a/>'],
  [
    'XML as an object',
    { a: 1 },
    'text/xml',
    '! a body of text/xml is one text: write `data` as a text',
  ],
  ['bytes', Buffer.from('%PDF').toString('base64'), 'application/pdf', 'application/pdf\n%PDF'],
  [
    'bytes that are text',
    { text: 'a,b' },
    'application/octet-stream',
    'application/octet-stream\na,b',
  ],
  [
    'an image of any kind',
    { base64: 'AAEC', content_type: 'image/png' },
    'image/*',
    'image/png\n\u0000\u0001\u0002',
  ],
  [
    'no bytes',
    { a: 1 },
    'application/zip',
    '! a body of application/zip is bytes: write `data` as base64, or as { "text": "…" }',
  ],
  [
    'a kind of JSON',
    [{ op: 'add' }],
    'application/json-patch+json',
    'application/json-patch+json\n[{"op":"add"}]',
  ],
  ['a text where JSON is meant', 'plain', 'application/json', 'application/json\n"plain"'],
])('%s', (_, body, type, expected) => {
  expect(sent(body, { type })).toBe(expected)
})

const document = (paths: JsonObject, more: JsonObject = {}): ApiDocument => {
  const read = readDocument(JSON.stringify({ openapi: '3.0.0', paths, ...more }))
  if (!read.ok) throw new Error(read.error)
  return { ...read.value, from: 'test' }
}
const takes = (...types: readonly string[]): JsonObject => ({
  post: {
    requestBody: {
      content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }])),
    },
  },
})

describe('the operation of the document decides', () => {
  const paths = document(
    {
      '/form': takes('application/x-www-form-urlencoded'),
      '/both': takes('multipart/form-data', 'application/json'),
      '/xml': takes('application/xml'),
      '/image/{id}.png': takes('image/png'),
      '/image/new.png': takes('application/json'),
      '/charges': {
        post: {
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                encoding: { expand: { style: 'deepObject', explode: true } },
                schema: {
                  properties: {
                    expand: { type: 'array', items: { type: 'string' } },
                    other: { type: 'integer' },
                  },
                },
              },
            },
          },
        },
      },
    },
    { servers: [{ url: 'https://api.example.com/v1' }] },
  )
  const media = (
    endpoint: string,
    data: Json,
    headers: JsonObject = {},
    baseUrl = 'https://api.example.com/v1',
  ) => {
    const action = actionOf(
      { name: 'crm', baseUrl, document: paths },
      { method: 'POST', endpoint, data, headers },
    )
    return action.ok ? action.value.media : action.error
  }

  test('in which type the body is written, and how its fields', () => {
    expect(media('/form', { a: 1 })).toEqual({ type: 'application/x-www-form-urlencoded' })
    expect(media('/charges', { expand: ['x'], other: 1 })).toEqual({
      type: 'application/x-www-form-urlencoded',
      fields: { expand: { style: 'deepObject' } },
    })
    expect(media('/both', { a: 1 })).toEqual({ type: 'application/json' })
    expect(media('/both', { a: { base64: 'AAEC', filename: 'a.png' } })).toEqual({
      type: 'multipart/form-data',
    })
    expect(media('/xml', '<a/>')).toEqual({ type: 'application/xml' })
    expect(media('/image/7.png', 'AAEC')).toEqual({ type: 'image/png' })
    expect(media('/image/new.png', { a: 1 })).toBeUndefined()
    expect(media('/unknown', { a: 1 })).toBeUndefined()
  })

  test('also where the address of the connection is another part of the path', () => {
    expect(media('/v1/form', { a: 1 }, {}, 'https://api.example.com')).toEqual({
      type: 'application/x-www-form-urlencoded',
    })
  })

  test('whatever the caller says; of several the caller chooses', () => {
    expect(media('/both', { a: 1 }, { 'content-type': 'multipart/form-data' })).toEqual({
      type: 'multipart/form-data',
    })
    expect(media('/form', { a: 1 }, { 'Content-Type': 'application/json' })).toBe(
      'POST /form takes application/x-www-form-urlencoded, and not application/json: leave the header content-type out',
    )
    expect(
      media('/unknown', { a: 1 }, { 'content-type': 'application/x-www-form-urlencoded' }),
    ).toEqual({ type: 'application/x-www-form-urlencoded' })
  })

  test('what cannot be written is said before anybody is asked', () => {
    expect(media('/xml', { a: 1 })).toContain('cannot be sent as application/xml')
  })
})

describe('operations that share a path', () => {
  const parameter = (name: string, value: string, place = 'query'): JsonObject => ({
    name,
    in: place,
    required: true,
    schema: { type: 'string', enum: [value] },
  })
  const shared = document({
    '/#Action=Copy': {
      post: {
        parameters: [parameter('Action', 'Copy')],
        requestBody: { content: { 'text/xml': {} } },
      },
    },
    '/#Action=Drop': { post: { parameters: [parameter('Action', 'Drop')] } },
    '/{bucket}#acl': {
      get: { parameters: [parameter('acl', 'true'), parameter('X-Target', 'Acl', 'header')] },
    },
  })
  const action = (method: string, endpoint: string, more: JsonObject = {}) =>
    actionOf(
      { name: 'aws', baseUrl: 'https://api.example.com', document: shared },
      { method, endpoint, ...more },
    )

  test('are told apart by what stands behind #, which is not sent; what makes them that operation is', () => {
    expect(action('POST', '/#Action=Copy', { data: '<a/>' })).toMatchObject({
      ok: true,
      value: { path: '/', query: { Action: ['Copy'] }, media: { type: 'text/xml' } },
    })
    expect(action('GET', '/photos#acl', { params: { max: 5 } })).toMatchObject({
      ok: true,
      value: {
        path: '/photos',
        query: { acl: ['true'], max: ['5'] },
        headers: { 'x-target': 'Acl' },
      },
    })
    expect(action('POST', '/', { params: { Action: 'Copy' }, data: '<a/>' })).toMatchObject({
      ok: true,
      value: { media: { type: 'text/xml' } },
    })
  })

  test('anywhere else # is a letter of the path', () => {
    expect(action('GET', '/channels/#general')).toMatchObject({
      ok: true,
      value: { path: '/channels/%23general' },
    })
    expect(action('GET', '/photos#other')).toMatchObject({
      ok: true,
      value: { path: '/photos%23other', query: {} },
    })
  })
})
