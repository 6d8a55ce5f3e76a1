import {
  failure,
  modelErrorOf,
  unwrap,
  type LanguageModel,
  type Message,
  type ModelConfig,
  type ModelProvider,
} from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import {
  observeReply,
  outTo,
  reply,
  secretsOf,
  startModelServer,
  type ModelServer,
  type Observed,
} from '@amodal/sdk/testing'
import { exportPKCS8, generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AccessTokens } from '../src/access-tokens.ts'
import { VERTEX } from '../src/endpoint.ts'
import { vertexModels } from '../src/vertex-model.ts'
import { startTokenServer, tokenOf, type TokenServer } from './token-server.ts'

const ASK: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }]
const PLACE = { GOOGLE_VERTEX_LOCATION: 'europe-west4' }
const API_KEY = 'vertex-key-0123456789'

let server: ModelServer
let tokens: TokenServer
beforeAll(async () => {
  server = await startModelServer({ script: reply.text('Hello.') })
  tokens = await startTokenServer()
})
beforeEach(() => {
  server.play(reply.text('Hello.'))
  tokens.play((n) => ({ body: tokenOf(n) }))
})
afterAll(async () => {
  await server.close()
  await tokens.close()
})

type Variables = Readonly<Record<string, string>>

const accountOf = (changed: Readonly<Record<string, string | undefined>> = {}): Variables => ({
  GOOGLE_APPLICATION_CREDENTIALS_JSON: JSON.stringify({ ...tokens.account, ...changed }),
})

function providerOf(variables: Variables, sent?: string[]): ModelProvider {
  const deps = { secrets: secretsOf(variables), outbound: outTo(server.url, sent) }
  return keyedProvider(VERTEX, deps, vertexModels(new AccessTokens(deps)))
}

const modelOf = (
  variables: Variables,
  config: Partial<ModelConfig> = {},
  sent?: string[],
): LanguageModel =>
  unwrap(
    providerOf(variables, sent).model({ provider: 'vertex', model: 'gemini-2.5-pro', ...config }),
    ({ message }) => message,
  )

const ask = (model: LanguageModel, signal?: AbortSignal): Promise<Observed> =>
  observeReply(model, { prompt: [...ASK], ...(signal && { abortSignal: signal }) })

