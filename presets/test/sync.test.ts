import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buildSchema, graphqlSync, type IntrospectionQuery } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { amodal, folder } from './support.ts'

const agent = {
  'amodal.json': { name: 'desk', models: { main: { provider: 'demo', model: 'demo' } } },
}

const DEAL = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, ssn: { type: 'string' }, owner: { type: 'string' } },
}
const ANSWER = {
  '200': {
    description: 'The deal',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Deal' } } },
  },
}
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const openApi = (paths: object, schemas: object = { Deal: DEAL }): object => ({
  openapi: '3.1.0',
  info: { title: 'CRM', version: '1' },
  paths,
  components: { schemas },
})

const BEFORE = openApi({
  '/deals/{id}': { get: { summary: 'One deal', parameters: [ID], responses: ANSWER } },
  '/old': { get: { responses: ANSWER } },
})
const { ssn: _, ...remaining } = DEAL.properties
const AFTER = openApi(
  {
    '/deals/{id}': {
      get: {
        summary: 'A deal by its id',
        parameters: [
          ID,
          { name: 'year', in: 'query', required: true, schema: { type: 'integer' } },
        ],
        responses: ANSWER,
      },
    },
    '/new': { get: { responses: ANSWER } },
  },
  { Deal: { ...DEAL, properties: remaining } },
)

