import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect } from 'vitest'
import type { LanguageModel, Message, StreamPart, ToolSchema } from '../../ports/model.ts'
import { reply, startModelServer, type ModelServer, type Script } from '../model-server.ts'
import { observeReply, until, type Observed } from '../observed-reply.ts'

export const API_KEY = 'sk-contract-0123456789'
const TOOL: ToolSchema = {
  type: 'function',
  name: 'look_up',
  description: 'Looks something up.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  },
}
/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
export const ASK: LanguageModelV4CallOptions = {
  prompt: [{ role: 'system', content: 'Be brief.' }, user('Hello?')],
  tools: [TOOL],
}
export interface Endpoint {
  readonly url: string
  readonly apiKey: string
  readonly model: string
}

/** The provider under test. `call` plays a script and returns the observed reply. */
export interface Bench {
  readonly server: ModelServer
  readonly model: LanguageModel
  readonly make: (endpoint: Endpoint) => LanguageModel | Promise<LanguageModel>
  readonly call: (
    script: Script,
    options?: Partial<LanguageModelV4CallOptions>,
    onPart?: (part: StreamPart) => void,
  ) => Promise<Observed>
}
/** What a turn relies on. */
export const CASES = {
  async 'gives the text in the order it came in'({ call }: Bench) {
    const seen = await call(reply.text(['Hel', 'lo, ', '', 'wörld 🌍']))
    expect(seen).toMatchObject({ text: 'Hello, wörld 🌍', finish: 'stop', failures: [] })
  },

  async 'gives each piece when it comes, not when the reply is complete'({ call, server }: Bench) {
    let endedWhenFirstSeen: boolean | undefined
    await call(reply.text(['a', 'b', 'c', 'd'], { pace: 30 }), {}, (part) => {
      if (part.type === 'text-delta') endedWhenFirstSeen ??= server.requests.at(-1)?.closed
    })
    expect(endedWhenFirstSeen).toBe(false)
  },

  async 'gives what was thought apart from what is said'({ call }: Bench) {
    const seen = await call(
      reply.text(['Ten', '.'], { thought: { text: 'Five and five.', signature: 'c2ln' } }),
    )
    expect(seen).toMatchObject({
      text: 'Ten.',
      reasoning: 'Five and five.',
      finish: 'stop',
      failures: [],
    })
  },

  async 'gives a tool call with its id, its name and its arguments'({ call }: Bench) {
    const seen = await call(
      reply.toolCalls({ id: 'call_7', name: 'look_up', arguments: { id: 'a1' } }),
    )
    expect(seen).toMatchObject({
      finish: 'tool-calls',
      failures: [],
      calls: [{ toolCallId: 'call_7', toolName: 'look_up', input: '{"id":"a1"}' }],
    })
  },

  async 'puts arguments together however they were cut'({ call }: Bench) {
    const args = { id: 'a "quoted" ü \\ \n 🌍', list: [1, { deep: [true, null] }] }
    for (const pieces of [1, 2, 7, 60]) {
      const seen = await call(reply.toolCalls({ name: 'look_up', arguments: args, pieces }))
      expect(seen.calls.map((one): unknown => JSON.parse(one.input))).toEqual([args])
    }
  },

  async 'keeps parallel calls apart and in order'({ call }: Bench) {
    const seen = await call(
      reply.toolCalls([
        { name: 'look_up', arguments: { id: 'a' } },
        { name: 'look_up', arguments: { id: 'b' } },
        { name: 'look_up', arguments: {} },
      ]),
    )
    expect(seen.calls.map((one) => one.input)).toEqual(['{"id":"a"}', '{"id":"b"}', '{}'])
    expect(new Set(seen.calls.map((one) => one.toolCallId)).size).toBe(3)
  },

  async 'keeps what was said before a call'({ call }: Bench) {
    const seen = await call(
      reply.toolCalls({ name: 'look_up', arguments: {} }, { before: 'Let me see.' }),
    )
    expect(seen).toMatchObject({ text: 'Let me see.', finish: 'tool-calls' })
    expect(seen.calls).toHaveLength(1)
  },

  async 'hands on arguments that are no JSON as they are'({ call }: Bench) {
    const seen = await call(reply.toolCalls({ name: 'look_up', arguments: '{"id": ' }))
    expect(seen.calls.map((one) => one.input)).toEqual(['{"id": '])
  },

  async 'tells a reply that was cut by its length from one that ended'({ call }: Bench) {
    expect((await call(reply.text('and so', { finishReason: 'length' }))).finish).toBe('length')
  },

  async 'reports usage, cached input apart'({ call }: Bench) {
    const seen = await call(
      reply.text('x', { usage: { promptTokens: 900, completionTokens: 12, cachedTokens: 600 } }),
    )
    expect(seen.usage).toMatchObject({
      inputTokens: { total: 900, noCache: 300, cacheRead: 600 },
      outputTokens: { total: 12 },
    })
  },

  async 'reports an error in the middle of a reply, after the text so far'({ call }: Bench) {
    const seen = await call(
      reply.text(['one ', 'two '], {
        ending: {
          kind: 'error',
          after: 1,
          error: { message: 'the engine is overloaded', type: 'server_error' },
        },
      }),
    )
    expect(seen.text).toBe('one ')
    expect(seen.failures.join(' ')).toContain('overloaded')
    expect(seen.finish).not.toBe('stop')
  },

  async 'reports a connection that is cut, and completes no call of it'({ call }: Bench) {
    const seen = await call(
      reply.toolCalls(
        { name: 'look_up', arguments: { id: 'long enough to cut' }, pieces: 4 },
        { before: 'so', ending: { kind: 'cut', after: 3 }, pace: 5 },
      ),
    )
    expect(seen.failures).not.toEqual([])
    expect(seen).toMatchObject({ text: 'so', calls: [] })
  },

  async 'reports a reply that ends without having ended'({ call }: Bench) {
    const seen = await call(reply.text(['one', 'two'], { ending: { kind: 'truncated', after: 1 } }))
    expect(seen.failures).not.toEqual([])
    expect(seen.finish).not.toBe('stop')
  },

  async 'reports a reply of nothing'({ call }: Bench) {
    expect((await call(reply.emptyStream())).failures).not.toEqual([])
  },

  async 'ends with the reply, not with the connection'({ call }: Bench) {
    const began = performance.now()
    expect(await call(reply.text(['one', 'two'], { ending: { kind: 'lingers' } }))).toMatchObject({
      text: 'onetwo',
      finish: 'stop',
      failures: [],
    })
    expect(performance.now() - began, 'nobody waits for what does not come').toBeLessThan(4_000)
  },

  async 'takes nothing that comes after the end'({ call }: Bench) {
    const late = reply.toolCalls({ name: 'look_up', arguments: { id: 'late' } }, { before: 'more' })
    const seen = await call(reply.text(['one'], { ending: { kind: 'lingers', late } }))
    expect(seen).toMatchObject({ text: 'one', finish: 'stop', calls: [], failures: [] })
  },

  async 'reads lines that end in any of the three ways'({ call }: Bench) {
    for (const lineEnd of ['\r', '\r\n'] as const) {
      const seen = await call(
        reply.toolCalls({ name: 'look_up', arguments: { id: 'a1' } }, { before: 'So.', lineEnd }),
      )
      expect(seen).toMatchObject({
        text: 'So.',
        finish: 'tool-calls',
        failures: [],
        calls: [{ toolName: 'look_up', input: '{"id":"a1"}' }],
      })
    }
  },

  async 'reads a whole body where a stream was asked for'({ call }: Bench) {
    const usage = { promptTokens: 900, completionTokens: 12, cachedTokens: 600 }
    const seen = await call(
      reply.toolCalls(
        { name: 'look_up', arguments: { id: 'a1' } },
        { before: 'So.', unstreamed: true, usage },
      ),
    )
    expect(seen).toMatchObject({
      text: 'So.',
      finish: 'tool-calls',
      failures: [],
      calls: [{ toolName: 'look_up' }],
      usage: { inputTokens: { total: 900, cacheRead: 600 }, outputTokens: { total: 12 } },
    })
    expect(seen.calls.map((one): unknown => JSON.parse(one.input))).toEqual([{ id: 'a1' }])
  },

  async 'reports a chunk that is no JSON'({ call }: Bench) {
    expect(
      (await call(reply.text(['one', 'two'], { ending: { kind: 'broken-json', after: 1 } })))
        .failures,
    ).not.toEqual([])
  },

  async 'closes the connection when the call is aborted in the middle'({ call, server }: Bench) {
    const stop = new AbortController()
    const seen = await call(
      reply.text(['x'], { ending: { kind: 'endless' }, pace: 5 }),
      { abortSignal: stop.signal },
      (part) => {
        if (part.type === 'text-delta') stop.abort()
      },
    )
    expect(seen.finish).not.toBe('stop')
    await until(() => server.requests.at(-1)?.aborted)
  },

  async 'closes the connection when the call is aborted before the first byte'({
    call,
    server,
  }: Bench) {
    const stop = new AbortController()
    const before = server.count
    const seen = call(reply.silence(), { abortSignal: stop.signal })
    await until(() => server.count > before)
    stop.abort()
    expect((await seen).failures).not.toEqual([])
    await until(() => server.requests.at(-1)?.aborted)
  },

  async 'closes the connection when the reader leaves'({ model, server }: Bench) {
    server.play(reply.text(['x'], { ending: { kind: 'endless' }, pace: 5 }))
    const { stream } = await model.doStream(ASK)
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
    await until(() => server.requests.at(-1)?.aborted)
  },

  async 'makes no call for a signal that is aborted already'({ call, server }: Bench) {
    const before = server.count
    expect(
      (await call(reply.text('x'), { abortSignal: AbortSignal.abort() })).failures,
    ).not.toEqual([])
    expect(server.count).toBe(before)
  },

  async 'reports 401, not to be tried again'({ call }: Bench) {
    const seen = await call(reply.httpError(401, { message: 'no such key' }))
    expect(seen.errors).toMatchObject([{ statusCode: 401, isRetryable: false }])
  },

  async 'reports 429 with the time to wait'({ call }: Bench) {
    const seen = await call(reply.httpError(429, { message: 'slow down', retryAfter: 7 }))
    expect(seen.errors).toMatchObject([
      { statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '7' } },
    ])
    expect(seen.failures[0]).toContain('slow down')
  },

  async 'reports 500, to be tried again'({ call }: Bench) {
    const seen = await call(reply.httpError(500, { message: 'went wrong' }))
    expect(seen.errors).toMatchObject([{ statusCode: 500, isRetryable: true }])
    expect(seen.failures[0]).toContain('went wrong')
  },

  async 'never repeats its key, even where the endpoint does'({ call }: Bench) {
    for (const script of [
      reply.httpError(401, { message: `bad key ${API_KEY}` }),
      reply.httpError(500),
      reply.emptyStream(),
    ]) {
      const seen = await call(script)
      expect(JSON.stringify([seen.failures, seen.errors])).not.toContain(API_KEY)
    }
  },

  async 'reports an endpoint that nobody listens on, to be tried again'({ make }: Bench) {
    const closed = await startModelServer({ script: reply.silence() })
    await closed.close()
    const seen = await observeReply(
      await make({ url: closed.url, apiKey: API_KEY, model: 'contract' }),
      ASK,
    )
    expect(seen.errors).toMatchObject([{ isRetryable: true }])
  },

  async 'sends its key, the tools and the history'({ call, server }: Bench) {
    const prompt: Message[] = [
      { role: 'system', content: 'Be brief.' },
      user('Look up a1.'),
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
    expect((await call(reply.text('Eleven.'), { prompt })).failures).toEqual([])
    const { body, headers } = server.requests.at(-1) ?? expect.fail('no request arrived')
    expect(JSON.stringify(headers)).toContain(API_KEY)
    const sent = JSON.stringify(body)
    for (const word of ['Be brief.', 'Look up a1.', 'One moment.', 'eleven', 'Looks something up.'])
      expect(sent).toContain(word)
    // Not every protocol has ids; the result belongs to the call all the same.
    const [called, result] = body.messages.slice(-2)
    const ids = called?.role === 'assistant' ? called.tool_calls?.map(({ id }) => id) : undefined
    expect(result?.role === 'tool' && [result.tool_call_id]).toEqual(ids)
  },

  async 'asks for no tool where none may be called'({ call, server }: Bench) {
    await call(reply.text('No.'), { toolChoice: { type: 'none' } })
    const body = server.requests.at(-1)?.body
    expect(body?.tools === undefined || body.tool_choice === 'none').toBe(true)
  },

  async 'sends images'({ call, server }: Bench) {
    const prompt: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
        ],
      },
    ]
    expect((await call(reply.text('A pixel.'), { prompt })).failures).toEqual([])
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(PNG)
  },

  async 'answers sixteen calls at once, each with its own reply'({ model, server }: Bench) {
    server.play((request) =>
      reply.text(`for ${JSON.stringify(request.messages.at(-1)?.content)}`, { pace: 2 }),
    )
    const seen = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        observeReply(model, { ...ASK, prompt: [user(`caller ${n}.`)] }),
      ),
    )
    expect(seen.map((one) => one.text.includes(`caller ${seen.indexOf(one)}.`))).toEqual(
      seen.map(() => true),
    )
  },
} satisfies Readonly<Record<string, (bench: Bench) => Promise<void>>>

export type ProviderCase = keyof typeof CASES
