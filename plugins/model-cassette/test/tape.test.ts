import {
  failure,
  modelErrorOf,
  type JsonObject,
  type Message,
  type ModelCall,
  type OutputRedactor,
  type Secrets,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { nearest } from '../src/difference.ts'
import { playing } from '../src/player.ts'
import { recordedRequest, keyOf, type RecordedRequest } from '../src/request.ts'
import { Scrubber } from '../src/scrubber.ts'
import { errorFrom, errorJson, read, written } from '../src/tape.ts'

const secrets: Secrets = {
  get: () => undefined,
  resolve: () => ({ ok: true, value: '' }),
  load: () => [],
  values: () => ['hunter22'],
  protect: () => () => undefined,
  mask: (text) => text.replaceAll('hunter22', '[MASKED]'),
}
const outgoing: OutputRedactor = {
  text: (text) => text.replaceAll('4111-1111', '[card]'),
  entry: (entry) => entry,
  redactedPaths: () => [],
  personalNumbers: () => [],
}
const scrub = new Scrubber(secrets, outgoing, [
  { value: 'Ada Lovelace', entity: 'person', field: 'name', policy: 'never', sensitivity: 'high' },
])

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const called = (id: string): readonly Message[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: { at: 'it' } }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: id,
        toolName: 'look',
        output: { type: 'text', value: 'seen' },
      },
    ],
  },
]
const call = (more: Partial<ModelCall> = {}): ModelCall => ({
  tier: 'main',
  config: { provider: 'p', model: 'm' },
  system: 'be good',
  messages: [user('hi')],
  tools: [
    { type: 'function', name: 'look', description: 'looks', inputSchema: { type: 'object' } },
  ],
  toolChoice: 'auto',
  settings: { temperature: 0 },
  step: 1,
  attempt: 0,
  ...more,
})
const asked = (more: Partial<ModelCall> = {}, ignore: readonly RegExp[] = []): RecordedRequest =>
  recordedRequest(call(more), scrub, ignore)

describe('the same request', () => {
  test.each<[string, Partial<ModelCall>, Partial<ModelCall>?]>([
    [
      'another address and key',
      {
        config: {
          provider: 'p',
          model: 'm',
          baseUrl: 'http://elsewhere',
          apiKey: 'k',
          headers: { a: 'b' },
        },
      },
    ],
    [
      'another step and attempt, beside the conversation',
      { step: 7, attempt: 2, tier: 'simple', aside: true },
    ],
    [
      'marks for a cache',
      {
        systemOptions: { anthropic: { cacheControl: 1 } },
        messages: [{ ...user('hi'), providerOptions: { anthropic: { cacheControl: 1 } } }],
        settings: { temperature: 0, providerOptions: { openai: { promptCacheKey: 's' } } },
      },
    ],
    [
      'other ids of calls',
      { messages: [user('hi'), ...called('a1'), ...called('a2')] },
      { messages: [user('hi'), ...called('x'), ...called('y')] },
    ],
    ['a secret in place of its mask', { system: 'hunter22' }, { system: '[MASKED]' }],
  ])('%s', (_what, one, other = {}) => expect(keyOf(asked(one))).toBe(keyOf(asked(other))))

  test.each<[string, Partial<ModelCall>, string]>([
    ['another model', { config: { provider: 'p', model: 'n' } }, 'the model was p/m, and is p/n'],
    ['another prompt', { system: 'be bad' }, 'the system prompt was "be good", and is "be bad"'],
    ['another tool', { tools: [] }, 'the tool look is gone'],
    ['another setting', { settings: { temperature: 1 } }, '`temperature` was 0, and is 1'],
    ['another choice', { toolChoice: 'none' }, 'the choice of tools was auto, and is none'],
    [
      'one message more',
      { messages: [user('hi'), user('there')] },
      'the number of messages was 1, and is 2',
    ],
    ['other words', { messages: [user('ho')] }, 'message 1 (user) was "hi", and is "ho"'],
    [
      'calls that belong to others',
      { messages: [user('hi'), ...called('a1'), ...called('a1')] },
      'the number of messages was 1, and is 5',
    ],
  ])('is not one with %s', (_what, more, difference) => {
    const kept = asked()
    expect(keyOf(asked(more))).not.toBe(keyOf(kept))
    const like = { key: keyOf(kept), asked: kept, takes: [] }
    const unlike = {
      key: 'far',
      asked: asked({ config: { provider: 'q', model: 'o' }, system: 'x', messages: [user('?')] }),
      takes: [],
    }
    expect(nearest(asked(more), [unlike, like])).toBe(
      `the nearest is ${keyOf(kept).slice(0, 16)}.jsonl: ${difference}`,
    )
  })

  test('but for what is to be ignored', () => {
    const dated = (date: string): string =>
      keyOf(asked({ system: `today is ${date}` }, [/\d{4}-\d\d-\d\d/g]))
    expect(dated('2026-01-01')).toBe(dated('2027-02-02'))
    expect(nearest(asked(), [])).toBe('nothing is recorded')
  })
})

