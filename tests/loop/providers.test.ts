import { readFileSync } from 'node:fs'
import modelAnthropic from '@amodal/plugin-model-anthropic'
import modelFailover from '@amodal/plugin-model-failover'
import modelGoogle from '@amodal/plugin-model-google'
import modelOpenai from '@amodal/plugin-model-openai'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import { createAgent } from '@amodal/presets'
import {
  defineBundle,
  definePlugin,
  defineTool,
  explain,
  Kernel,
  Models,
  replace,
  Tools,
  unwrap,
  use,
  type WireEvent,
} from '@amodal/sdk'
import {
  endsWithToolResult,
  plainDeps,
  reply,
  type ScriptedUsage,
  startModelServer,
} from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

// One behaviour for all providers: an agent on one side, each provider's own protocol on the other.

interface Provider {
  readonly provider: string
  readonly path: RegExp
  readonly key: (headers: Readonly<Record<string, unknown>>) => unknown
  /** What the provider wants to see again with the history. */
  readonly wantsSignature: boolean
  readonly tellsCacheWrites: boolean
}

const PROVIDERS: readonly Provider[] = [
  {
    provider: 'openai-compatible',
    path: /^\/v1\/chat\/completions$/,
    key: (headers) => headers['authorization'],
    wantsSignature: false,
    tellsCacheWrites: false,
  },
  {
    provider: 'openai',
    path: /^\/v1\/responses$/,
    key: (headers) => headers['authorization'],
    wantsSignature: true,
    tellsCacheWrites: false,
  },
  {
    provider: 'azure',
    path: /^\/v1\/responses$/,
    key: (headers) => headers['api-key'],
    wantsSignature: true,
    tellsCacheWrites: false,
  },
  {
    provider: 'anthropic',
    path: /^\/v1\/messages$/,
    key: (headers) => headers['x-api-key'],
    wantsSignature: true,
    tellsCacheWrites: true,
  },
  {
    provider: 'google',
    path: /^\/v1\/models\/scripted:streamGenerateContent\?alt=sse$/,
    key: (headers) => headers['x-goog-api-key'],
    wantsSignature: true,
    tellsCacheWrites: false,
  },
  {
    provider: 'vertex',
    path: /^\/v1\/models\/scripted:streamGenerateContent\?alt=sse$/,
    key: (headers) => headers['x-goog-api-key'],
    wantsSignature: true,
    tellsCacheWrites: false,
  },
  {
    provider: 'bedrock',
    path: /^\/v1\/model\/scripted\/converse-stream$/,
    key: (headers) => headers['authorization'],
    wantsSignature: true,
    tellsCacheWrites: true,
  },
]

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const IMAGES = [{ mediaType: 'image/png', data: PNG }]
const SIGNATURE = 'c2lnbmVkLWJ5LXRoZS1wcm92aWRlcg=='
const usage: Partial<ScriptedUsage> = {
  promptTokens: 900,
  cachedTokens: 600,
  cacheWriteTokens: 100,
  completionTokens: 40,
  reasoningTokens: 10,
}

const colours = definePlugin({
  name: 'colours',
  version: '1.0.0',
  setup({ add }) {
    const lookUp = defineTool({
      name: 'look_up',
      description: 'Looks a colour up.',
      readOnly: true,
      input: z.object({ colour: z.string() }),
      execute: ({ colour }) =>
        Promise.resolve({ status: 'success', output: { name: `${colour} 40` } }),
    })
    add(Tools, 'colours', { tools: () => [lookUp] })
  },
})

