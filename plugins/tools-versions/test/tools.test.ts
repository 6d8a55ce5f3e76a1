import { describe, expect, test } from 'vitest'
import { code, project, serving } from './support/serving.ts'

const errorOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body['error']
const named = (body: Readonly<Record<string, unknown>>): readonly string[] =>
  (body['tools'] as readonly { readonly name: string }[]).map(({ name }) => name)

describe('tools', () => {
  test('are created, with a name of their own', async () => {
    const server = await serving()
    const tags = { team: 'orders', beta: null }
    const created = await server.post('/', { name: 'check_order', description: 'Checks.', tags })
    expect(created).toMatchObject({
      status: 201,
      body: {
        tool_id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
        name: 'check_order',
        description: 'Checks.',
        tags,
        deprecated: false,
        creator: { org_id: 'acme' },
      },
    })
    const twice = await server.post('', { name: 'check_order' })
    expect([twice.status, errorOf(twice)]).toMatchObject([409, { code: 'ORG_TOOL_EXISTS' }])
    // another organization may use the name
    expect((await server.post('', { name: 'check_order' }, 'bolt', 'bolt')).status).toBe(201)
    for (const name of ['Check', '1st', 'a b', 'a'.repeat(65)])
      expect(await server.post('', { name })).toMatchObject({ status: 400 })
    expect((await server.post('', { name: 'a', extra: 1 })).status).toBe(400)
  })

  test('are listed with filters, order and pages', async () => {
    const server = await serving()
    const ids: Record<string, string> = {}
    for (const [name, tags] of Object.entries({
      alpha: { team: 'a', beta: null },
      gamma: { team: 'b' },
      beta: { team: 'a' },
    }))
      ids[name] = await server.tool(name, { tags })
    await server.tool('zeta')
    expect((await server.remove(`/${ids['gamma']}`)).status).toBe(204)

    const list = async (query: string) => named((await server.get(query)).body)
    expect(await list('?sort_by=%2Bname')).toEqual(['alpha', 'beta', 'gamma', 'zeta'])
    expect(await list('?sort_by=+name')).toEqual(['alpha', 'beta', 'gamma', 'zeta'])
    expect(await list('?sort_by=-deprecated&sort_by=-name')).toEqual([
      'gamma',
      'zeta',
      'beta',
      'alpha',
    ])
    expect(await list('?deprecated=false&sort_by=-name')).toEqual(['zeta', 'beta', 'alpha'])
    expect(await list('?deprecated=true')).toEqual(['gamma'])
    expect(await list('?tag=team:a&sort_by=%2Bname')).toEqual(['alpha', 'beta'])
    expect(await list('?tag=team:a&tag=beta:')).toEqual(['alpha'])
    expect(await list('?tag=team:*&sort_by=%2Bname')).toEqual(['alpha', 'beta', 'gamma'])
    expect(await list('?tag=team:')).toEqual([])
    expect(await list(`?id=${ids['beta']}&id=${ids['alpha']}&sort_by=%2Bname`)).toEqual([
      'alpha',
      'beta',
    ])
    const first = (await server.get('?limit=3&sort_by=%2Bname')).body
    expect(first).toMatchObject({ has_more: true, continuation_token: 3 })
    const rest = await server.get(
      `?limit=3&sort_by=%2Bname&continuation_token=${String(first['continuation_token'])}`,
    )
    expect([named(rest.body), rest.body]).toMatchObject([
      ['zeta'],
      { has_more: false, continuation_token: null },
    ])
    for (const query of ['?limit=21', '?limit=0', '?sort_by=name', '?sort_by=%2Bid', '?tag=team'])
      expect([query, (await server.get(query)).status]).toEqual([query, 400])
  })

  test('are updated, field by field', async () => {
    const server = await serving()
    const id = await server.tool('check_order', { description: 'Old.', tags: { a: '1' } })
    await server.tool('other')
    expect((await server.post(`/${id}`, { description: 'New.' })).body).toMatchObject({
      name: 'check_order',
      description: 'New.',
      tags: { a: '1' },
    })
    expect((await server.post(`/${id}`, { name: 'find_order', tags: {} })).body).toMatchObject({
      name: 'find_order',
      description: 'New.',
      tags: {},
    })
    expect(await server.post(`/${id}`, { name: 'other' })).toMatchObject({
      status: 409,
      body: { error: { code: 'ORG_TOOL_EXISTS' } },
    })
    expect(await server.post('/nothing', { name: 'x' })).toMatchObject({
      status: 404,
      body: { error: { code: 'ORG_TOOL_NOT_FOUND' } },
    })
  })
})

