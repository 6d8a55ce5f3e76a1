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
  straightOut,
  type ModelServer,
  type Observed,
} from '@amodal/sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createConverseModel } from '../src/converse-model.ts'
import { BEDROCK } from '../src/endpoint.ts'
import { isSigned } from './signature.ts'

const MODEL = 'anthropic.claude-sonnet-4-20250514-v1:0'
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const ACCOUNT = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET }
const REGION = { AWS_REGION: 'eu-central-1' }
const BEARER = 'bedrock-api-key-0123456789'
const ASK: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }]

type Variables = Readonly<Record<string, string>>

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ script: reply.text('Hello.') })
})
beforeEach(() => server.play(reply.text('Hello.')))
afterAll(() => server.close())

function providerOf(variables: Variables, sent?: string[]): ModelProvider {
  const outbound = sent ? outTo(server.url, sent) : straightOut
  return keyedProvider(BEDROCK, { secrets: secretsOf(variables), outbound }, createConverseModel)
}

const modelOf = (
  variables: Variables,
  config: Partial<ModelConfig> = {},
  sent?: string[],
): LanguageModel =>
  unwrap(
    providerOf(variables, sent).model({ provider: 'bedrock', model: MODEL, ...config }),
    ({ message }) => message,
  )

const here = (): Partial<ModelConfig> => ({ baseUrl: `http://127.0.0.1:${server.port}` })
const signed = (variables: Variables = {}): LanguageModel =>
  modelOf({ ...ACCOUNT, ...REGION, ...variables }, here())
const ask = (model: LanguageModel, prompt = ASK): Promise<Observed> =>
  observeReply(model, { prompt: [...prompt] })
const newest = (): ModelServer['requests'][number] =>
  server.requests.at(-1) ?? expect.fail('no request arrived')

describe('where requests go, and with what', () => {
  test('an API key: the address of the region, with a bearer token', async () => {
    const sent: string[] = []
    const variables = { AWS_BEARER_TOKEN_BEDROCK: BEARER, ...ACCOUNT, ...REGION }
    const seen = await ask(modelOf(variables, {}, sent))
    expect(seen).toMatchObject({ text: 'Hello.', finish: 'stop', failures: [] })
    expect(sent).toEqual([
      `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${encodeURIComponent(MODEL)}/converse-stream`,
    ])
    expect(newest().headers.authorization).toBe(`Bearer ${BEARER}`)
    expect(newest().body.model).toBe(MODEL)
  })

  test.each([
    ['keys that stay', {}],
    ['keys that are temporary', { AWS_SESSION_TOKEN: 'session-token-0123456789' }],
  ])('an account: a signature of what is really sent, with %s', async (_title, variables) => {
    // Half of a character is sent as another one: what is signed is what is sent.
    const prompt: readonly Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'Größe 🌍 \ud83d?' }] },
    ]
    const seen = await ask(signed(variables), prompt)
    expect(seen).toMatchObject({ text: 'Hello.', failures: [] })
    expect(isSigned(newest(), SECRET, 'eu-central-1')).toBe(true)
    expect(isSigned(newest(), 'another-secret', 'eu-central-1')).toBe(false)
    expect(isSigned({ ...newest(), raw: `${newest().raw} ` }, SECRET, 'eu-central-1')).toBe(false)
    const { headers } = newest()
    const { AWS_SESSION_TOKEN: token } = { AWS_SESSION_TOKEN: undefined, ...variables }
    expect(headers['x-amz-security-token']).toBe(token)
    expect(headers.authorization?.includes('x-amz-security-token')).toBe(token !== undefined)
    expect(JSON.stringify(headers)).not.toContain(SECRET)
  })

  test('headers of the configuration are sent, and signed as well', async () => {
    await ask(modelOf({ ...ACCOUNT, ...REGION }, { ...here(), headers: { 'x-team': 'red' } }))
    expect(newest().headers['x-team']).toBe('red')
    expect(newest().headers.authorization).toContain('x-team')
    expect(isSigned(newest(), SECRET, 'eu-central-1')).toBe(true)
  })

  test('the region of an address is the one that it names', async () => {
    const sent: string[] = []
    const baseUrl = 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/'
    await ask(modelOf({ ...ACCOUNT, ...REGION }, { baseUrl }, sent))
    expect(sent[0]).toMatch(/^https:\/\/bedrock-runtime-fips\.us-gov-west-1\.amazonaws\.com\/model/)
    expect(newest().headers.authorization).toContain('/us-gov-west-1/bedrock/aws4_request')
  })

  test('China has a domain of its own', async () => {
    const sent: string[] = []
    await ask(modelOf({ ...ACCOUNT, AWS_DEFAULT_REGION: 'cn-north-1' }, {}, sent))
    expect(sent[0]).toMatch(/^https:\/\/bedrock-runtime\.cn-north-1\.amazonaws\.com\.cn\/model\//)
    expect(newest().headers.authorization).toContain('/cn-north-1/bedrock/aws4_request')
  })

  test('an address of its own needs no key', async () => {
    expect(await ask(modelOf({}, here()))).toMatchObject({ text: 'Hello.', failures: [] })
    expect(newest().headers.authorization).toBeUndefined()
  })

  test('the environment of the process is not looked at', async () => {
    const before = process.env['AWS_BEARER_TOKEN_BEDROCK']
    process.env['AWS_BEARER_TOKEN_BEDROCK'] = 'of-the-process'
    try {
      await ask(modelOf({}, here()))
      expect(JSON.stringify(newest().headers)).not.toContain('of-the-process')
    } finally {
      if (before === undefined) delete process.env['AWS_BEARER_TOKEN_BEDROCK']
      else process.env['AWS_BEARER_TOKEN_BEDROCK'] = before
    }
  })

  test.each<readonly [string, Variables, RegExp]>([
    [
      'no key',
      REGION,
      /^AWS_BEARER_TOKEN_BEDROCK is not set.*; AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY will/,
    ],
    ['half of a key', { ...REGION, AWS_ACCESS_KEY_ID: 'x' }, /^AWS_BEARER_TOKEN_BEDROCK is not/],
    ['no region', ACCOUNT, /^AWS_REGION is not set/],
    [
      'a region that would be another host',
      { ...ACCOUNT, AWS_REGION: 'evil.example/' },
      /^AWS_REGION is no region/,
    ],
  ])('says what is missing: %s', (_title, variables, message) => {
    const model = providerOf(variables).model({ provider: 'bedrock', model: 'm' })
    expect(model.ok ? undefined : model.error).toMatchObject({
      code: expect.stringMatching(/^(ENV_NOT_SET|NO_MODEL)$/) as string,
      message: expect.stringMatching(message) as string,
    })
  })

  test('a key that is set is known, and chooses no model by itself', () => {
    expect(providerOf({ ...ACCOUNT }).status?.()).toMatchObject({ keySet: true })
    expect(providerOf({ AWS_ACCESS_KEY_ID: 'x' }).status?.()).toMatchObject({ keySet: false })
    expect(providerOf({ ...ACCOUNT, ...REGION }).detect).toBeUndefined()
  })
})

