import { describe, expect, test } from 'vitest'
import { unwrap } from '@amodal/sdk'
import { readDocument } from '../src/documents/read-document.ts'
import { filesIn, lineOf } from '../src/documents/references.ts'
import { servedElsewhere } from '../src/documents/servers.ts'

const messageOf = (error: string): string => error
const read = (text: string, files?: Readonly<Record<string, string>>) =>
  unwrap(readDocument(text, files), messageOf)

const ROOT = `openapi: 3.1.0
info: { title: CRM }
paths:
  /deals:
    $ref: 'paths/deals.yaml'
  /people:
    get:
      parameters:
        - $ref: ./common.yaml#/parameters/Limit
`
const FILES = {
  'paths/deals.yaml': `get:
  summary: List deals
  parameters:
    - $ref: '../common.yaml#/parameters/Limit'
post:
  requestBody:
    content:
      application/json:
        schema: { $ref: 'schemas/deal.json' }
`,
  'paths/schemas/deal.json':
    '{"type":"object","properties":{"owner":{"$ref":"#/definitions/Owner"}},"definitions":{"Owner":{"type":"string"}}}',
  'common.yaml': `parameters:
  Limit: { name: limit, in: query, schema: { type: integer } }
`,
}

test('a document of several files is read as one', () => {
  expect(filesIn(ROOT)).toEqual(['paths/deals.yaml', 'common.yaml'])
  expect(filesIn(FILES['paths/deals.yaml'], 'paths/deals.yaml')).toEqual([
    'common.yaml',
    'paths/schemas/deal.json',
  ])
  const { endpoints, missing } = read(ROOT, FILES)
  expect(missing).toBeUndefined()
  expect(endpoints).toMatchObject([
    { method: 'GET', path: '/deals', summary: 'List deals', parameters: [{ name: 'limit' }] },
    { method: 'POST', path: '/deals', body: expect.stringContaining('owner') },
    { method: 'GET', path: '/people', parameters: [{ name: 'limit', type: 'integer' }] },
  ])
})

test('what leads nowhere is named, and the rest is read', () => {
  const { endpoints, missing } = read(ROOT, { 'paths/deals.yaml': FILES['paths/deals.yaml'] })
  expect(endpoints).toHaveLength(3)
  expect(missing).toEqual(['common.yaml#/parameters/Limit', 'paths/schemas/deal.json#'])
  expect(lineOf(ROOT, 'common.yaml#/parameters/Limit')).toBe(9)
})

test('merge keys of YAML count', () => {
  const { endpoints } = read(`openapi: 3.0.3
info: { title: CRM }
x-common: &common
  summary: Shared text
  parameters: [{ name: limit, in: query, schema: { type: integer } }]
paths:
  /deals:
    get:
      <<: *common
`)
  expect(endpoints).toMatchObject([{ summary: 'Shared text', parameters: [{ name: 'limit' }] }])
})

test('OpenAPI 3.2 is read as far as it is 3.1', () => {
  expect(read('{"openapi":"3.2.0","info":{"title":"x"},"paths":{"/a":{"get":{}}}}')).toMatchObject({
    kind: 'OpenAPI 3.2',
    endpoints: [{ method: 'GET', path: '/a' }],
  })
})

describe('servers of an operation', () => {
  const endpoint = (servers: unknown, item: object = {}) =>
    read(
      JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: 'https://api.example.com/v1' }],
        paths: { '/files': { ...item, post: { servers } } },
      }),
    ).endpoints[0]
  const base = new URL('https://api.example.com/v1')

  test.each([
    [[{ url: 'https://upload.example.com' }], 'https://upload.example.com/'],
    [
      [{ url: 'https://{area}.example.com/v2', variables: { area: { default: 'eu' } } }],
      'https://eu.example.com/v2',
    ],
    [[{ url: '/v2' }], 'https://api.example.com/v2'],
    [[{ url: 'https://api.example.com/v1/' }], undefined],
    [[{ url: 'https://upload.example.com' }, { url: '/v1' }], undefined],
    [[], undefined],
  ])('%j: %s', (servers, expected) => {
    const found = endpoint(servers)
    expect(found && servedElsewhere(found, base)).toBe(expected)
  })

  test('of its path, where it has none of its own', () => {
    const found = endpoint(undefined, { servers: [{ url: 'https://upload.example.com' }] })
    expect(found && servedElsewhere(found, base)).toBe('https://upload.example.com/')
  })
})
