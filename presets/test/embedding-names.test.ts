import { defineBundle, LOCAL_TENANT, without } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AmodalError,
  createAgent,
  createFailoverProvider,
  createPostgresStoreBackend,
  loadRepo,
} from '../src/index.ts'
import { folder } from './support.ts'

let model: ModelServer
let broken: ModelServer
beforeAll(async () => {
  model = await startModelServer({ script: reply.text('Hello.') })
  broken = await startModelServer({ script: reply.httpError(401) })
})
afterAll(async () => {
  await model.close()
  await broken.close()
})

const thrown = async (work: Promise<unknown>): Promise<AmodalError> => {
  const cause: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (AmodalError.is(cause)) return cause
  throw new Error('it threw no AmodalError', { cause })
}
const link = (server: ModelServer) => ({
  provider: 'openai-compatible',
  baseUrl: server.url,
  model: 'scripted',
})
const bundle = defineBundle({ name: 'desk' })

describe('what createAgent throws is one class, with a code and the next step', () => {
  test('of a list of plugins', async () => {
    const error = await thrown(createAgent({ bundle, plugins: [without('loop')] }))
    expect(error).toMatchObject({ name: 'AmodalError', code: 'MISSING_PROVIDER' })
    expect(error.problems.map(({ code }) => code)).toContain('MISSING_PROVIDER')
    expect(error.fix).toBe(error.problems[0]?.fix)
    expect(error.message).toContain(error.fix)
  })

  test('of a folder, a field, a logger, a person and a message', async () => {
    await using here = await folder({ 'amodal.json': '{ "name": ' })
    expect((await thrown(createAgent({ repoPath: here.dir }))).code).toBe('BAD_REPO')
    expect((await thrown(createAgent({ repoPath: '/nowhere/at/all' }))).code).toBe('NOT_FOUND')
    const field: object = { colour: 'red' }
    expect((await thrown(createAgent({ bundle, ...field }))).code).toBe('BAD_CONFIG')
    const logger: object = {}
    // That is what is tested.
    const incomplete = thrown(createAgent({ bundle, logger: logger as never }))
    expect((await incomplete).code).toBe('BAD_CONFIG')
    const agent = await createAgent({
      bundle,
      provider: 'openai-compatible',
      providerConfig: link(model),
    })
    expect((await thrown(agent.createSession({ ...field }))).code).toBe('BAD_CONFIG')
    const session = await agent.createSession()
    const error = await thrown(session.stream('').next())
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      fix: expect.stringMatching(/\w/) as string,
    })
    await agent.shutdown()
  })
})

describe('loadRepo', () => {
  test('reads a folder as the server does, and names what cannot be used', async () => {
    await using here = await folder({
      'amodal.json': { name: 'farm', models: { main: { provider: 'groq', model: 'llama' } } },
      'skills/milk/SKILL.md': '---\nname: Milk\ndescription: How to milk\n---\nTwice a day.',
      'connections/crm/spec.json': { baseUrl: 7 },
    })
    const loaded = await loadRepo(here.dir)
    expect(loaded.manifest).toMatchObject({ name: 'farm', models: { main: { model: 'llama' } } })
    expect(loaded.skills.map(({ name }) => name)).toEqual(['Milk'])
    expect(loaded.issues.map(({ file }) => file)).toContain('connections/crm/spec.json')
  })

  test('throws where it is none', async () => {
    expect(await thrown(loadRepo('/nowhere/at/all'))).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('createFailoverProvider', () => {
  test('a provider that fails is followed by the next one', async () => {
    const provider = createFailoverProvider({ providers: [link(broken), link(model)], retries: 0 })
    const agent = await createAgent({ bundle, provider })
    const session = await agent.createSession()
    let text = ''
    for await (const event of session.stream('Hi'))
      if (event.type === 'text_delta') text += event.content
    await agent.shutdown()
    expect(text).toBe('Hello.')
    expect(broken.requests.length).toBeGreaterThan(0)
  })

  test('names what it cannot use', async () => {
    expect(() => createFailoverProvider({ providers: [] })).toThrow('`providers` is empty')
    const provider = createFailoverProvider({ providers: ['nobody'] })
    expect((await thrown(createAgent({ bundle, provider }))).message).toContain('"nobody"')
  })
})

test('createPostgresStoreBackend takes a pool, and nothing else', () => {
  const pool = { options: {}, connect: () => LOCAL_TENANT }
  expect(createPostgresStoreBackend(pool)).toBe(pool)
  expect(() => createPostgresStoreBackend({ options: {}, connect: undefined })).toThrow(
    'package `pg`',
  )
})