const wordsOf = (events: readonly WireEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')

test.each(PROVIDERS)(
  '$provider: text, tools, images, thoughts, usage; and what fails, fails the same',
  async ({ provider, path, key, wantsSignature, tellsCacheWrites }) => {
    const call = reply.toolCalls(
      [
        { name: 'look_up', arguments: { colour: 'red' } },
        { name: 'look_up', arguments: { colour: 'blue' } },
      ],
      { before: 'I look. ', thought: { text: 'A pixel?', signature: SIGNATURE }, usage },
    )
    const answer = reply.text(['It is ', 'red 40.'], { usage })
    const model = await startModelServer({
      script: (request) => (endsWithToolResult(request) ? answer : call),
    })
    onTestFinished(() => model.close())
    const spare = {
      provider: provider === 'openai-compatible' ? 'openai' : 'openai-compatible',
      model: 'spare',
      baseUrl: model.url,
    }
    const agent = await createAgent({
      provider,
      apiKey: 'sk-my-own-0123456789',
      env: { TEAM: 'red-team-7' },
      providerConfig: {
        model: 'scripted',
        baseUrl: model.url,
        headers: { 'x-team': 'env:TEAM' },
        fallback: spare,
      },
      plugins: [use(colours), replace('model-failover', modelFailover, { retries: 0, baseMs: 1 })],
      settings: { stallMs: 500 },
    })
    onTestFinished(() => agent.shutdown())
    const session = await agent.createSession()
    const say = async (text: string, assets?: typeof IMAGES): Promise<readonly WireEvent[]> => {
      const events: WireEvent[] = []
      for await (const event of session.stream(text, assets && { assets })) events.push(event)
      return events
    }

    // An image, two tools, and what it took.
    const events = await say('What is this?', IMAGES)
    expect(wordsOf(events)).toBe('I look. It is red 40.')
    expect(events.filter(({ type }) => type === 'tool_call_result')).toMatchObject([
      { status: 'success', result: '{"name":"red 40"}' },
      { status: 'success', result: '{"name":"blue 40"}' },
    ])
    // What came from a cache is that of the last call: each one reports about the whole
    // conversation again.
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'model_stop',
      usage: {
        input_tokens: 1_800,
        output_tokens: 80,
        cached_tokens: 600,
        ...(tellsCacheWrites && { cache_creation_tokens: 100 }),
      },
    })
    const [asked, answered] = model.requests
    expect(asked?.path).toMatch(path)
    expect(key(asked?.headers ?? {})).toMatch(/sk-my-own-0123456789$/)
    expect(asked?.headers['x-team']).toBe('red-team-7')
    expect(JSON.stringify(asked?.sent)).toContain(PNG)
    for (const word of [PNG, 'I look.', 'red 40', 'blue 40'])
      expect(JSON.stringify(answered?.sent)).toContain(word)
    expect(JSON.stringify(answered?.sent).includes(SIGNATURE)).toBe(wantsSignature)

    // Another provider takes over in the middle of the conversation, and gets what it can read.
    model.play((request) =>
      request.model === 'spare'
        ? reply.text('Spared.')
        : reply.httpError(503, { message: 'down for repairs' }),
    )
    expect(wordsOf(await say('Once more?'))).toBe('Spared.')
    const taken = JSON.stringify(model.requests.at(-1)?.sent)
    expect(taken).toContain(PNG)
    expect(taken).toContain('red 40')
    expect(taken).not.toContain(SIGNATURE)

    // Whatever goes wrong, the run ends and says why: refused, in the stream, cut, cut short,
    // silent.
    const failures = [
      [reply.httpError(401, { message: 'no such key' }), /401: no such key/],
      [
        reply.text(['one ', 'two '], {
          ending: { kind: 'error', after: 1, error: { message: 'the engine is overloaded' } },
        }),
        /overloaded/,
      ],
      [
        reply.text(['one ', 'two '], { ending: { kind: 'cut', after: 1 }, pace: 5 }),
        /could not be called|without a finish reason/,
      ],
      [
        reply.text(['one ', 'two '], { ending: { kind: 'truncated', after: 1 } }),
        /without a finish reason/,
      ],
      [reply.text(['one ', 'two '], { ending: { kind: 'stall', after: 1 } }), /stopped sending/],
    ] as const
    for (const [script, words] of failures) {
      model.play((request) =>
        request.model === 'spare' ? reply.httpError(400, { message: 'not today' }) : script,
      )
      const failed = await say('Hello?')
      expect(failed.at(-1)).toMatchObject({ type: 'done', reason: 'error' })
      expect(failed).toContainEqual(
        expect.objectContaining({ type: 'error', message: expect.stringMatching(words) as string }),
      )
    }
    model.play(answer)
    expect(wordsOf(await say('Are you back?'))).toBe('It is red 40.')
  },
)

test('where no model is named the keys choose, as the documentation has it: Anthropic, OpenAI, Google, then the others', async () => {
  const names = [
    'anthropic',
    'openai',
    'google',
    'groq',
    'deepseek',
    'xai',
    'mistral',
    'fireworks',
    'together',
  ]
  const keys = Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_API_KEY`, 'k']))
  const kernel = unwrap(
    await Kernel.create([
      use(plainDeps(keys)),
      use(modelOpenaiCompatible),
      use(modelGoogle),
      use(modelOpenai),
      use(modelAnthropic),
    ]),
    explain,
  )
  onTestFinished(async () => {
    await kernel.close()
  })
  const bundle = defineBundle({ name: 'desk' })
  const found = [...kernel.current().registry(Models).values()]
    .flatMap((provider) => provider.detect?.(bundle) ?? [])
    .sort((a, b) => a.rank - b.rank)
  expect(found.map(({ config }) => config.provider)).toEqual(names)
  const table = readFileSync(new URL('../../docs/write-an-agent.md', import.meta.url), 'utf8')
  for (const {
    config: { provider, model, apiKey },
  } of found)
    expect(table).toContain(
      `| \`${provider}\` | \`${apiKey?.slice('env:'.length)}\` | \`${model}\` |`,
    )
})