// Source: "Common errors" and "ConverseStream" in the API reference.
test.each([
  [
    'a key that is not known',
    reply.httpError(403, {
      message: `The security token included in the request is invalid: ${SECRET}`,
    }),
    { class: 'auth', status: 403 },
    /answered 403: The security token.*; the account needs `bedrock:Invoke/,
  ],
  [
    'a model that is not there',
    reply.httpError(404, { message: 'Could not resolve the foundation model.' }),
    { class: 'unknown', status: 404 },
    /answered 404.*check that there is a model or an inference profile "anthropic/,
  ],
  [
    'a name that is none',
    reply.httpError(400, { message: 'The provided model identifier is invalid.' }),
    { class: 'unknown', status: 400 },
    /answered 400: The provided model identifier is invalid/,
  ],
  [
    'too many requests',
    reply.httpError(429, {
      message: 'Too many requests, please wait before trying again.',
      retryAfter: 11,
    }),
    { class: 'rate_limit', status: 429, retryAfterMs: 11_000 },
    /answered 429/,
  ],
  [
    'a conversation that is too long',
    reply.httpError(400, { message: 'Input is too long for requested model.' }),
    { class: 'overflow', status: 400 },
    /answered 400/,
  ],
  [
    'a model that does not answer',
    reply.httpError(503, { message: 'Bedrock is unable to process your request.' }),
    { class: 'server', status: 503 },
    /answered 503/,
  ],
])('says what went wrong: %s', async (_title, script, meaning, message) => {
  server.play(script)
  const { errors, failures } = await ask(signed())
  expect(failures).toEqual([expect.stringMatching(message)])
  expect(modelErrorOf(failure('MODEL_FAILED', 'm: failed', { cause: errors[0] }))).toEqual(meaning)
  expect(JSON.stringify([failures, errors])).not.toContain(SECRET)
})

describe('streams', () => {
  test.each([
    ['throttlingException', { statusCode: 429, isRetryable: true }, 'rate_limit'],
    ['modelStreamErrorException', { statusCode: 424, isRetryable: true }, 'server'],
    ['internalServerException', { statusCode: 500, isRetryable: true }, 'server'],
    ['validationException', { statusCode: 400, isRetryable: false }, 'unknown'],
    ['modelTimeoutException', { isRetryable: true }, 'server'],
  ])('%s in the middle ends the reply', async (type, error, meaning) => {
    server.play(
      reply.text(['one ', 'two '], {
        ending: { kind: 'error', after: 1, error: { type, message: 'it went wrong' } },
      }),
    )
    const seen = await ask(signed())
    expect(seen).toMatchObject({ text: 'one ', finish: 'error', errors: [error] })
    expect(seen.failures[0]).toContain('it went wrong')
    const { class: found } = modelErrorOf(
      failure('MODEL_FAILED', 'm: failed', { cause: seen.errors[0] }),
    )
    expect(found).toBe(meaning)
  })

  test('a frame whose checksum is wrong ends the reply', async () => {
    server.play(reply.text(['one', 'two'], { ending: { kind: 'broken-json', after: 1 } }))
    const seen = await ask(signed())
    expect(seen).toMatchObject({ text: 'one', finish: 'error', errors: [{ isRetryable: true }] })
    expect(seen.failures[0]).toMatch(/holds a frame that is damaged: .*checksum/i)
  })

  test.each([
    ['bytes that are no frames', 'this is no stream of events', /a frame that is damaged/],
    ['a frame that breaks off', '\0\0\0\x20\0\0', /broke off in a frame/],
  ])('%s end the reply', async (_title, text, message) => {
    server.play(reply.body(text, { contentType: 'application/vnd.amazon.eventstream' }))
    const seen = await ask(signed())
    expect(seen).toMatchObject({ text: '', finish: 'error' })
    expect(seen.failures).toEqual([expect.stringMatching(message)])
  })

  test('a reply that a filter stopped was refused', async () => {
    server.play(reply.text('one two', { finishReason: 'content_filter' }))
    expect(await ask(signed())).toMatchObject({ finish: 'content-filter', failures: [] })
  })

  test('what is written to the cache is told apart', async () => {
    const usage = { promptTokens: 900, cachedTokens: 600, cacheWriteTokens: 100 }
    server.play(reply.text('x', { usage }))
    expect((await ask(signed())).usage?.inputTokens).toEqual({
      total: 900,
      noCache: 200,
      cacheRead: 600,
      cacheWrite: 100,
    })
  })

  test('thoughts go back with the signature that they came with', async () => {
    server.play(reply.text('Ten.', { thought: { text: 'Five and five.', signature: 'c2ln' } }))
    const model = signed()
    const { parts } = await ask(model)
    const deltas = parts.filter((part) => part.type === 'reasoning-delta')
    const metadata = deltas.find((part) => part.providerMetadata)?.providerMetadata
    expect(metadata).toMatchObject({ bedrock: { signature: 'c2ln' } })
    await ask(model, [
      ...ASK,
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'Five and five.',
            ...(metadata && { providerOptions: metadata }),
          },
          { type: 'text', text: 'Ten.' },
        ],
      },
      ...ASK,
    ])
    expect(newest().raw).toContain(
      '"reasoningContent":{"reasoningText":{"text":"Five and five.","signature":"c2ln"}}',
    )
  })
})

test('a model thinks for as many tokens as it may', async () => {
  await ask(modelOf({ ...ACCOUNT, ...REGION }, { ...here(), thinking: 2_048 }))
  expect(newest().body).toMatchObject({
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_048 } },
  })
})

test('what tools found stays in a conversation whose last call may use none', async () => {
  const prompt: readonly Message[] = [
    ...ASK,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'One moment.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look_up', input: { id: 'a1' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'look_up',
          output: { type: 'json', value: { found: 'eleven' } },
        },
      ],
    },
  ]
  const seen = await observeReply(signed(), {
    prompt: [...prompt],
    tools: [{ type: 'function', name: 'look_up', inputSchema: { type: 'object', properties: {} } }],
    toolChoice: { type: 'none' },
  })
  expect(seen.failures).toEqual([])
  const { body } = newest()
  expect(body.tools).toBeUndefined()
  expect(JSON.stringify(body.messages)).toContain('[I called look_up with {\\"id\\":\\"a1\\"}]')
  expect(JSON.stringify(body.messages)).toMatch(/<untrusted source=.{1,3}look_up.{1,3}>.*eleven/)
})