/** A server of documents, each at its path. */
async function serve(documents: Record<string, string | object>): Promise<string> {
  const server = createServer((request, response) => {
    const document = documents[new URL(request.url ?? '/', 'http://server').pathname]
    if (document === undefined) response.writeHead(404).end()
    else response.end(typeof document === 'string' ? document : JSON.stringify(document, null, 2))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const crm = (origin: string, document?: string | object) => ({
  ...agent,
  'connections/crm/spec.json': { baseUrl: origin, specUrl: `${origin}/openapi.json` },
  'connections/crm/access.json': `{
  "endpoints": {
    "GET /deals/{deal}": { "returns": ["Deal"] },
    "POST /deals/{deal}": { "confirm": true }
  },
  "fieldRestrictions": [
    { "entity": "Deal", "field": "owner", "policy": "retrieve_but_redact" },
    { "entity": "Deal", "field": "ssn", "policy": "never_retrieve" }
  ]
}`,
  'tools/old_deals/tool.json': `{
  "description": "Old deals", "type": "http", "connection": "crm",
  "endpoint": "/old", "method": "GET", "parameters": { "type": "object", "properties": {} }
}`,
  'tools/other/tool.json': {
    description: 'Of another connection',
    type: 'http',
    connection: 'shop',
    endpoint: '/old',
    method: 'GET',
    parameters: { type: 'object', properties: {} },
  },
  'connections/shop/spec.json': { baseUrl: 'http://127.0.0.1:9' },
  'evals/deal.md':
    '# Eval: a deal\n\n## Query\n\n"Show deal 7"\n\n## Assertions\n\n- Calls GET /deals/7\n',
  ...(document !== undefined && { 'connections/crm/openapi.json': document }),
})

describe('pkg sync', () => {
  test('--check names what has changed, how, and which files name it', async () => {
    const documents: Record<string, string | object> = { '/openapi.json': BEFORE }
    const origin = await serve(documents)
    await using here = await folder(crm(origin, BEFORE))
    const check = ['pkg', 'sync', '--check', '--dir', here.dir]
    expect(await amodal(check)).toMatchObject({
      code: 0,
      out: expect.stringContaining('connections/crm/openapi.json is what the address has'),
    })
    documents['/openapi.json'] = AFTER
    const changed = await amodal(check)
    expect(changed.code).toBe(1)
    expect(changed.out).toMatch(/✗ GET \/deals\/\{id\}: added .*query parameter `year`/)
    expect(changed.out).toMatch(/✗ removed operation GET \/old/)
    expect(changed.out).toMatch(/✗ removed field Deal\.ssn/)
    expect(changed.out).toMatch(/\+ added operation GET \/new/)
    expect(changed.out.split('name what has changed:')[1]?.trim().split(/\n\s*/)).toEqual([
      'connections/crm/access.json:3  GET /deals/{id}',
      'evals/deal.md:9  GET /deals/{id}',
      'tools/old_deals/tool.json:3  GET /old',
      'connections/crm/access.json:8  Deal.ssn',
    ])
    expect(await readFile(join(here.dir, 'connections/crm/openapi.json'), 'utf8')).toBe(
      JSON.stringify(BEFORE, null, 2),
    )
  })

  test('--breaking lets through what is compatible, and texts alone are no drift', async () => {
    const documents: Record<string, string | object> = {
      '/openapi.json': openApi({
        '/deals/{id}': { get: { summary: 'One deal', parameters: [ID], responses: ANSWER } },
        '/old': { get: { responses: ANSWER } },
        '/new': { get: { responses: ANSWER } },
      }),
    }
    const origin = await serve(documents)
    await using here = await folder(crm(origin, BEFORE))
    const check = ['pkg', 'sync', '--check', '--dir', here.dir]
    expect((await amodal(check)).code).toBe(1)
    expect((await amodal([...check, '--breaking'])).code).toBe(0)
    documents['/openapi.json'] = openApi({
      '/deals/{id}': { get: { summary: 'In other words', parameters: [ID], responses: ANSWER } },
      '/old': { get: { responses: ANSWER } },
    })
    expect(await amodal(check)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 breaking, 0 compatible, 1 of texts alone'),
    })
  })

  test('writes the newer document, what is breaking only with a yes', async () => {
    const origin = await serve({ '/openapi.json': AFTER })
    await using here = await folder(crm(origin, BEFORE))
    const file = join(here.dir, 'connections/crm/openapi.json')
    const sync = ['pkg', 'sync', 'crm', '--dir', here.dir]
    expect(await amodal(sync)).toMatchObject({ code: 1, err: expect.stringMatching(/add --yes/) })
    expect(await readFile(file, 'utf8')).toBe(JSON.stringify(BEFORE, null, 2))
    expect((await amodal(sync, { interactive: true, lines: ['n'] })).code).toBe(1)
    expect(await amodal(sync, { interactive: true, lines: ['y'] })).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ connections/crm/openapi.json'),
    })
    expect(await readFile(file, 'utf8')).toBe(JSON.stringify(AFTER, null, 2))
    expect((await amodal(['pkg', 'sync', '--check', '--dir', here.dir])).code).toBe(0)
  })

  test('a connection without a document is no check; sync gives it one', async () => {
    const origin = await serve({ '/openapi.json': BEFORE })
    await using here = await folder(crm(origin))
    const check = ['pkg', 'sync', '--check', '--dir', here.dir]
    expect(await amodal(check)).toMatchObject({
      code: 1,
      out: expect.stringContaining('connections/crm/openapi.json is not there yet'),
    })
    expect((await amodal(['pkg', 'sync', '--dir', here.dir])).code).toBe(0)
    expect((await amodal(check)).code).toBe(0)
  })

  test('says what cannot be had, and writes nothing of it', async () => {
    const documents: Record<string, string | object> = {}
    const origin = await serve(documents)
    await using here = await folder(crm(origin, BEFORE))
    const sync = ['pkg', 'sync', '--yes', '--dir', here.dir]
    expect(await amodal(sync)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/crm: .*openapi\.json answered 404/),
    })
    documents['/openapi.json'] = '<html>Sign in</html>'
    expect(await amodal(sync)).toMatchObject({ code: 1, err: expect.stringMatching(/^crm: /) })
    expect(await amodal(['pkg', 'sync', 'cmr', '--dir', here.dir])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no HTTP connection "cmr"; there are crm, shop/),
    })
    expect(await readFile(join(here.dir, 'connections/crm/openapi.json'), 'utf8')).toBe(
      JSON.stringify(BEFORE, null, 2),
    )
  })

  test('--from writes a new connection, and the address of one that is there', async () => {
    const documents: Record<string, string | object> = { '/v2.yaml': BEFORE }
    const origin = await serve(documents)
    await using here = await folder(agent)
    const from = ['--from', `${origin}/v2.yaml`, '--dir', here.dir]
    expect(await amodal(['pkg', 'sync', 'deals', ...from])).toMatchObject({ code: 0, err: '' })
    const spec = join(here.dir, 'connections/deals/spec.json')
    expect(JSON.parse(await readFile(spec, 'utf8'))).toMatchObject({
      specUrl: `${origin}/v2.yaml`,
    })
    documents['/v3.json'] = AFTER
    const newer = ['--from', `${origin}/v3.json`, '--dir', here.dir]
    expect((await amodal(['pkg', 'sync', 'deals', '--check', ...newer])).code).toBe(1)
    expect((await amodal(['pkg', 'sync', 'deals', '--yes', ...newer])).code).toBe(0)
    expect(JSON.parse(await readFile(spec, 'utf8'))).toMatchObject({
      specUrl: `${origin}/v3.json`,
    })
    const document = join(here.dir, 'connections/deals/openapi.json')
    expect(JSON.parse(await readFile(document, 'utf8'))).toEqual(AFTER)
  })

  test('asks a GraphQL service for its schema, and compares fields', async () => {
    const schemas = [
      'type Query { deal(id: ID!): Deal } type Deal { id: ID! ssn: String }',
      'type Query { deal(id: ID!, year: Int!): Deal deals: [Deal!]! } type Deal { id: ID! }',
    ]
    const server = createServer((request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(405).end()
        return
      }
      void (async () => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const { query } = JSON.parse(Buffer.concat(chunks).toString()) as { query: string }
        const schema = buildSchema(schemas[0] ?? '')
        const { data } = graphqlSync({ schema, source: query })
        response.end(JSON.stringify({ data: data as unknown as IntrospectionQuery }))
      })()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/graphql`
    await using here = await folder(agent)
    const at = ['--dir', here.dir]
    expect(await amodal(['pkg', 'sync', 'shop', '--from', url, ...at])).toMatchObject({ code: 0 })
    const file = join(here.dir, 'connections/shop/schema.graphql')
    expect(await readFile(file, 'utf8')).toContain('type Deal')
    await writeFile(
      join(here.dir, 'connections/shop/access.json'),
      '{ "fieldRestrictions": [\n  { "entity": "Deal", "field": "ssn", "policy": "never_retrieve" }\n] }',
    )
    expect((await amodal(['pkg', 'sync', '--check', ...at])).code).toBe(0)
    schemas.shift()
    const changed = await amodal(['pkg', 'sync', '--check', ...at])
    expect(changed.code).toBe(1)
    expect(changed.out).toMatch(/✗ .*Deal\.ssn was removed/)
    expect(changed.out).toMatch(/✗ .*QUERY deal.*year/s)
    expect(changed.out).toMatch(/\+ added operation QUERY deals/)
    expect(changed.out).toContain('connections/shop/access.json:2  Deal.ssn')
  })
})
