import type { AgentBundle } from '@amodal/sdk'
import { observeReply, reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../src/endpoints.ts'
import { delta, frames, modelOf, providerOf, startRawServer } from './support.ts'

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }]
const bundle: AgentBundle = {
  hash: 'h',
  root: undefined,
  manifest: { name: 'a', version: '0.0.0', models: {}, limits: {}, raw: {} },
  instructions: undefined,
  skills: [],
  knowledge: [],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
}

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ script: reply.text('Hi.') })
})
afterAll(() => server.close())

describe('a model for a configuration', () => {
  test('is the same one while the configuration says the same', () => {
    const provider = providerOf('openai-compatible', { KEY: 'k1' })
    const config = {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: server.url,
      apiKey: 'env:KEY',
    }
    expect(provider.model(config)).toEqual(provider.model({ ...config }))
    const [one, same, other] = [config, { ...config }, { ...config, model: 'n' }].map((each) => {
      const made = provider.model(each)
      return made.ok ? made.value : undefined
    })
    expect(same).toBe(one)
    expect(other).not.toBe(one)
  })

  test('takes a changed key at the next call', async () => {
    const secrets: Record<string, string> = { KEY: 'first' }
    const provider = providerOf('openai-compatible', secrets)
    for (const key of ['first', 'second']) {
      secrets.KEY = key
      const made = provider.model({
        provider: 'openai-compatible',
        model: 'm',
        baseUrl: server.url,
        apiKey: 'env:KEY',
      })
      if (made.ok) await observeReply(made.value, { prompt: PROMPT })
      expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
    }
  })

  test('names the variable that is not set', () => {
    const made = providerOf('openai-compatible').model({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: server.url,
      apiKey: 'env:MY_KEY',
    })
    expect(made).toMatchObject({
      ok: false,
      error: { code: 'ENV_NOT_SET', message: expect.stringMatching(/MY_KEY.*apiKey/) },
    })
  })

  test('wants a base URL where none is known', () => {
    const made = providerOf('openai-compatible').model({ provider: 'acme', model: 'm' })
    expect(made).toMatchObject({
      ok: false,
      error: { code: 'NO_MODEL', message: expect.stringMatching(/'acme' needs a 'baseUrl'/) },
    })
    expect(
      providerOf('openai-compatible').model({ provider: 'acme', model: 'm', baseUrl: 'nowhere' }),
    ).toMatchObject({ ok: false, error: { code: 'NO_MODEL' } })
  })

  test('serves any name that has a base URL, and sends it no key unasked', async () => {
    const made = providerOf('openai-compatible', { AMODAL_API_KEY: 'mine' }).model({
      provider: 'acme',
      model: 'm',
      baseUrl: server.url,
    })
    if (!made.ok) throw new Error(made.error.message)
    expect(await observeReply(made.value, { prompt: PROMPT })).toMatchObject({
      text: 'Hi.',
      failures: [],
    })
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
    expect(made.value.provider).toContain('acme')
  })

  test('sends headers, with their references resolved, and those of the call', async () => {
    const model = modelOf(
      { baseUrl: server.url, headers: { 'X-Team': 'env:TEAM', 'x-plain': 'p' } },
      { TEAM: 'red' },
    )
    await observeReply(model, { prompt: PROMPT, headers: { 'x-call': 'c', 'x-none': undefined } })
    expect(server.requests.at(-1)?.headers).toMatchObject({
      'x-team': 'red',
      'x-plain': 'p',
      'x-call': 'c',
    })
  })

  test('also answers in one piece', async () => {
    const { content } = await modelOf({ baseUrl: server.url }).doGenerate({ prompt: PROMPT })
    expect(content).toMatchObject([{ type: 'text', text: 'Hi.' }])
  })

  test('keeps the query and the path of its base URL', async () => {
    const raw = await startRawServer((response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(frames(delta({ content: 'a' }, 'stop')))
    })
    await observeReply(modelOf({ baseUrl: `${raw.url}/deep/?api-version=2024&key=hidden` }), {
      prompt: PROMPT,
    })
    expect(raw.requests[0]?.url).toBe('/v1/deep/chat/completions?api-version=2024&key=hidden')
    await raw.close()
    const seen = await observeReply(modelOf({ baseUrl: `${raw.url}?key=hidden` }), {
      prompt: PROMPT,
    })
    expect(JSON.stringify(seen.failures)).not.toContain('hidden')
  })
})

