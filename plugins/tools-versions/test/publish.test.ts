import { Database, unwrap, type JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { RepoDouble } from './support/repo-double.ts'
import { code, ORDER_INPUT, project, serving } from './support/serving.ts'

const OK = code('return { order: tool_input.order, mode: metadata.invocation_mode }')
const messageOf = ({ message }: { readonly message: string }): string => message
const versionsIn = (body: Readonly<Record<string, unknown>>): readonly string[] =>
  (body['versions'] as readonly { readonly version: string }[]).map(({ version }) => version)

describe('a version', () => {
  test('has its source, schemas and publisher, and a tag', async () => {
    const server = await serving({ types: true })
    const id = await server.tool('check_order')
    const output = { type: 'object', properties: { order: { type: 'integer' } } }
    const commit = server.repo.commit('acme', 'main', {
      ...project('check_order', OK, { output, description: 'Checks an order.' }),
      'check_order/package-lock.json': '{}',
    })
    const published = await server.publish(id)
    expect(published).toMatchObject({
      status: 201,
      body: {
        tool_id: id,
        version: '1.0.0',
        description: 'Checks an order.',
        language: 'typescript',
        source: { repo: 'team', branch: 'main', commit },
        lock_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        input_schema: ORDER_INPUT,
        output_schema: output,
        creator: { org_id: 'acme' },
        deprecated: false,
      },
    })
    expect(server.repo.tags).toEqual(new Map([['tools/check_order/1.0.0', commit]]))
  })

  test('is numbered by what changed', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    const publish = async (properties: JsonObject, more: JsonObject = {}, bump?: string) => {
      const input = { ...ORDER_INPUT, properties, ...more }
      server.repo.commit('acme', 'main', project('check_order', OK, { input }))
      const { body } = await server.publish(id, bump === undefined ? {} : { bump })
      return body['version'] ?? body['error']
    }
    const order = { type: 'integer' }
    expect(await publish({ order })).toBe('1.0.0')
    expect(await publish({ order })).toBe('1.0.1')
    expect(await publish({ order: { ...order, description: 'Its number' } })).toBe('1.0.2')
    expect(await publish({ order, note: { type: 'string' } })).toBe('1.1.0')
    expect(await publish({ order, note: { type: 'string' } }, {}, 'minor')).toBe('1.2.0')
    expect(await publish({ order }, {}, 'minor')).toEqual({
      code: 'BUMP_TOO_SMALL',
      message:
        'the difference from 1.2.0 is major, and minor was requested: input.note was removed',
    })
    expect(await publish({ order })).toBe('2.0.0')
    const required = ['order', 'region']
    expect(
      await publish({ order, region: { type: 'string' } }, { required }, 'patch'),
    ).toMatchObject({
      message: expect.stringContaining('input.region was added and is required') as string,
    })
    expect(await publish({ order }, {}, 'major')).toBe('3.0.0')
  })

  test('skips a number that was pinned and never stored', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    server.repo.tags.set('tools/check_order/1.0.0', 'another commit')
    server.repo.commit('acme', 'main', project('check_order', OK))
    expect((await server.publish(id)).body).toMatchObject({ version: '1.0.1' })
  })

  test('takes its schemas from the code, too', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    const exported = `export const input = ${JSON.stringify(ORDER_INPUT)}\n${OK}`
    const json = { name: 'check_order', language: 'typescript' }
    server.repo.commit('acme', 'main', {
      'check_order/tool.json': JSON.stringify(json),
      'check_order/tool.ts': exported,
    })
    expect((await server.publish(id)).body).toMatchObject({ input_schema: ORDER_INPUT })
    server.repo.commit(
      'acme',
      'main',
      project('check_order', exported, { input: { type: 'object' } }),
    )
    expect(await server.publish(id)).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('exports another schema') as string } },
    })
  })
})

