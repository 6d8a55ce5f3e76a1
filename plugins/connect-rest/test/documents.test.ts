import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  defineBundle,
  silentLogger,
  type AgentBundle,
  type Connection,
  type Outbound,
  type RestSpec,
} from '@amodal/sdk'
import { apiDocumentsOf } from '@amodal/sdk/connections'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { findEndpointTools, searchEndpoints } from '../src/documents/find-endpoints.ts'
import { settings } from '../src/index.ts'
import { loadDocuments } from '../src/documents/load-documents.ts'
import { readDocument } from '../src/documents/read-document.ts'
import { largeDocument } from './large-document.ts'

const read = (document: unknown) => {
  const made = readDocument(typeof document === 'string' ? document : JSON.stringify(document))
  if (!made.ok) throw new Error(made.error)
  return made.value
}

describe('a document', () => {
  test('OpenAPI 3.0: parameters of path and operation, references, bodies', () => {
    const document = {
      openapi: '3.0.3',
      info: { title: 'CRM' },
      paths: {
        '/deals/{id}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'lang', in: 'query', schema: { type: 'string' } },
          ],
          get: {
            summary: 'Get a deal',
            tags: ['Deals'],
            deprecated: true,
            parameters: [
              { name: 'lang', in: 'query', schema: { type: 'string', enum: ['de', 'en'] } },
              { name: 'session', in: 'cookie' },
            ],
          },
          patch: {
            operationId: 'patchDeal',
            requestBody: { $ref: '#/components/requestBodies/Deal' },
          },
        },
      },
      components: {
        requestBodies: {
          Deal: {
            content: {
              'text/xml': {},
              'application/json': { schema: { $ref: '#/components/schemas/Deal' } },
            },
          },
        },
        schemas: {
          Deal: {
            allOf: [
              { $ref: '#/components/schemas/Base' },
              {
                type: 'object',
                required: ['amount'],
                properties: {
                  amount: { type: 'number' },
                  lines: { type: 'array', items: { $ref: '#/components/schemas/Deal' } },
                },
              },
            ],
          },
          Base: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              at: { type: 'string', format: 'date-time' },
              kind: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
            },
          },
        },
      },
    }
    expect(read(document)).toEqual({
      title: 'CRM',
      kind: 'OpenAPI 3.0',
      endpoints: [
        {
          method: 'GET',
          path: '/deals/{id}',
          summary: 'Get a deal',
          tags: ['Deals'],
          deprecated: true,
          parameters: [
            { name: 'id', in: 'path', type: 'integer', required: true },
            { name: 'lang', in: 'query', type: '"de" | "en"' },
          ],
        },
        {
          method: 'PATCH',
          path: '/deals/{id}',
          summary: 'patchDeal',
          tags: [],
          parameters: [
            { name: 'id', in: 'path', type: 'integer', required: true },
            { name: 'lang', in: 'query', type: 'string' },
          ],
          body: '{ amount: number, name?: string, at?: string (date-time), kind?: string | integer, lines?: Deal[] }',
          takes: [{ type: 'text/xml' }, { type: 'application/json' }],
        },
      ],
      schemas: { Deal: ['name', 'at', 'kind', 'amount', 'lines'], Base: ['name', 'at', 'kind'] },
    })
  })

  test('OpenAPI 3.1: a list of types, const, in YAML', () => {
    const document = {
      openapi: '3.1.0',
      paths: {
        '/a': {
          post: {
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: {
                      a: { type: ['string', 'null'] },
                      b: { const: 1 },
                      c: { type: 'object', additionalProperties: { type: 'boolean' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    }
    expect(read(stringify(document))).toMatchObject({
      kind: 'OpenAPI 3.1',
      endpoints: [
        { method: 'POST', path: '/a', body: '{ a?: string, b?: 1, c?: { [name]: boolean } }' },
      ],
    })
  })

  test('Swagger 2.0: body and form parameters', () => {
    const document = {
      swagger: '2.0',
      info: { title: 'Old' },
      definitions: { Pet: { properties: { name: { type: 'string' } } } },
      paths: {
        '/pets': {
          post: {
            summary: 'Add',
            parameters: [{ in: 'body', name: 'pet', schema: { $ref: '#/definitions/Pet' } }],
          },
          put: { parameters: [{ in: 'formData', name: 'photo', type: 'string', required: true }] },
        },
      },
    }
    expect(read(document)).toEqual({
      title: 'Old',
      kind: 'Swagger 2.0',
      endpoints: [
        {
          method: 'POST',
          path: '/pets',
          summary: 'Add',
          tags: [],
          parameters: [],
          body: '{ name?: string }',
        },
        {
          method: 'PUT',
          path: '/pets',
          summary: '',
          tags: [],
          parameters: [{ name: 'photo', in: 'form', type: 'string', required: true }],
          takes: [
            { type: 'application/x-www-form-urlencoded', fields: { photo: { kind: 'text' } } },
          ],
        },
      ],
      schemas: { Pet: ['name'] },
    })
  })

  test('GraphQL SDL', () => {
    const sdl =
      '"""Of deals"""\ntype Query { "All deals" deals(stage: Stage = OPEN, first: Int!): [Deal!] old: Int @deprecated(reason: "no") }\ntype Mutation { close(input: CloseInput!): Deal }\nenum Stage { OPEN WON }\ninput CloseInput { id: ID!, stage: Stage }\ntype Deal { id: ID }'
    expect(read(sdl)).toEqual({
      title: '',
      kind: 'GraphQL',
      endpoints: [
        {
          method: 'QUERY',
          path: 'deals',
          summary: 'All deals → [Deal!]',
          tags: [],
          gives: '[Deal!]',
          parameters: [
            { name: 'stage', in: 'argument', type: 'OPEN | WON' },
            { name: 'first', in: 'argument', type: 'Int!', required: true },
          ],
        },
        {
          method: 'QUERY',
          path: 'old',
          summary: '→ Int',
          tags: [],
          gives: 'Int',
          parameters: [],
          deprecated: true,
        },
        {
          method: 'MUTATION',
          path: 'close',
          summary: '→ Deal',
          tags: [],
          gives: 'Deal',
          parameters: [
            {
              name: 'input',
              in: 'argument',
              type: '{ id: ID!, stage: OPEN | WON }!',
              required: true,
            },
          ],
        },
      ],
      types: { Stage: 'OPEN | WON', CloseInput: '{ id: ID!, stage: Stage }', Deal: '{ id: ID }' },
    })
  })

  test.each([
    ['nothing', '', 'it holds no object'],
    ['broken JSON', '{"openapi":', 'it cannot be parsed'],
    ['another kind', '{"asyncapi":"3.0.0"}', 'it is no OpenAPI document'],
    ['a newer one', '{"openapi":"4.0.0"}', 'OpenAPI 4.0.0 is not supported'],
    ['SDL that is broken', 'type Query { a(', 'Syntax Error'],
  ])('%s is told', (_, text, why) => {
    expect(readDocument(text)).toMatchObject({ ok: false, error: expect.stringContaining(why) })
  })

  test('schemas that refer to themselves come to an end', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#/components/schemas/A' } } }
    const loop = {
      openapi: '3.0.0',
      paths: {
        '/a': {
          post: {
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
            },
          },
          put: { requestBody: { $ref: '#/components/requestBodies/B' } },
        },
      },
      components: {
        schemas: { A: schema },
        requestBodies: { B: { $ref: '#/components/requestBodies/B' } },
      },
    }
    expect(read(loop).endpoints).toMatchObject([{ body: '{ next?: A }' }, {}])
  })
})

const rest = (more: Partial<RestSpec> = {}): RestSpec => ({
  baseUrl: 'https://api.example.com',
  format: 'openapi',
  headers: {},
  filter: { tags: [], includePaths: [], excludePaths: [] },
  contextInjection: [],
  limits: { timeoutMs: 1_000, maxBytes: 1_000_000, tries: 1 },
  idempotent: false,
  ...more,
})
const connection = (spec: RestSpec): Connection & { readonly rest: RestSpec } => ({
  name: 'big',
  protocol: 'rest',
  spec: {},
  rest: spec,
  accessGiven: false,
  surface: '',
  entities: '',
  rules: '',
  file: 'connections/big/spec.json',
  access: {
    rules: [],
    fallback: { read: 'allow', write: 'confirm' },
    fieldRestrictions: [],
    rowScoping: [],
    delegations: { enabled: true, escalateConfirm: true },
    alternativeLookups: [],
  },
})

async function folder(files: Readonly<Record<string, string>>): Promise<AgentBundle> {
  const root = await mkdtemp(join(tmpdir(), 'amodal-documents-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return { ...defineBundle({ name: 'a' }), root }
}

const nobody: Outbound = {
  request: () => Promise.reject(new Error('nobody is asked')),
  fetch: () => () => Promise.reject(new Error('nobody is asked')),
}
const DEFAULTS = settings.parse({})
const load = (
  bundle: AgentBundle,
  spec: RestSpec,
  outbound = nobody,
  maxBytes = DEFAULTS.maxDocumentBytes,
) =>
  loadDocuments(bundle, [connection(spec)], {
    outbound,
    credentials: {
      resolve: (text) => ({ ok: true, value: text }),
      address: (text) => ({ ok: true, value: text }),
    },
    log: silentLogger,
    now: () => Date.now(),
    maxBytes,
    refreshMs: 3_600_000,
  })

describe('the document of a connection', () => {
  test(
    'of 1,500 operations loads in less than a second from its short form',
    { tags: 'speed' },
    async () => {
      const text = JSON.stringify(largeDocument(1_500))
      expect(text.length).toBeGreaterThan(2_500_000)
      const bundle = await folder({ 'connections/big/openapi.json': text })
      const loaded = await load(bundle, rest())
      expect(apiDocumentsOf(loaded)['big']?.endpoints).toHaveLength(1_500)
      expect(loaded.hash).not.toBe(bundle.hash)
      const begun = performance.now()
      const again = await load(bundle, rest())
      expect(performance.now() - begun).toBeLessThan(1_000)
      expect(again).toEqual(loaded)
      expect(await readdir(join(bundle.root ?? '', '.amodal/cache/api-documents'))).toHaveLength(1)
    },
  )

  test('is filtered by tag and by path', async () => {
    const bundle = await folder({
      'connections/big/openapi.json': JSON.stringify(largeDocument(100)),
    })
    const paths = async (filter: Partial<RestSpec['filter']>) => {
      const loaded = await load(
        bundle,
        rest({ filter: { tags: [], includePaths: [], excludePaths: [], ...filter } }),
      )
      return [...new Set(apiDocumentsOf(loaded)['big']?.endpoints.map(({ path }) => path))]
    }
    expect(await paths({ tags: ['invoices', 'refunds'] })).toEqual([
      '/v1/invoices',
      '/v1/invoices/{id}',
      '/v1/refunds',
      '/v1/refunds/{id}',
    ])
    expect(
      await paths({
        includePaths: ['/v1/invoices/**', '/v1/orders'],
        excludePaths: ['/v1/invoices/*'],
      }),
    ).toEqual(['/v1/invoices', '/v1/orders'])
  })

  test('of 25 MB is read in a thread of its own, while the process goes on', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [
        `/path${n}`,
        { get: { summary: `Gets ${n}`, description: 'Lorem ipsum. '.repeat(190) } },
      ]),
    )
    const text = JSON.stringify({ openapi: '3.0.0', paths })
    expect(text.length).toBeGreaterThan(24_000_000)
    let ticks = 0
    const ticking = setInterval(() => {
      ticks++
    }, 5)
    const loaded = await load(await folder({ 'connections/big/openapi.json': text }), rest())
    clearInterval(ticking)
    expect(apiDocumentsOf(loaded)['big']?.endpoints).toHaveLength(10_000)
    expect(ticks).toBeGreaterThan(3)
  })

  test('that is too long is told with its size and what to do', async () => {
    const bundle = await folder({
      'connections/big/openapi.json': JSON.stringify(largeDocument(100)),
    })
    expect(await load(bundle, rest(), nobody, 1_000)).toMatchObject({
      issues: [
        {
          file: 'connections/big/openapi.json',
          message: expect.stringMatching(/it has \d+ bytes, and no more than 1000 are read/),
          fix: expect.stringMatching(/maxDocumentBytes.*filter/),
        },
      ],
    })
  })

  test('that cannot be read is told, and the rest goes on', async () => {
    const bundle = await folder({ 'connections/big/openapi.yaml': 'swagger: [' })
    expect(await load(bundle, rest())).toMatchObject({
      parts: {},
      issues: [
        {
          severity: 'warning',
          file: 'connections/big/openapi.yaml',
          message: expect.stringContaining(
            'the API document of "big" is not used: it cannot be parsed',
          ),
        },
      ],
    })
  })

  test('is not read through a link that leads out of the folder', async () => {
    const outside = await folder({ 'openapi.json': JSON.stringify(largeDocument(5)) })
    const bundle = await folder({ 'connections/big/spec.json': '{}' })
    await symlink(
      join(outside.root ?? '', 'openapi.json'),
      join(bundle.root ?? '', 'connections/big/openapi.json'),
    )
    expect(await load(bundle, rest())).toMatchObject({
      parts: {},
      issues: [{ message: expect.stringContaining('leads out of the agent folder') }],
    })
  })

  test('is fetched once from its address, and then kept', async () => {
    const asked: string[] = []
    const bytes = Buffer.from(JSON.stringify(largeDocument(10)))
    const outbound: Outbound = {
      ...nobody,
      request: async ({ url }) => {
        asked.push(url)
        return {
          ok: true,
          value: { status: 200, headers: {}, body: bytes, text: () => bytes.toString() },
        }
      },
    }
    const bundle = await folder({ 'amodal.json': '{}' })
    const spec = rest({ specUrl: 'https://api.example.com/openapi.json?key=s3cret' })
    const loaded = await load(bundle, spec, outbound)
    expect(apiDocumentsOf(loaded)['big']).toMatchObject({
      from: 'https://api.example.com/openapi.json',
      endpoints: { length: 10 },
    })
    expect(await load(bundle, spec, outbound)).toEqual(loaded)
    expect(asked).toHaveLength(1)
  })
})

describe('find_endpoints', () => {
  const { endpoints } = read(largeDocument(1_500))
  test.each([
    ['create invoice', 'POST /v1/invoices'],
    ['list all customers', 'GET /v1/customers'],
    ['refund update', 'PATCH /v1/refunds/{id}'],
    ['delete a subscription', 'DELETE /v1/subscriptions/{id}'],
    ['/v1/orders/{id}', 'GET /v1/orders/{id}'],
    ['patch /v1/coupons/{id}', 'PATCH /v1/coupons/{id}'],
    ['getDispute', 'GET /v1/disputes/{id}'],
  ])('%s', (query, best) => {
    const [first] = searchEndpoints(endpoints, query)
    expect(`${first?.method} ${first?.path}`).toBe(best)
  })

  test('is there where there is a document, and gives few of many', async () => {
    expect(findEndpointTools(defineBundle({ name: 'a' }))).toEqual([])
    const bundle = await load(
      await folder({ 'connections/big/openapi.json': JSON.stringify(largeDocument(1_500)) }),
      rest(),
    )
    const [tool] = findEndpointTools(bundle)
    const result = await tool?.execute({ connection: 'big', query: 'create invoice' }, {} as never)
    expect(result).toMatchObject({
      status: 'success',
      output: {
        of: 1_500,
        endpoints: {
          length: 8,
          0: {
            endpoint: 'POST /v1/invoices',
            parameters: ['expand?: string[] (query) – What to include'],
            body: expect.stringMatching(/^\{ name: string, field_0\?: string/),
          },
        },
      },
    })
    expect(JSON.stringify(result).length).toBeLessThan(12_000)
  })
})
