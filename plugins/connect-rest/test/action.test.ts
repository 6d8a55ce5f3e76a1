import type { Json, JsonObject } from '@amodal/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { actionOf, httpMethodOf, readOperations, type ActionConnection } from '../src/tokens.ts'

const crm: ActionConnection = {
  name: 'crm',
  baseUrl: 'https://api.example.com/v1',
  auth: { kind: 'header', header: 'X-Api-Key', prefix: '', value: 'env:KEY' },
  headers: { 'X-Fixed': 'a' },
  contextInjection: [
    { value: 'userId', in: 'query', field: 'user_id', required: true },
    { value: 'tenant', in: 'header', field: 'X-Tenant', required: true },
  ],
}
const act = (args: JsonObject, connection = crm) => actionOf(connection, args)

describe('an action', () => {
  test('says all that is sent, and nothing that the caller says of itself', () => {
    expect(
      act({
        method: 'post',
        endpoint: '/deals?a=1&a=2',
        params: { limit: 5, none: null, filter: { stage: 'won' } },
        data: { x: 1 },
        headers: { Accept: 'text/csv' },
        intent: 'read',
      }),
    ).toEqual({
      ok: true,
      value: {
        connection: 'crm',
        protocol: 'rest',
        method: 'POST',
        path: '/v1/deals',
        base: '/v1',
        origin: 'https://api.example.com',
        query: { a: ['1', '2'], limit: ['5'], 'filter[stage]': ['won'] },
        headers: { accept: 'text/csv' },
        body: { x: 1 },
        effect: 'write',
      },
    })
    expect(act({ endpoint: '/deals', intent: 'confirmed_write' })).toMatchObject({
      ok: true,
      value: { method: 'GET', effect: 'read' },
    })
    expect(act({ endpoint: '/deals', data: { a: 1 } })).toMatchObject({
      ok: true,
      value: { method: 'GET', effect: 'write' },
    })
  })

  test('has no parameters that the connection fills', () => {
    expect(
      act({ endpoint: '/deals?user_id=1&User_Id=2&user_id%5B%5D=3&x=4', params: { user_id: 5 } }),
    ).toMatchObject({ ok: true, value: { query: { x: ['4'] } } })
    expect(
      act(
        { endpoint: '/deals?KEY=1&x=2' },
        { ...crm, auth: { kind: 'query', param: 'key', value: 'env:KEY' } },
      ),
    ).toMatchObject({ ok: true, value: { query: { x: ['2'] } } })
  })

  test.each<[JsonObject]>([
    [{ headers: { authorization: 'x' } }],
    [{ headers: { 'x-api-KEY': 'x' } }],
    [{ headers: { 'x-fixed': 'x' } }],
    [{ headers: { 'X-TENANT': 'x' } }],
    [{ headers: { host: 'x' } }],
    [{ headers: { 'X-Forwarded-Host': 'x' } }],
    [{ headers: { 'x-a': 'a\nb' } }],
    [{ headers: { 'a b': 'x' } }],
    [{ headers: { 'X-A': '1', 'x-a': '2' } }],
    [{ headers: { 'x-http-method-override': 'DELETE' } }],
    [{ endpoint: '/x?_method=PUT' }],
    [{ params: { _METHOD: 'PUT' } }],
    [{ method: 'POST', data: { _method: 'DELETE' } }],
    [{ method: 'POST', data: '{"_method":"DELETE","_method":"POST"}' }],
    [{ method: 'POST', data: 'a=1&%5Fmethod=DELETE' }],
    [{ method: 'TRACE' }],
    [{ method: 'GET ' }],
    [{ params: 5 }],
    [{ params: ['a'] }],
    [{ params: { a: [{}] } }],
    [{ endpoint: '/x?a=%zz' }],
    [{ params: { a: '\0' } }],
    [{ params: { 'a\n': '1' } }],
    [{ endpoint: 5 }],
  ])('is refused: %j', (args) => {
    expect(act({ endpoint: '/deals', ...args })).toMatchObject({ ok: false })
  })

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.record({
          method: fc.oneof(fc.constantFrom('GET', 'POST'), fc.jsonValue()),
          endpoint: fc.oneof(fc.string(), fc.webPath(), fc.jsonValue()),
          params: fc.jsonValue(),
          data: fc.jsonValue(),
          headers: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.constant({})),
        }),
        (args) => {
          const made = act(args as JsonObject) // JSON by construction
          expect(typeof made.ok).toBe('boolean')
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

describe('GraphQL', () => {
  const graph = (data: Json, more: JsonObject = {}) =>
    act({ method: 'POST', endpoint: '/graphql', data, ...more })
  test.each<[string, Json, string]>([
    ['a query', { query: '{ deals { id } }' }, 'QUERY'],
    ['a mutation', { query: 'mutation { close(id: 1) { id } }' }, 'MUTATION'],
    ['a subscription', { query: 'subscription { x }' }, 'MUTATION'],
    ['what cannot be read', { query: 'query {' }, 'MUTATION'],
    ['a hash', { extensions: {} }, 'MUTATION'],
    ['a batch', [{ query: '{ a }' }, { query: 'mutation { b }' }], 'MUTATION'],
    [
      'a chosen one of two',
      { query: 'query A { a } mutation B { b }', operationName: 'A' },
      'QUERY',
    ],
    ['any of two', { query: 'query A { a } mutation B { b }' }, 'MUTATION'],
    ['JSON text', '{"query":"{ a }"}', 'QUERY'],
    ['JSON text with a name twice', '{"query":"mutation { b }","query":"{ a }"}', 'MUTATION'],
    ['a document', 'query { a }', 'QUERY'],
  ])('%s', (_, data, method) => {
    expect(graph(data)).toMatchObject({
      ok: true,
      value: { method, effect: method === 'QUERY' ? 'read' : 'write' },
    })
  })

  test('is posted, or stands in the address', () => {
    const posted = graph({ query: '{ a }' })
    const asked = act({ endpoint: '/graphql?query=%7Ba%7D' })
    expect(
      [posted, asked].map((made) =>
        made.ok ? [made.value.method, httpMethodOf(made.value)] : made,
      ),
    ).toEqual([
      ['QUERY', 'POST'],
      ['QUERY', 'GET'],
    ])
    expect(act({ method: 'POST', endpoint: '/graphql?query={a}' })).toMatchObject({ ok: false })
    expect(
      act(
        { method: 'POST', endpoint: '/', data: { query: '{ a }' } },
        { ...crm, format: 'graphql' },
      ),
    ).toMatchObject({ ok: true, value: { method: 'QUERY', path: '/v1' } })
    expect(act({ method: 'POST', endpoint: '/queries', data: { query: '{ a }' } })).toMatchObject({
      ok: true,
      value: { method: 'POST' },
    })
  })

  test('root fields by their own names, fragments spread', () => {
    expect(
      readOperations({
        query:
          'mutation X { a: close { id } ...F } fragment F on Mutation { open { id } ... on Mutation { drop } }',
      }),
    ).toMatchObject([{ kind: 'mutation', fields: ['close', 'open', 'drop'] }])
    expect(readOperations({ query: '{ ...A } fragment A on Query { ...A }' })).toMatchObject([
      { kind: 'mutation', fields: [] },
    ])
    expect(readOperations({ query: `{ ${'a '.repeat(20_000)} }` })).toMatchObject([
      { kind: 'mutation', fields: [] },
    ])
    expect(readOperations(`{ ${'a { '.repeat(9_000)}`)).toMatchObject([
      { kind: 'mutation', fields: [] },
    ])
  })
})