const FIVE = 'export const run_tool = async (a: any, b: any, c: any, d: any, e: any) => 1'
const WRONG_TYPE = code('const order: string = 1\n  return order')
/** Folders of which nothing is published, and what the error says. */
const BROKEN: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['no tool.json', { 'check_order/tool.ts': OK }, 'tool.json: it is missing'],
  [
    'no JSON',
    { 'check_order/tool.json': '{', 'check_order/tool.ts': OK },
    'tool.json: it is no JSON',
  ],
  ['another name', { ...project('check_order', OK, { name: 'other' }) }, 'name: is "other"'],
  ['an unknown field', project('check_order', OK, { entries: 'x' }), 'entries'],
  ['no entry', project('check_order', OK, { entry: 'main.ts' }), 'there is no file main.ts'],
  ['five parameters', project('check_order', FIVE), 'run_tool has 5 parameters, and needs 6'],
  ['no syntax', project('check_order', `${OK}\nconst a = (`), 'tool.ts:'],
  ['no run_tool', project('check_order', 'export const a = 1'), 'run_tool'],
  ['input is no object', project('check_order', OK, { input: { type: 'string' } }), '"object"'],
  [
    'no schema',
    project('check_order', OK, { output: { type: 'nothing' } }),
    'output: is no JSON Schema',
  ],
  [
    'checks that act',
    project('check_order', OK, { checks: [{ name: 'a', input: {}, mode: 'regular' }] }),
    'conversation-simulation',
  ],
]

describe('nothing is published', () => {
  test('where the folder of the tool is not as it has to be', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    for (const [about, files, message] of BROKEN) {
      server.repo.commit('acme', 'main', files)
      const { status, body } = await server.publish(id)
      expect({ about, status, error: body['error'] }).toEqual({
        about,
        status: 422,
        error: {
          code: 'TOOL_PROJECT_INVALID',
          message: expect.stringContaining(message) as string,
        },
      })
    }
    expect(versionsIn((await server.get(`/${id}/version`)).body)).toEqual([])
    // the operations are over
    server.repo.commit('acme', 'main', project('check_order', OK))
    expect((await server.publish(id)).status).toBe(201)
  })

  test('where types are wrong', async () => {
    const server = await serving({ types: true })
    const id = await server.tool('check_order')
    server.repo.commit('acme', 'main', project('check_order', WRONG_TYPE))
    expect((await server.publish(id)).body['error']).toEqual({
      code: 'TOOL_PROJECT_INVALID',
      message: expect.stringContaining('tool.ts:2') as string,
    })
  })

  test('where the branch, the folder or the tool is not there', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    expect(await server.publish(id)).toMatchObject({
      status: 404,
      body: { error: { code: 'REPO_BRANCH_NOT_FOUND' } },
    })
    server.repo.commit('acme', 'main', project('other', OK))
    expect(await server.publish(id)).toMatchObject({
      status: 404,
      body: { error: { code: 'REPO_FOLDER_NOT_FOUND' } },
    })
    expect(await server.publish('nothing')).toMatchObject({
      status: 404,
      body: { error: { code: 'ORG_TOOL_NOT_FOUND' } },
    })
    expect((await server.publish(id, { repo: 'mine' })).status).toBe(400)
    await server.remove(`/${id}`)
    expect(await server.publish(id)).toMatchObject({
      status: 410,
      body: { error: { code: 'ORG_TOOL_DEPRECATED' } },
    })
  })

  test('where a check does not pass', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    const checks = [
      { name: 'simulates', input: { order: 1 }, expect: { mode: 'conversation-simulation' } },
      { name: 'wrong', input: { order: 2 }, expect: { order: 3 } },
    ]
    server.repo.commit('acme', 'main', project('check_order', OK, { checks }))
    expect(await server.publish(id)).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'TOOL_CHECK_FAILED',
          message: 'the check "wrong": output.order is 2, and 3 was expected',
        },
      },
    })
    server.repo.commit('acme', 'main', project('check_order', OK, { checks: checks.slice(0, 1) }))
    expect((await server.publish(id)).status).toBe(201)
  })
})

