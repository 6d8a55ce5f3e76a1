import type { JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door, type Heard } from '../support/door.ts'
import { calls, told } from '../support/told-script.ts'

const operation = (tag: string, summary: string): JsonObject => ({ tags: [tag], summary })
const DOCUMENT = {
  openapi: '3.0.0',
  info: { title: 'Crm' },
  paths: {
    '/deals': {
      get: operation('public', 'List deals'),
      post: operation('public', 'Create a deal'),
    },
    '/deals/{id}': { get: operation('public', 'One deal') },
    '/deals/export': { get: operation('internal', 'Export deals') },
    '/internal/keys': { get: operation('internal', 'Keys of deals') },
  },
}
const SURFACE =
  '# The CRM\n\n### GET /deals\nLists deals.\n\n### GET /internal/keys\nGives the keys of the house.\n\n- `GET /deals/export` gives all at once\n'
const TOOL = {
  description: 'Looks.',
  type: 'http',
  connection: 'crm',
  endpoint: '/internal/keys',
  method: 'GET',
  parameters: { type: 'object', properties: {} },
}
const CHAIN = {
  description: 'Looks at both.',
  type: 'chain',
  steps: [
    { name: 'fine', connection: 'crm', endpoint: '/deals' },
    { name: 'keys', connection: 'crm', endpoint: '/internal/keys' },
  ],
  parameters: { type: 'object', properties: {} },
}
const HANDLER =
  'export default async (_params, ctx) => ({ got: await ctx.request("crm", "/internal/keys") })'

const open = (
  api: ApiServer,
  {
    filter,
    access = { default: 'allow' },
    document = DOCUMENT,
    script = told,
  }: {
    filter?: JsonObject
    access?: JsonObject
    document?: JsonObject | undefined
    script?: Parameters<typeof openDoor>[0]['script']
  },
): Promise<Door> =>
  openDoor({
    files: {
      'connections/crm/spec.json': {
        baseUrl: `${api.url}/v1`,
        format: 'openapi',
        ...(filter && { filter }),
      },
      'connections/crm/access.json': access,
      'connections/crm/surface.md': SURFACE,
      'connections/crm/openapi.json': document,
      'tools/look/tool.json': TOOL,
      'tools/look_at_both/tool.json': CHAIN,
      'tools/look_in/tool.json': {
        description: 'Looks in.',
        parameters: { type: 'object', properties: {} },
      },
      'tools/look_in/handler.ts': HANDLER,
    },
    script,
  })
const answering = (): Promise<ApiServer> => startApi(({ url }) => ({ body: { from: url } }))
const request = (endpoint: string, more: JsonObject = {}): string =>
  calls({ connection: 'crm', endpoint, ...more })
const callOf = (name: string, args: JsonObject = {}): string =>
  JSON.stringify([{ name, arguments: args }])
const outcome = ({ body }: Heard): string => JSON.stringify(body['tool_calls'])

const EXCLUDED = { filter: { exclude_paths: ['/internal/**', '/deals/export'] } }
const TAGGED = { filter: { tags: ['public'] } }
const INCLUDED = {
  filter: { include_paths: ['/v1/deals', '/deals/{id}'], exclude_paths: ['/deals/export'] },
}
const HIDDEN = {
  access: {
    default: 'allow',
    endpoints: {
      '* /internal/**': { confirm: 'hidden' },
      'GET /deals/export': { policy: 'hidden' },
    },
  },
}

describe.each([
  ['excluded by its path', EXCLUDED],
  ['not among the tags', TAGGED],
  ['not among the paths', INCLUDED],
  ['hidden by a rule', HIDDEN],
])('what is %s', (_, spec) => {
  test('is neither shown nor called, by any way', async () => {
    await using api = await answering()
    await using door = await open(api, spec)
    for (const message of [
      request('/internal/keys'),
      request('/v1/internal/keys'),
      request('/%69nternal/keys'),
      request('//internal//keys/'),
      request('/deals/../internal/keys'),
      request('/deals/export'),
      request('/deals/%65xport?x=1'),
      callOf('look'),
      callOf('look_in'),
    ])
      expect(outcome(await door.say(message)), message).toContain('"error"')
    expect(outcome(await door.say(callOf('look_at_both')))).toContain('"error"')
    expect(api.lines.filter((line) => /internal|export/.test(line))).toEqual([])
    for (const message of [request('/deals'), request('/deals/7')])
      expect(outcome(await door.say(message)), message).toContain('"status":"success"')
    expect(
      outcome(await door.say(callOf('find_endpoints', { connection: 'crm', query: 'deals' }))),
    ).not.toMatch(/internal|export/i)
    const prompt = JSON.stringify(door.model.requests[0]?.body.messages[0])
    expect(prompt).toContain('Lists deals.')
    expect(prompt).not.toMatch(/keys of the house|GET \/deals\/export|internal \(/)
    expect((await door.get('/inspect/connections/crm')).body).toMatchObject({
      surface: { length: 3 },
    })
  })
})

test('tags say nothing where the document is not there: nothing is let through', async () => {
  await using api = await answering()
  await using door = await open(api, { ...TAGGED, document: {} })
  expect(outcome(await door.say(request('/deals')))).toContain('its API document is not there')
  expect(api.came).toEqual([])
})

test('a tag that nothing has is told with its line', async () => {
  await using api = await answering()
  await using door = await open(api, { filter: { tags: ['public', 'pubic'] } })
  const issues = (await door.get('/inspect/health')).body['issues']
  expect(issues).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      file: 'connections/crm/spec.json',
      line: 7,
      message: 'no operation of the API document of "crm" has the tag "pubic"',
    }),
  )
})

