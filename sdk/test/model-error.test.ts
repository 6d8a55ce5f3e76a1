import { failure, modelErrorOf, type ModelErrorClass } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'

/** An error of the AI SDK, as far as anybody may rely on it. */
const answered = (
  statusCode: number,
  body: unknown,
  responseHeaders: Record<string, string> = {},
): Error =>
  Object.assign(new Error(`https://models.example.com answered ${statusCode}`), {
    statusCode,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    responseHeaders,
  })
const broke = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** What providers really answer. */
const KINDS: readonly (readonly [string, ModelErrorClass, unknown])[] = [
  [
    'OpenAI: wrong key',
    'auth',
    answered(401, {
      error: { message: 'Incorrect API key provided: sk-…', code: 'invalid_api_key' },
    }),
  ],
  [
    'Anthropic: wrong key',
    'auth',
    answered(401, {
      type: 'error',
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
    }),
  ],
  [
    'Google: wrong key',
    'auth',
    answered(400, {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
    }),
  ],
  [
    'Anthropic: not allowed',
    'auth',
    answered(403, {
      error: { type: 'permission_error', message: 'Your API key does not have permission' },
    }),
  ],
  [
    'Bedrock: expired',
    'auth',
    {
      name: 'ExpiredTokenException',
      message: 'The security token included in the request is expired',
    },
  ],
  [
    'OpenAI: too fast',
    'rate_limit',
    answered(429, {
      error: {
        message: 'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000',
        code: 'rate_limit_exceeded',
      },
    }),
  ],
  [
    'Anthropic: too fast',
    'rate_limit',
    answered(429, {
      error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
    }),
  ],
  [
    'Bedrock: too fast',
    'rate_limit',
    { name: 'ThrottlingException', message: 'Too many requests, please wait before trying again.' },
  ],
  ['in the stream: too fast', 'rate_limit', { type: 'rate_limit_error', message: 'slow down' }],
  ['a bare 429', 'rate_limit', answered(429, '')],
  [
    'OpenAI: out of quota',
    'quota',
    answered(429, {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        code: 'insufficient_quota',
      },
    }),
  ],
  [
    'Google: out of quota',
    'quota',
    answered(429, {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota exceeded for quota metric',
      },
    }),
  ],
  [
    'Groq: tokens of a day',
    'quota',
    answered(429, {
      error: {
        message: 'Rate limit reached on tokens per day (TPD): Limit 100000',
        code: 'rate_limit_exceeded',
      },
    }),
  ],
  ['DeepSeek: no money', 'billing', answered(402, { error: { message: 'Insufficient Balance' } })],
  [
    'Anthropic: no money',
    'billing',
    answered(400, {
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    }),
  ],
  ['a bare 402', 'billing', answered(402, '')],
  [
    'OpenAI: inactive',
    'billing',
    answered(429, {
      error: {
        message: 'Your account is not active, please check your billing details on our website.',
        code: 'billing_not_active',
      },
    }),
  ],
  [
    'OpenAI: too long',
    'overflow',
    answered(400, {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        code: 'context_length_exceeded',
      },
    }),
  ],
  [
    'Anthropic: too long',
    'overflow',
    answered(400, {
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    }),
  ],
  [
    'Google: too long',
    'overflow',
    answered(400, {
      error: {
        message:
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    }),
  ],
  ['Anthropic: too large', 'overflow', answered(413, { error: { type: 'request_too_large' } })],
  [
    'OpenAI: more than a minute allows',
    'overflow',
    answered(429, {
      error: {
        message:
          'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.',
      },
    }),
  ],
  [
    'Bedrock: too long',
    'overflow',
    { name: 'ValidationException', message: 'Input is too long for requested model.' },
  ],
  [
    'Azure: filtered',
    'content',
    answered(400, {
      error: {
        code: 'content_filter',
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      },
    }),
  ],
  [
    'OpenAI: flagged',
    'content',
    answered(400, {
      error: { message: 'Your request was flagged as potentially violating our usage policy.' },
    }),
  ],
  [
    'DeepSeek: refused',
    'content',
    answered(400, { error: { message: 'Content Exists Risk: inappropriate content' } }),
  ],
  [
    'OpenAI: broken',
    'server',
    answered(500, {
      error: {
        message: 'The server had an error while processing your request.',
        type: 'server_error',
      },
    }),
  ],
  [
    'Anthropic: overloaded',
    'server',
    answered(529, { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  ['in the stream: overloaded', 'server', { type: 'overloaded_error', message: 'Overloaded' }],
  ['in the stream: only words', 'server', 'Internal server error'],
  ['a bare 503', 'server', answered(503, '<html>')],
  ['nobody listens', 'server', broke('ECONNREFUSED')],
  ['cut', 'server', broke('ECONNRESET')],
  ['no such host', 'server', broke('ENOTFOUND')],
  ['a gateway that waited', 'timeout', answered(504, 'upstream request timeout')],
  ['headers that never came', 'timeout', broke('UND_ERR_HEADERS_TIMEOUT')],
  ['408', 'timeout', answered(408, '')],
  ['a bad request', 'unknown', answered(400, { error: { message: "Unknown parameter: 'foo'." } })],
  [
    'no such model',
    'unknown',
    answered(404, {
      error: { message: 'The model `gpt-9` does not exist', code: 'model_not_found' },
    }),
  ],
  ['nothing at all', 'unknown', undefined],
]

test.each(KINDS)('%s: %s', (_name, expected, cause) => {
  // Thrown, and as an object within: the words are the same.
  expect(modelErrorOf(failure('MODEL_FAILED', 'p/m', { cause }))).toMatchObject({ class: expected })
  expect(
    modelErrorOf(
      failure('MODEL_FAILED', 'p/m', { cause: new Error('the stream broke', { cause }) }),
    ),
  ).toMatchObject({ class: expected })
})

test.each<[Parameters<typeof failure>[0], ModelErrorClass]>([
  ['MODEL_TIMEOUT', 'timeout'],
  ['MODEL_FILTERED', 'content'],
  ['ENV_NOT_SET', 'auth'],
  ['MODEL_MALFORMED', 'server'],
])('our own %s: %s', (code, expected) => {
  expect(modelErrorOf(failure(code, 'x'))).toEqual({ class: expected })
})

describe('how long to wait', () => {
  test.each<[string, unknown, number | undefined]>([
    ['seconds', answered(429, '', { 'Retry-After': '7' }), 7_000],
    ['ms', answered(429, '', { 'retry-after-ms': '350', 'retry-after': '1' }), 350],
    [
      'a date in the past',
      answered(429, '', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
      0,
    ],
    ['a delay in the body', answered(429, '{"error":{"details":[{"retryDelay": "32s"}]}}'), 32_000],
    ['words', answered(429, 'Please try again in 1m2.5s.'), 62_500],
    ['short words', answered(429, 'Please try again in 350ms.'), 350],
    ['for ever', answered(429, '', { 'retry-after': '99999999' }), 86_400_000],
    ['nonsense', answered(429, '', { 'retry-after': 'soon' }), undefined],
    ['nothing', answered(429, ''), undefined],
  ])('%s', (_name, cause, ms) => {
    expect(modelErrorOf(failure('MODEL_FAILED', 'x', { cause })).retryAfterMs).toBe(ms)
  })
})

test('a chain of causes in a circle ends', () => {
  const cause = new Error('round')
  cause.cause = cause
  expect(modelErrorOf(failure('MODEL_FAILED', 'x', { cause })).class).toBe('unknown')
})