describe('publications of one tool', () => {
  test('of 100 at once, one wins', async () => {
    const server = await serving()
    const [id, other] = [await server.tool('check_order'), await server.tool('other')]
    const gate = Promise.withResolvers<void>()
    server.repo.gate = gate.promise
    server.repo.commit('acme', 'main', {
      ...project('check_order', OK),
      ...project('other', OK),
    })
    let waiting = 100
    const all = Array.from({ length: 100 }, async () => {
      const published = await server.publish(id)
      // the winner waits at the gate until the others have their answer
      waiting--
      if (waiting === 1) gate.resolve()
      return published
    })
    const published = await Promise.all(all)
    const statuses = published.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([201, ...Array.from({ length: 99 }, () => 409)])
    const refused = published.find(({ status }) => status === 409)
    expect(refused?.body['error']).toMatchObject({ code: 'OPERATION_IN_PROGRESS' })
    expect(versionsIn((await server.get(`/${id}/version`)).body)).toEqual(['1.0.0'])
    expect((await server.publish(other)).status).toBe(201)
  })

  test('refuse deprecations meanwhile, and deprecations do them', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    server.repo.commit('acme', 'main', project('check_order', OK))
    await server.publish(id)
    const gate = Promise.withResolvers<void>()
    server.repo.gate = gate.promise
    const publishing = server.publish(id)
    const database = server.kernel.scope.get(Database)
    const operations = async () =>
      unwrap(
        await database.run(
          {
            sql: 'select operation from tools_versions_tool where operation is not null',
            parameters: [],
          },
          AbortSignal.timeout(10_000),
        ),
        messageOf,
      ).length
    while ((await operations()) === 0);
    for (const path of [`/${id}/version/1.0.0`, `/${id}`])
      expect(await server.remove(path)).toMatchObject({
        status: 409,
        body: { error: { code: 'OPERATION_IN_PROGRESS' } },
      })
    gate.resolve()
    expect((await publishing).status).toBe(201)
    expect((await server.remove(`/${id}/version/1.0.0`)).status).toBe(204)
  })

  test('of a server that was killed end with their lease', async () => {
    const server = await serving({ config: { leaseMs: 300 } })
    const id = await server.tool('check_order')
    server.repo.commit('acme', 'main', project('check_order', OK))
    // what a killed server leaves
    await server.kernel.scope.get(Database).run(
      {
        sql: `update tools_versions_tool set operation = 'dead', operation_until = clock_timestamp() + interval '300 milliseconds'`,
        parameters: [],
      },
      AbortSignal.timeout(10_000),
    )
    const first = await server.publish(id)
    expect(first.status).toBe(409)
    let last = first
    while (last.status === 409) last = await server.publish(id)
    expect(last.status).toBe(201)
  })
})