test('what may not be kept is taken out, also where it came in pieces or stands in arguments', () => {
  expect(
    scrub.pieces(['my h', 'unter', '22 and Ada Love', 'lace, ', '4111-', '1111.']).join(''),
  ).toBe('my [MASKED] and [withheld], [card].')
  const same = ['nothing ', 'of the kind']
  expect(scrub.pieces(same)).toBe(same)
  expect(JSON.parse(scrub.arguments('{"a":{"b":"Ada Lovelace"}}'))).toEqual({
    a: { b: '[withheld]' },
  })
  expect(scrub.arguments('{"broken": "hunter22')).toBe('{"broken": "[MASKED]')
})

test.each<[string, unknown]>([
  [
    'an error of a provider',
    Object.assign(new Error('answered 429'), {
      statusCode: 429,
      responseHeaders: { 'Retry-After': '7', 'set-cookie': 'x' },
      responseBody: '{"error":{"code":"rate_limit"}}',
    }),
  ],
  [
    'one within another',
    new Error('all failed', {
      cause: Object.assign(new Error('x'), {
        data: { error: { type: 'overloaded_error', message: 'Overloaded' } },
      }),
    }),
  ],
  ['an object', { message: 'prompt is too long', code: 400 }],
  ['words', 'socket hang up'],
])('%s means the same when it is replayed', (_what, cause) => {
  const json = JSON.parse(JSON.stringify(errorJson(cause))) as JsonObject
  expect(JSON.stringify(json)).not.toContain('cookie')
  expect(modelErrorOf(failure('MODEL_FAILED', 'm', { cause: errorFrom(json) }))).toEqual(
    modelErrorOf(failure('MODEL_FAILED', 'm', { cause })),
  )
})

test('a file is read as it was written, and a line that is none is named', () => {
  const tape = {
    key: 'k',
    asked: asked(),
    takes: [
      [{ take: 1, at: 3, part: { type: 'text-delta', id: 't', delta: 'a' } }],
      [{ take: 2, at: 0, thrown: { text: 'no' } }],
    ],
  }
  expect(read(written(tape), 'f')).toEqual({ ok: true, value: tape })
  expect(read(written(tape).replace('"take":2', '"take":4'), 'f.jsonl')).toMatchObject({
    ok: false,
    error: { code: 'BAD_REPO', message: expect.stringMatching(/^f\.jsonl:3: /) as string },
  })
  expect(read('', 'f.jsonl')).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/^f\.jsonl:1: /) as string },
  })
})

test('as slowly as it came, or at once; and stopped where its reader stops', async () => {
  const take = [
    { take: 1, at: 0, part: { type: 'text-start', id: 't' } },
    { take: 1, at: 60, part: { type: 'text-end', id: 't' } },
  ]
  const played = async (pace: 'instant' | 'recorded', signal?: AbortSignal): Promise<number> => {
    const began = performance.now()
    const { stream } = await playing(take, { provider: 'p', model: 'm' }, pace).doStream({
      prompt: [],
      ...(signal && { abortSignal: signal }),
    })
    for await (const part of stream) expect(part).toHaveProperty('id')
    return performance.now() - began
  }
  expect(await played('recorded')).toBeGreaterThanOrEqual(55)
  await expect(played('recorded', AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
    'stopped',
  )
  await played('instant')
})
