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
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AZURE, createAzureModel } from '../src/azure-model.ts'

const KEY = 'azure-key-0123456789'
const VARIABLES = { AZURE_API_KEY: KEY, AZURE_RESOURCE_NAME: 'my-resource' }
const ASK: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }]

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ script: reply.text('Hello.') })
})
afterAll(() => server.close())

function providerOf(variables: Readonly<Record<string, string>>, sent?: string[]): ModelProvider {
  const deps = { secrets: secretsOf(variables), outbound: outTo(server.url, sent) }
  return keyedProvider(AZURE, deps, createAzureModel)
}

const modelOf = (
  variables: Readonly<Record<string, string>>,
  config: Partial<ModelConfig> = {},
  sent?: string[],
): LanguageModel =>
  unwrap(
    providerOf(variables, sent).model({ provider: 'azure', model: 'my-gpt-4o', ...config }),
    ({ message }) => message,
  )

const ask = (model: LanguageModel): Promise<Observed> => observeReply(model, { prompt: [...ASK] })

test('calls the v1 address of the resource, with the key in its header', async () => {
  const sent: string[] = []
  server.play(reply.text('Hello.'))
  const seen = await ask(modelOf(VARIABLES, { headers: { 'x-team': 'red' } }, sent))
  expect(seen).toMatchObject({ text: 'Hello.', finish: 'stop', failures: [] })
  expect(sent).toEqual(['https://my-resource.openai.azure.com/openai/v1/responses'])
  const { headers, body } = server.requests.at(-1) ?? expect.fail('no request arrived')
  expect(headers).toMatchObject({ 'api-key': KEY, 'x-team': 'red' })
  expect(headers.authorization).toBeUndefined()
  expect(body).toMatchObject({ model: 'my-gpt-4o', store: false })
})

test.each([
  ['AZURE_OPENAI_API_KEY alone', { AZURE_OPENAI_API_KEY: 'other-key-1' }, 'other-key-1'],
  ['both', { AZURE_OPENAI_API_KEY: 'other-key-1', AZURE_API_KEY: KEY }, KEY],
])('takes the key from its variables: %s', async (_title, variables, key) => {
  await ask(modelOf({ ...variables, AZURE_RESOURCE_NAME: 'my-resource' }))
  expect(server.requests.at(-1)?.headers['api-key']).toBe(key)
  expect(providerOf(variables).status?.()).toMatchObject({ keySet: true })
})

test('takes an address of its own, and a key of its own', async () => {
  const sent: string[] = []
  const baseUrl = 'https://gateway.example/openai/v1/?api-version=preview'
  await ask(modelOf({ MINE: 'my-own-key' }, { baseUrl, apiKey: 'env:MINE' }, sent))
  expect(sent).toEqual(['https://gateway.example/openai/v1/responses?api-version=preview'])
  expect(server.requests.at(-1)?.headers['api-key']).toBe('my-own-key')
})

test.each([
  ['no key', { AZURE_RESOURCE_NAME: 'r' }, /^AZURE_API_KEY is not set.*AZURE_OPENAI_API_KEY/],
  ['no resource', { AZURE_API_KEY: KEY }, /^AZURE_RESOURCE_NAME is not set.*baseUrl/],
  [
    'a resource that would be another host',
    { AZURE_API_KEY: KEY, AZURE_RESOURCE_NAME: 'evil.example/' },
    /^AZURE_RESOURCE_NAME is no name of a resource/,
  ],
])('says what is missing: %s', (_title, variables, message) => {
  const model = providerOf(variables).model({ provider: 'azure', model: 'm' })
  expect(model.ok ? undefined : model.error).toMatchObject({
    code: expect.stringMatching(/^(ENV_NOT_SET|NO_MODEL)$/) as string,
    message: expect.stringMatching(message) as string,
  })
})

test('is never taken where no model is named: a deployment has a name of its own', () => {
  expect(providerOf(VARIABLES).detect).toBeUndefined()
})

// Source: answers of the service.
test.each([
  [
    'a wrong key',
    reply.httpError(401, {
      code: '401',
      message: `Access denied due to invalid subscription key or wrong API endpoint: ${KEY}`,
    }),
    { class: 'auth', status: 401 },
    /answered 401: Access denied/,
  ],
  [
    'a deployment that is not there',
    reply.httpError(404, {
      code: 'DeploymentNotFound',
      message: 'The API deployment for this resource does not exist.',
    }),
    { class: 'unknown', status: 404 },
    /answered 404.*"my-gpt-4o" has to be the name of a deployment/,
  ],
  [
    'too many tokens in a minute',
    reply.httpError(429, {
      code: 'RateLimitReached',
      message: 'Requests have exceeded the token rate limit of your current pricing tier.',
      retryAfter: 27,
    }),
    { class: 'rate_limit', status: 429, retryAfterMs: 27_000 },
    /answered 429/,
  ],
  [
    'a conversation that is too long',
    reply.httpError(400, {
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model.',
    }),
    { class: 'overflow', status: 400 },
    /answered 400/,
  ],
  [
    'a prompt that was filtered',
    reply.httpError(400, {
      code: 'content_filter',
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    }),
    { class: 'content', status: 400 },
    /answered 400/,
  ],
])('says what went wrong: %s', async (_title, script, meaning, message) => {
  server.play(script)
  const { errors, failures } = await ask(modelOf(VARIABLES))
  expect(failures).toEqual([expect.stringMatching(message)])
  expect(modelErrorOf(failure('MODEL_FAILED', 'm: failed', { cause: errors[0] }))).toEqual(meaning)
  expect(JSON.stringify([failures, errors])).not.toContain(KEY)
})

test('a reply that the filter stopped was refused, whatever of it had come', async () => {
  server.play(reply.text('one two', { finishReason: 'content_filter' }))
  expect(await ask(modelOf(VARIABLES))).toMatchObject({ finish: 'content-filter', failures: [] })
})

test('reasoning is kept as its own, and sent back with the conversation', async () => {
  server.play(reply.text('Ten.', { thought: { text: 'Five and five.', signature: 'c2ln' } }))
  const model = modelOf(VARIABLES)
  const { parts } = await ask(model)
  const end = parts.findLast((part) => part.type === 'reasoning-end')
  expect(end?.providerMetadata).toMatchObject({ azure: { reasoningEncryptedContent: 'c2ln' } })
  await observeReply(model, {
    prompt: [
      ...ASK,
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'Five and five.',
            ...(end?.providerMetadata && { providerOptions: end.providerMetadata }),
          },
          { type: 'text', text: 'Ten.' },
        ],
      },
      ...ASK,
    ],
  })
  expect(server.requests.at(-1)?.raw).toContain('"encrypted_content":"c2ln"')
})