describe('versions', () => {
  const published = async (bumps: readonly string[]) => {
    const server = await serving()
    const id = await server.tool('check_order')
    server.repo.commit('acme', 'main', project('check_order', OK))
    await server.publish(id)
    for (const bump of bumps) await server.publish(id, { bump })
    return { server, id }
  }

  test('are listed with constraints, order and pages', async () => {
    const { server, id } = await published(['patch', 'minor', 'minor', 'major', 'minor'])
    const list = async (query: string) =>
      versionsIn((await server.get(`/${id}/version${query}`)).body)
    expect(await list('')).toEqual(['2.1.0', '2.0.0', '1.2.0', '1.1.0', '1.0.1', '1.0.0'])
    expect(await list('?version_constraint=%3E%3D1.1,%3C2')).toEqual(['1.2.0', '1.1.0'])
    expect(await list('?version_constraint=~%3D1.1')).toEqual(['1.2.0', '1.1.0'])
    expect(await list('?version_constraint=%5E2')).toEqual(['2.1.0', '2.0.0'])
    expect(await list('?sort_by=%2Bcreated_at')).toEqual([
      '1.0.0',
      '1.0.1',
      '1.1.0',
      '1.2.0',
      '2.0.0',
      '2.1.0',
    ])
    expect(await list('?sort_by=-version.minor&sort_by=%2Bversion.major&limit=3')).toEqual([
      '1.2.0',
      '1.1.0',
      '2.1.0',
    ])
    const me = String(
      (
        (await server.get(`/${id}/version?limit=1`)).body['versions'] as unknown as readonly {
          readonly creator: { readonly user_id: string }
        }[]
      )[0]?.creator.user_id,
    )
    expect(await list(`?creator=acme,${me}&limit=1`)).toEqual(['2.1.0'])
    expect(await list(`?creator=bolt,${me}`)).toEqual([])
    expect(await list('?creator=acme,somebody')).toEqual([])
    expect((await server.get(`/${id}/version?limit=0`)).body).toMatchObject({
      versions: [],
      has_more: true,
      continuation_token: 0,
    })
    const page = await server.get(`/${id}/version?limit=4&continuation_token=4`)
    expect([versionsIn(page.body), page.body['has_more']]).toEqual([['1.0.1', '1.0.0'], false])
    for (const query of ['?limit=51', '?version_constraint=abc', '?creator=acme', '?sort_by=%2Bid'])
      expect([query, (await server.get(`/${id}/version${query}`)).status]).toEqual([query, 400])
  })

  test('are deprecated by constraint, and the tool with all of them', async () => {
    const { server, id } = await published(['minor', 'major'])
    const deprecated = async () =>
      versionsIn((await server.get(`/${id}/version?deprecated=true&sort_by=%2Bversion`)).body)
    const remove = (constraint: string) =>
      server.remove(`/${id}/version/${encodeURIComponent(constraint)}`)
    expect(await remove('>=1.0,<1.1')).toMatchObject({ status: 204, text: '' })
    expect(await deprecated()).toEqual(['1.0.0'])
    expect((await remove('>=1.0,<1.1')).status).toBe(204)
    expect(await remove('>=3')).toMatchObject({
      status: 404,
      body: { error: { code: 'VERSION_NOT_FOUND' } },
    })
    expect((await remove('what')).status).toBe(400)
    expect((await server.remove(`/${id}`)).status).toBe(204)
    expect(await deprecated()).toEqual(['1.0.0', '1.1.0', '2.0.0'])
    // a number is never given twice
    expect((await server.publish(id)).status).toBe(410)
  })
})

describe('a test on a branch', () => {
  test('runs checks and inputs, and publishes nothing', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    const checks = [{ name: 'simulates', input: { order: 1 } }]
    const commit = server.repo.commit('acme', 'topic', project('check_order', OK, { checks }))
    const branch = { tool_id: id, repo: 'team', branch: 'topic' }
    const inputs = [
      { input_parameters: { order: 7 }, invocation_mode: 'regular' },
      { input_parameters: { order: 'x' }, invocation_mode: 'conversation-simulation' },
    ]
    expect(await server.post('/test', { ...branch, inputs })).toMatchObject({
      status: 200,
      body: {
        commit,
        checks: [{ name: 'simulates' }],
        results: [
          { output: { order: 7, mode: 'regular' }, error: null },
          { output: null, error: { code: 'TOOL_ARGUMENTS' } },
        ],
      },
    })
    expect(versionsIn((await server.get(`/${id}/version`)).body)).toEqual([])
    const { body } = await server.get('/invocation')
    expect(body['invocations']).toHaveLength(3)
    expect(body['invocations']).toMatchObject([
      { version: null, invocation_source_type: 'test' },
      {},
      {},
    ])
    expect(await server.post('/test', { ...branch, branch: 'none' })).toMatchObject({ status: 404 })
    expect(await server.post('/test', { ...branch, tool_id: 'none' })).toMatchObject({
      status: 404,
      body: { error: { code: 'ORG_TOOL_NOT_FOUND' } },
    })
    expect((await server.post('/test', { ...branch, inputs: [{}] })).status).toBe(400)
  })

  test('is of the repository of the organization alone', async () => {
    const repo = new RepoDouble()
    repo.commit('acme', 'main', project('check_order', OK))
    const server = await serving({ repo })
    const created = await server.post('', { name: 'check_order' }, 'bolt', 'bolt')
    const path = `/${String(created.body['tool_id'])}/version`
    expect(await server.post(path, { repo: 'team', branch: 'main' }, 'bolt', 'bolt')).toMatchObject(
      { status: 404, body: { error: { code: 'REPO_BRANCH_NOT_FOUND' } } },
    )
  })
})