describe('of another organization', () => {
  test('nothing is shown or changed', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    for (const org of ['bolt', 'nowhere'])
      expect(await server.get('', 'acme', org)).toMatchObject({ status: 404 })
    const [theirs, unknown] = [
      await server.get(`/${id}/version`, 'bolt', 'bolt'),
      await server.get('/0123456789abcdef01234567/version', 'bolt', 'bolt'),
    ]
    expect(theirs.status).toBe(404)
    expect(theirs.text).toBe(unknown.text)
    for (const attempt of [
      server.post(`/${id}`, { description: 'mine' }, 'bolt', 'bolt'),
      server.remove(`/${id}`, 'bolt', 'bolt'),
      server.get(`/${id}/envvar`, 'bolt', 'bolt'),
      server.post(`/${id}/envvar`, { name: 'A', value: 'b' }, 'bolt', 'bolt'),
      server.remove(`/${id}/envvar/A`, 'bolt', 'bolt'),
      server.post(`/${id}/version`, { repo: 'team', branch: 'main' }, 'bolt', 'bolt'),
      server.remove(`/${id}/version/%3E=1.0`, 'bolt', 'bolt'),
      server.post('/test', { tool_id: id, repo: 'team', branch: 'main' }, 'bolt', 'bolt'),
      server.post(
        `/${id}/version/1.0.0/invoke`,
        { inputs: [{ input_parameters: {}, invocation_mode: 'regular' }] },
        'bolt',
        'bolt',
      ),
    ])
      expect(await attempt).toMatchObject({
        status: 404,
        body: { error: { code: 'ORG_TOOL_NOT_FOUND' } },
      })
    expect((await server.get('', 'bolt', 'bolt')).body['tools']).toEqual([])
    expect((await server.get('/invocation', 'bolt', 'bolt')).body['invocations']).toEqual([])
  })

  test('a credential without the scope is refused', async () => {
    const server = await serving()
    expect(await server.get('', 'chat')).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN_SCOPE' } },
    })
  })

  test('methods that a path does not have are refused', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    expect((await server.get('/test')).status).toBe(405)
    expect((await server.remove('')).status).toBe(405)
    expect((await server.get(`/${id}/nothing`)).status).toBe(404)
  })
})

describe('environment variables', () => {
  test('are listed without values of secrets, and stored sealed', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    expect(await server.post(`/${id}/envvar`, { name: 'BASE_URL', value: 'x' })).toMatchObject({
      status: 200,
      body: { name: 'BASE_URL', value: 'x', secret: false },
    })
    const secret = { name: 'API_KEY', value: 'canary-4711', secret: true }
    const set = await server.post(`/${id}/envvar`, secret)
    expect(set.body).toMatchObject({ name: 'API_KEY', secret: true, value: null })
    const listed = await server.get(`/${id}/envvar`)
    expect(listed.body['env_vars']).toMatchObject([
      { name: 'API_KEY', value: null },
      { name: 'BASE_URL', value: 'x' },
    ])
    expect(set.text + listed.text).not.toContain('canary-4711')
    for (const body of [
      { name: 'lower', value: 'x' },
      { name: 'A1', value: 'x' },
      { name: 'SHORT', value: 'abc', secret: true },
      { name: 'A', value: 1 },
    ])
      expect([body, (await server.post(`/${id}/envvar`, body)).status]).toEqual([body, 400])
    expect((await server.remove(`/${id}/envvar/BASE_URL`)).status).toBe(204)
    expect(await server.remove(`/${id}/envvar/BASE_URL`)).toMatchObject({
      status: 404,
      body: { error: { code: 'VARIABLE_NOT_FOUND' } },
    })
  })

  test('that a version requires stay until it is deprecated', async () => {
    const server = await serving()
    const id = await server.tool('check_order')
    const env = [
      { name: 'API_KEY', secret: true },
      { name: 'REGION', required: false },
    ]
    server.repo.commit('acme', 'main', project('check_order', code('return 1'), { env }))
    expect(await server.publish(id)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'VARIABLE_MISSING',
          message: 'the tool lacks environment variables: API_KEY',
        },
      },
    })
    await server.post(`/${id}/envvar`, { name: 'API_KEY', value: 'secret-1', secret: true })
    await server.post(`/${id}/envvar`, { name: 'REGION', value: 'eu' })
    expect((await server.publish(id)).body).toMatchObject({
      version: '1.0.0',
      env_vars: [
        { name: 'API_KEY', secret: true, required: true },
        { name: 'REGION', secret: false, required: false },
      ],
    })
    expect(await server.remove(`/${id}/envvar/API_KEY`)).toMatchObject({
      status: 409,
      body: { error: { code: 'VARIABLE_IN_USE', message: 'API_KEY is required by 1.0.0' } },
    })
    expect((await server.remove(`/${id}/envvar/REGION`)).status).toBe(204)
    expect((await server.remove(`/${id}/version/1.0.0`)).status).toBe(204)
    expect((await server.remove(`/${id}/envvar/API_KEY`)).status).toBe(204)
  })
})
