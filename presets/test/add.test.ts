import { createServer } from 'node:http'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { amodal, folder } from './support.ts'

const agent = { 'amodal.json': { name: 'tiny', userContext: 'You are tiny.' } }
const KINDS = {
  store: ['stores/spare-parts.json'],
  skill: ['skills/spare-parts.md'],
  connection: ['connections/spare-parts/spec.json', 'connections/spare-parts/access.json'],
  tool: ['tools/spare_parts/tool.json', 'tools/spare_parts/handler.ts'],
  agent: ['agents/spare-parts/AGENT.md'],
  automation: ['automations/spare-parts.json'],
  eval: ['evals/spare-parts.yaml'],
  page: ['pages/spare-parts.tsx'],
} as const

describe('amodal add', () => {
  test.each(Object.entries(KINDS))('%s writes a part that loads', async (kind, files) => {
    await using here = await folder(agent)
    const name = kind === 'tool' ? 'spare_parts' : 'spare-parts'
    const added = await amodal(['add', kind, name, '--dir', here.dir], { env: TOKENS })
    expect(added).toMatchObject({ code: 0, err: '' })
    for (const file of files) expect(added.out).toContain(`✓ ${file}`)
    const validated = await amodal(['validate', '--skip-test', '--dir', here.dir], { env: TOKENS })
    expect(validated).toMatchObject({ code: 0 })
    expect(validated.out).toMatch(/0 errors, 0 warnings/)

    const texts = await Promise.all(files.map((file) => readFile(join(here.dir, file), 'utf8')))
    expect(await amodal(['add', kind, name, '--dir', here.dir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/exists already.*nothing was changed/),
    })
    expect(await Promise.all(files.map((file) => readFile(join(here.dir, file), 'utf8')))).toEqual(
      texts,
    )
  })

  test.each([
    [[], /say what: .*store/],
    [['shop', 'x'], /no kind "shop"; there are: .*store/],
    [['store'], /give it a name/],
    [['store', '../x'], /no name for it/],
    [['store', 'a', 'b'], /one part has one name/],
    [['tool', 'spare-parts'], /spare_parts/],
    [['store', 'x', '--openapi', 'x.json'], /--openapi is no option of `amodal add store`/],
    [['connection', 'x', '--openapi', '/nowhere.json'], /--openapi: .*nowhere/],
  ])('%j is refused', async (argv, message) => {
    await using here = await folder(agent)
    const { code, err, out } = await amodal(['add', ...argv, '--dir', here.dir])
    expect(code).toBeGreaterThan(0)
    expect(out).toBe('')
    expect(err).toMatch(message)
  })

  test('in a folder without an agent it says how to make one', async () => {
    await using here = await folder({ 'README.md': 'nothing' })
    expect(await amodal(['add', 'store', 'x', '--dir', here.dir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no agent in .*amodal init/),
    })
  })
})

const TOKENS = { SPARE_PARTS_TOKEN: 'x', CRM_TOKEN: 'x' }
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'CRM', version: '1' },
  servers: [{ url: '/v2' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/customers': {
      get: { responses: { 200: { description: 'All' } } },
      post: { responses: { 201: { description: 'One' } } },
    },
    '/customers/{id}': {
      delete: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'Gone' } },
      },
    },
  },
}
const ACCESS = {
  default: { read: 'allow', write: 'confirm' },
  endpoints: { 'POST /customers': 'confirm', 'DELETE /customers/{id}': 'never' },
}

describe('amodal add connection --openapi', () => {
  const filesOf = async (dir: string) => {
    const read = async (file: string) =>
      z.json().parse(JSON.parse(await readFile(join(dir, 'connections/crm', file), 'utf8')))
    return { spec: await read('spec.json'), access: await read('access.json') }
  }

  test('of an address has its server, its credential and its operations', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(DOCUMENT))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    await using here = await folder(agent)
    const argv = ['add', 'connection', 'crm', '--openapi', `${origin}/openapi.json`]
    expect(await amodal([...argv, '--dir', here.dir], { env: TOKENS })).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/openapi\.json[\s\S]*CRM_TOKEN=… into \.env/),
    })
    expect(await filesOf(here.dir)).toEqual({
      spec: {
        baseUrl: `${origin}/v2`,
        specUrl: `${origin}/openapi.json`,
        auth: { type: 'api_key', in: 'header', name: 'X-Key', value: 'env:CRM_TOKEN' },
      },
      access: ACCESS,
    })
    const validated = await amodal(['validate', '--skip-test', '--dir', here.dir], { env: TOKENS })
    expect(validated.out).toMatch(/0 errors, 0 warnings/)
  })

  test('of a file in YAML keeps it, and of Swagger it has host and path', async () => {
    await using here = await folder(agent)
    const file = join(here.dir, 'crm.yaml')
    await writeFile(
      file,
      'swagger: "2.0"\ninfo: { title: CRM, version: "1" }\nhost: crm.example\nbasePath: /v1\npaths:\n  /customers:\n    post: { responses: { 201: { description: One } } }\n',
    )
    const argv = ['add', 'connection', 'crm', '--openapi', file]
    expect(await amodal([...argv, '--dir', here.dir], { env: TOKENS })).toMatchObject({ code: 0 })
    expect(await filesOf(here.dir)).toEqual({
      spec: { baseUrl: 'https://crm.example/v1' },
      access: { ...ACCESS, endpoints: { 'POST /customers': 'confirm' } },
    })
  })

  test('of what is no API document changes nothing', async () => {
    await using here = await folder({ ...agent, 'notes.json': { title: 'Notes' } })
    const argv = ['add', 'connection', 'crm', '--openapi', join(here.dir, 'notes.json')]
    expect(await amodal([...argv, '--dir', here.dir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is no API document/),
    })
    await expect(readFile(join(here.dir, 'connections/crm/spec.json'))).rejects.toThrow()
  })
})