describe('address', () => {
  test('a service account: of its project, in its location', async () => {
    const sent: string[] = []
    const seen = await ask(modelOf({ ...accountOf(), ...PLACE }, {}, sent))
    expect(seen).toMatchObject({ text: 'Hello.', finish: 'stop', failures: [] })
    expect(sent).toEqual([
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ])
    const { headers } = server.requests.at(-1) ?? expect.fail('no request arrived')
    expect(headers.authorization).toBe('Bearer ya29.token-number-0')
    expect(headers['x-goog-api-key']).toBeUndefined()
  })

  test('an API key: neither project nor location', async () => {
    const sent: string[] = []
    await ask(modelOf({ GOOGLE_VERTEX_API_KEY: API_KEY, ...PLACE }, {}, sent))
    expect(sent).toEqual([
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ])
    const { headers } = server.requests.at(-1) ?? expect.fail('no request arrived')
    expect(headers['x-goog-api-key']).toBe(API_KEY)
    expect(headers.authorization).toBeUndefined()
    expect(tokens.count).toBe(0)
  })

  test.each([
    ['global', 'https://aiplatform.googleapis.com/v1/projects/other/locations/global/'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1/projects/other/locations/eu/'],
  ])('%s is a location with a host of its own', async (location, start) => {
    const sent: string[] = []
    const place = { GOOGLE_CLOUD_LOCATION: location, GOOGLE_CLOUD_PROJECT: 'other' }
    await ask(modelOf({ ...accountOf(), ...place }, {}, sent))
    expect(sent[0]?.startsWith(start), sent[0]).toBe(true)
  })

  test('one of its own, with an account of its own', async () => {
    const sent: string[] = []
    const MINE = JSON.stringify(tokens.account)
    const baseUrl = 'https://gateway.example/v1/publishers/google'
    await ask(modelOf({ MINE }, { baseUrl, apiKey: 'env:MINE' }, sent))
    expect(sent[0]).toMatch(/^https:\/\/gateway\.example\/v1\/publishers\/google\/models\//)
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.token-number-0')
  })

  test.each([
    ['no key', (): Variables => ({}), /^GOOGLE_VERTEX_API_KEY is not set.*_CREDENTIALS_JSON will/],
    ['no location', (): Variables => accountOf(), /^GOOGLE_VERTEX_LOCATION is not set/],
    [
      'no project',
      (): Variables => ({ ...accountOf({ project_id: undefined }), ...PLACE }),
      /^GOOGLE_VERTEX_PROJECT is not set/,
    ],
    [
      'an account',
      (): Variables => ({ ...accountOf({ type: 'external_account' }), ...PLACE }),
      /of the type "external_account", and only "service_account" is supported$/,
    ],
    [
      'a location that would be another host',
      (): Variables => ({ ...accountOf(), GOOGLE_VERTEX_LOCATION: 'evil.example/' }),
      /is no project in a location/,
    ],
  ])('says what is missing: %s', (_title, variables, message) => {
    const model = providerOf(variables()).model({ provider: 'vertex', model: 'm' })
    expect(model.ok ? undefined : model.error).toMatchObject({
      code: expect.stringMatching(/^(ENV_NOT_SET|NO_MODEL)$/) as string,
      message: expect.stringMatching(message) as string,
    })
  })
})

describe('tokens', () => {
  test('one request serves all calls, at once and later', async () => {
    tokens.play((n) => ({ body: tokenOf(n), delayMs: 30 }))
    const provider = providerOf({ ...accountOf(), ...PLACE })
    const [first, second] = ['gemini-2.5-pro', 'gemini-2.5-flash'].map((model) =>
      unwrap(provider.model({ provider: 'vertex', model }), ({ message }) => message),
    )
    if (!first || !second) return expect.fail('there are two models')
    const seen = await Promise.all([ask(first), ask(first), ask(second), ask(second)])
    expect(seen.flatMap(({ failures }) => failures)).toEqual([])
    await ask(first)
    expect(tokens.count).toBe(1)
  })

  test('a token is renewed before it ends', async () => {
    tokens.play((n) => ({ body: tokenOf(n, n === 0 ? 1 : 3_600) }))
    const model = modelOf({ ...accountOf(), ...PLACE })
    await ask(model)
    // The first one counts for a second, the shortest time that any does.
    await expect
      .poll(async () => {
        await ask(model)
        return server.requests.at(-1)?.headers.authorization
      })
      .toBe('Bearer ya29.token-number-1')
    await ask(model)
    expect(tokens.count).toBe(2)
  })

  test('a token that the model refuses is not used again', async () => {
    const model = modelOf({ ...accountOf(), ...PLACE })
    server.play(
      reply.httpError(401, { message: 'Request had invalid authentication credentials.' }),
    )
    const { errors } = await ask(model)
    expect(errors).toMatchObject([{ statusCode: 401, isRetryable: false }])
    server.play(reply.text('Hello.'))
    expect(await ask(model)).toMatchObject({ text: 'Hello.', failures: [] })
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.token-number-1')
  })

  test('a call that is aborted does not wait, and the others go on', async () => {
    tokens.play((n) => ({ body: tokenOf(n), delayMs: 300 }))
    const model = modelOf({ ...accountOf(), ...PLACE })
    const stop = new AbortController()
    const [aborted, other] = [ask(model, stop.signal), ask(model)]
    await expect.poll(() => tokens.count).toBe(1)
    const before = server.count
    stop.abort(new Error('not any more'))
    expect((await aborted).failures).toEqual(['not any more'])
    expect(server.count).toBe(before)
    expect(await other).toMatchObject({ text: 'Hello.', failures: [] })
    expect(tokens.count).toBe(1)
  })

  test('the endpoint may fail, and the next call asks again', async () => {
    tokens.play((n) => (n === 0 ? { status: 503, body: {} } : { body: tokenOf(n) }))
    const model = modelOf({ ...accountOf(), ...PLACE })
    const { errors, failures } = await ask(model)
    expect(errors).toMatchObject([{ isRetryable: true }])
    expect(failures[0]).toMatch(/\/token could not be called: .*answered 503/)
    expect(await ask(model)).toMatchObject({ text: 'Hello.', failures: [] })
  })

  test('an endpoint that nobody listens on is an error that may pass', async () => {
    const closed = await startTokenServer()
    await closed.close()
    const { token_uri: uri = '' } = closed.account
    const { errors } = await ask(modelOf({ ...accountOf({ token_uri: uri }), ...PLACE }))
    expect(errors).toMatchObject([
      {
        isRetryable: true,
        message: expect.stringContaining(`${uri} could not be called`) as string,
      },
    ])
  })

  test('an account that is refused is said so, without its key', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const other = await exportPKCS8(privateKey)
    const { errors, failures } = await ask(
      modelOf({ ...accountOf({ private_key: other }), ...PLACE }),
    )
    expect(failures).toEqual([
      expect.stringMatching(
        /^unauthorized: the service account got no token: http.*answered 400: invalid_grant: Invalid JWT Signature\.$/,
      ),
    ])
    expect(errors).toMatchObject([{ isRetryable: false }])
    expect(modelErrorOf(failure('MODEL_FAILED', 'm', { cause: errors[0] }))).toEqual({
      class: 'auth',
    })
    expect(JSON.stringify([failures, errors])).not.toContain(other.slice(30, 60))
  })

  test.each([
    ['{"type":', /it is no JSON/],
    ['{"type":"authorized_user","client_id":"x"}', /of the type "authorized_user"/],
    ['{"type":"service_account","client_email":"a@b"}', /missing or wrong: private_key$/],
    [
      '{"type":"service_account","client_email":"a@b","private_key":"secret-but-no-key"}',
      /`private_key` of the service account is no PKCS #8 key/,
    ],
  ])('what is no key of an account is said so: %s', async (text, message) => {
    const { errors, failures } = await ask(
      modelOf({ MINE: text }, { apiKey: 'env:MINE', baseUrl: 'https://vertex.example/v1' }),
    )
    expect(failures).toEqual([expect.stringMatching(message)])
    expect(JSON.stringify(errors)).not.toContain('secret-but-no-key')
    expect(modelErrorOf(failure('MODEL_FAILED', 'm', { cause: errors[0] })).class).toBe('auth')
    expect(tokens.count).toBe(0)
  })

  test('tokens and private keys are masked for as long as they count', async () => {
    const shown = new Set<string>()
    const secrets = {
      ...secretsOf({ ...accountOf(), ...PLACE }),
      protect(value: string) {
        shown.add(value)
        return () => void shown.delete(value)
      },
    }
    const deps = { secrets, outbound: outTo(server.url) }
    const provider = keyedProvider(VERTEX, deps, vertexModels(new AccessTokens(deps)))
    const model = unwrap(
      provider.model({ provider: 'vertex', model: 'gemini-2.5-pro' }),
      ({ message }) => message,
    )
    await ask(model)
    expect([...shown]).toEqual([tokens.account['private_key'], 'ya29.token-number-0'])
    server.play(reply.httpError(401))
    await ask(model)
    expect([...shown]).toEqual([tokens.account['private_key']])
  })
})

// Source: answers of the service.
test.each([
  [
    'a project that may not call it',
    reply.httpError(403, {
      type: 'PERMISSION_DENIED',
      message: `Permission 'aiplatform.endpoints.predict' denied on resource; key ${API_KEY}.`,
    }),
    { class: 'auth', status: 403 },
    /answered 403.*role "Vertex AI User"/,
  ],
  [
    'a model that is not there',
    reply.httpError(404, {
      message: 'Publisher Model `gemini-9` was not found or your project does not have access.',
    }),
    { class: 'unknown', status: 404 },
    /answered 404.*check that there is a model "gemini-2\.5-pro" in this location/,
  ],
  [
    'too many requests',
    reply.httpError(429, { message: 'Resource exhausted. Please try again later.', retryAfter: 9 }),
    { class: 'rate_limit', status: 429, retryAfterMs: 9_000 },
    /answered 429/,
  ],
  [
    'a conversation that is too long',
    reply.httpError(400, {
      message:
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    }),
    { class: 'overflow', status: 400 },
    /answered 400/,
  ],
])('says what went wrong: %s', async (_title, script, meaning, message) => {
  server.play(script)
  const { errors, failures } = await ask(modelOf({ GOOGLE_VERTEX_API_KEY: API_KEY }))
  expect(failures).toEqual([expect.stringMatching(message)])
  expect(modelErrorOf(failure('MODEL_FAILED', 'm: failed', { cause: errors[0] }))).toEqual(meaning)
  expect(JSON.stringify([failures, errors])).not.toContain(API_KEY)
})

test('a reply that was stopped for safety was refused', async () => {
  server.play(reply.text('one two', { finishReason: 'content_filter' }))
  const seen = await ask(modelOf({ GOOGLE_VERTEX_API_KEY: API_KEY }))
  expect(seen).toMatchObject({ finish: 'content-filter', failures: [] })
})

test('thoughts come back with the calls that they led to', async () => {
  const model = modelOf({ GOOGLE_VERTEX_API_KEY: API_KEY })
  server.play(
    reply.toolCalls(
      { name: 'look_up', arguments: { id: 'a1' } },
      { thought: { text: 'Hm.', signature: 'c2ln' } },
    ),
  )
  const { calls } = await ask(model)
  const [call] = calls
  if (!call) return expect.fail('there is a call')
  await observeReply(model, {
    prompt: [
      ...ASK,
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: call.toolCallId,
            toolName: 'look_up',
            input: { id: 'a1' },
            ...(call.providerMetadata && { providerOptions: call.providerMetadata }),
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: call.toolCallId,
            toolName: 'look_up',
            output: { type: 'text', value: 'eleven' },
          },
        ],
      },
    ],
  })
  const raw = server.requests.at(-1)?.raw ?? ''
  expect(raw).toContain('"thoughtSignature":"c2ln"')
  // Vertex AI refuses ids of calls.
  expect(raw).not.toContain(call.toolCallId)
})