test('fields of GraphQL are left out like paths', async () => {
  await using api = await answering()
  await using door = await openDoor({
    files: {
      'connections/crm/spec.json': {
        baseUrl: api.url,
        format: 'graphql',
        filter: { exclude_paths: ['secret*', 'dropDeal'] },
      },
      'connections/crm/access.json': { default: 'allow', endpoints: { 'QUERY audit': 'hidden' } },
      'connections/crm/schema.graphql':
        'type Query { deals: [Deal!]! secrets: [Secret] audit: Audit }\ntype Mutation { dropDeal(id: ID!): Deal addDeal(name: String): Deal }\ntype Deal { id: ID! owner: Person }\ntype Person { name: String }\ntype Secret { key: String }\ntype Audit { line: String }',
    },
    script: told,
  })
  const graph = (query: string, more: JsonObject = {}): string =>
    request('/graphql', { method: 'POST', data: { query }, ...more })
  for (const query of [
    '{ secrets { key } }',
    '{ deals: secrets { key } }',
    '{ ...F } fragment F on Query { secrets { key } }',
    'mutation { dropDeal(id: 1) { id } }',
    '{ __schema { types { name } } }',
    '{ audit { line } }',
    'broken {',
  ]) {
    expect(outcome(await door.say(graph(query))), query).toContain('"error"')
  }
  expect(outcome(await door.say(request('/graphql?query={secrets{key}}')))).toContain('"error"')
  expect(api.came).toEqual([])
  expect(outcome(await door.say(graph('{ deals { id __typename } }')))).toContain(
    '"status":"success"',
  )
  const found = outcome(
    await door.say(callOf('find_endpoints', { connection: 'crm', query: 'deals of all kinds' })),
  )
  expect(found).toContain('addDeal')
  expect(found).not.toMatch(/secrets|dropDeal|audit/)
  const typeOf = async (type: string): Promise<string> =>
    outcome(await door.say(callOf('find_endpoints', { connection: 'crm', type })))
  expect([await typeOf('[Deal!]!'), await typeOf('Person')]).toEqual([
    expect.stringContaining('{ id: ID!, owner: Person }'),
    expect.stringContaining('{ name: String }'),
  ])
  for (const gone of ['Secret', 'Audit', 'Query'])
    expect(await typeOf(gone)).toContain(`has no type ${gone}`)
})

describe('rules of access.json that were read by nobody', () => {
  test('`intent` has to be declared where a rule says so, and a read that writes is refused', async () => {
    await using api = await answering()
    await using door = await open(api, {
      access: {
        default: 'allow',
        endpoints: {
          'POST /deals': { intent: 'write' },
          'DELETE /deals/{id}': { intent: 'confirmed_write' },
          'POST /deals/search': { intent: 'read' },
        },
      },
    })
    const post = (more: JsonObject): string =>
      request('/deals', { method: 'POST', data: {}, ...more })
    expect(outcome(await door.say(post({})))).toContain(
      'has to be asked for with `intent`: \\"write\\"',
    )
    expect(outcome(await door.say(post({ intent: 'read' })))).toContain('`intent` says read')
    expect(
      outcome(
        await door.say(request('/deals/search', { method: 'POST', data: {}, intent: 'write' })),
      ),
    ).toContain('for reading only')
    expect(
      outcome(await door.say(request('/deals/7', { method: 'DELETE', intent: 'write' }))),
    ).toContain('confirmed_write')
    expect(api.came).toEqual([])
    expect(outcome(await door.say(post({ intent: 'write' })))).toContain('"status":"success"')
    expect(
      await door.say(request('/deals/7', { method: 'DELETE', intent: 'confirmed_write' })),
    ).toMatchObject({ status: 202 })
    expect(api.lines).toEqual(['POST /v1/deals'])
  })

  test('a field that is `hidden` is taken out of answers, and the rest of its connection stays', async () => {
    await using api = await startApi(() => ({ body: { id: 1, ssn: '078-05-1120' } }))
    await using door = await open(api, {
      access: {
        default: 'allow',
        endpoints: { 'GET /deals/{id}': { returns: ['Contact'] } },
        fieldRestrictions: [{ entity: 'Contact', field: 'ssn', policy: 'hidden' }],
      },
    })
    const said = outcome(await door.say(request('/deals/1')))
    expect(said).toContain('"status":"success"')
    expect(said).not.toContain('078')
  })

  test('what cannot be is refused with its file and line', async () => {
    await using api = await answering()
    await using door = await open(api, {
      access: { endpoints: { 'GET /deals': { intent: 'maybe' } } },
      script: reply.text('Hello.'),
    })
    const issues = (await door.get('/inspect/health')).body['issues']
    expect(issues).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        file: 'connections/crm/access.json',
        line: 4,
        message: '`endpoints.GET /deals.intent` cannot be "maybe"',
      }),
    )
  })
})