describe('providers known by name', () => {
  test.each(ENDPOINTS.filter((endpoint) => endpoint.baseUrl !== undefined))(
    '$name works with a key and a model alone',
    ({ name, envVar }) => {
      expect(providerOf(name, { [envVar]: 'k' }).model({ provider: name, model: 'm' }).ok).toBe(
        true,
      )
      expect(providerOf(name).model({ provider: name, model: 'm' })).toMatchObject({
        ok: false,
        error: { code: 'ENV_NOT_SET', message: expect.stringContaining(envVar) },
      })
    },
  )

  test('another address for a name needs no key', async () => {
    const seen = await observeReply(modelOf({ provider: 'groq', baseUrl: server.url }), {
      prompt: PROMPT,
    })
    expect(seen).toMatchObject({ text: 'Hi.', failures: [] })
  })

  test('Mistral gets no parameter that it refuses', async () => {
    await observeReply(modelOf({ provider: 'mistral', baseUrl: server.url }), {
      prompt: PROMPT,
      maxOutputTokens: 9,
      seed: 4,
    })
    const body = server.requests.at(-1)?.body
    expect(body).toMatchObject({ max_tokens: 9, random_seed: 4 })
    expect(body).not.toHaveProperty('stream_options')
    expect(body).not.toHaveProperty('seed')
  })

  test('an endpoint that refuses to be asked for usage is asked without, from then on', async () => {
    const raw = await startRawServer((response, n) => {
      if (n === 0)
        response
          .writeHead(422, { 'content-type': 'application/json' })
          .end(
            '{"detail":[{"loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted"}]}',
          )
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(frames(delta({ content: 'a' }, 'stop')))
    })
    const model = modelOf({ baseUrl: raw.url })
    for (let n = 0; n < 2; n++)
      expect(await observeReply(model, { prompt: PROMPT })).toMatchObject({
        text: 'a',
        failures: [],
      })
    expect(raw.bodies.map((body) => 'stream_options' in body)).toEqual([true, false, false])
    await raw.close()
  })
})

describe('detection', () => {
  test('takes the endpoint of the environment first, its values as references', () => {
    const found = providerOf('openai-compatible', {
      AMODAL_BASE_URL: 'http://127.0.0.1:1/v1',
      AMODAL_MODEL: 'm',
      AMODAL_API_KEY: 'k',
    }).detect?.(bundle)
    expect(found).toEqual({
      rank: 0,
      config: {
        provider: 'openai-compatible',
        model: 'm',
        baseUrl: 'env:AMODAL_BASE_URL',
        apiKey: 'env:AMODAL_API_KEY',
      },
    })
  })

  test('needs both of its variables, and says which one is missing', () => {
    const provider = providerOf('openai-compatible', { AMODAL_BASE_URL: 'http://127.0.0.1:1/v1' })
    expect(provider.detect?.(bundle)).toBeUndefined()
    expect(provider.status?.()).toMatchObject({
      keySet: false,
      notice: expect.stringContaining('AMODAL_MODEL'),
    })
  })

  test.each(ENDPOINTS.filter((endpoint) => endpoint.model !== undefined))(
    'takes $name where its key is set',
    ({ name, envVar, model, rank }) => {
      expect(providerOf(name).detect?.(bundle)).toBeUndefined()
      expect(providerOf(name, { [envVar]: '' }).detect?.(bundle)).toBeUndefined()
      expect(providerOf(name, { [envVar]: 'k' }).detect?.(bundle)).toEqual({
        rank,
        config: { provider: name, model, apiKey: `env:${envVar}` },
      })
      expect(providerOf(name, { [envVar]: 'k' }).status?.()).toEqual({
        provider: name,
        envVar,
        keySet: true,
      })
    },
  )

  test('knows one place for each', () => {
    expect(new Set(ENDPOINTS.map((endpoint) => endpoint.rank)).size).toBe(ENDPOINTS.length)
  })
})
