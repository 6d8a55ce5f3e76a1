import { createAgent } from '@amodal/presets'
import {
  definePlugin,
  ok,
  Tools,
  use,
  type JsonObject,
  type Logger,
  type ModelConfig,
  type ToolDefinition,
  type WireEvent,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'

// What of tools and settings reaches which provider; the endpoint refuses schemas that real ones
// refuse.

const PROVIDERS = [
  'openai-compatible',
  'openai',
  'azure',
  'anthropic',
  'google',
  'vertex',
  'bedrock',
] as const

interface Talk {
  readonly model: ModelServer
  readonly log: readonly string[]
  readonly ran: readonly JsonObject[]
  readonly say: (text: string) => Promise<readonly WireEvent[]>
}

async function talk(
  provider: string,
  schemas: Readonly<Record<string, JsonObject>>,
  config: Partial<ModelConfig> = {},
): Promise<Talk> {
  const model = await startModelServer({
    script: reply.toolsThenText(
      { name: Object.keys(schemas)[0] ?? 'none', arguments: { path: 'a' } },
      'Done.',
    ),
  })
  onTestFinished(() => model.close())
  const ran: JsonObject[] = []
  const log: string[] = []
  const tools = Object.entries(schemas).map(([name, parameters]): ToolDefinition => ({
    name,
    description: name,
    parameters,
    readOnly: true,
    parse: (args) => ok(args),
    execute(args) {
      ran.push(args)
      return Promise.resolve({ status: 'success', output: 'ran' })
    },
  }))
  const plugin = definePlugin({
    name: 'odd-tools',
    version: '1.0.0',
    setup({ add }) {
      add(Tools, 'odd-tools', { tools: () => tools })
    },
  })
  const note = (event: string, facts?: object): void =>
    void log.push(`${event} ${JSON.stringify(facts ?? {})}`)
  const logger: Logger = {
    trace: note,
    debug: note,
    info: note,
    warn: note,
    error: note,
    child: () => logger,
  }
  const agent = await createAgent({
    provider,
    apiKey: 'sk-my-own-0123456789',
    env: {},
    providerConfig: { model: 'scripted', baseUrl: model.url, ...config },
    plugins: [use(plugin)],
    logger,
  })
  onTestFinished(() => agent.shutdown())
  const session = await agent.createSession()
  return {
    model,
    log,
    ran,
    async say(text) {
      const events: WireEvent[] = []
      for await (const event of session.stream(text)) events.push(event)
      return events
    },
  }
}

describe.each(PROVIDERS)('%s', (provider) => {
  test('a tool of whatever schema ends no turn: it is sent as it is taken, or left out and told', async () => {
    const { model, log, ran, say } = await talk(provider, {
      bare: { type: 'object' },
      choice: {
        oneOf: [
          { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        ],
      },
      referring: {
        $ref: '#/$defs/in',
        $defs: {
          in: { type: 'object', properties: { deep: { $ref: '#/$defs/text' } } },
          text: { type: ['string', 'null'], format: 'uri' },
        },
      },
      no_object: { type: 'array', items: { type: 'string' } },
    })
    const events = await say('Go.')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(ran).toEqual([{ path: 'a' }])
    const sent = model.requests[0]?.body.tools?.map(({ function: { name } }) => name) ?? []
    expect(sent).toEqual(expect.arrayContaining(['bare', 'choice', 'referring']))
    expect(sent).not.toContain('no_object')
    await say('And again.')
    expect(
      log.filter((line) => line.startsWith('model_unsupported')),
      'told once',
    ).toEqual([expect.stringMatching(/no_object.*left out/)])
  })

  test('settings reach the provider that has them, and those it lacks are told', async () => {
    const { model, log, say } = await talk(
      provider,
      { strict: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
      {
        topP: 0.5,
        seed: 7,
        strictTools: true,
        responseSchema: {
          type: 'object',
          properties: { answer: { type: 'string' } },
          required: ['answer'],
          additionalProperties: false,
        },
      },
    )
    await say('Go.')
    const sent = JSON.stringify(model.requests[0]?.sent)
    expect(sent).toMatch(/"(top_p|topP)":0\.5/)
    expect(sent).toContain('"answer"')
    const lacksSeed = ['openai', 'azure', 'anthropic', 'bedrock'].includes(provider)
    expect(/"seed":7/.test(sent)).toBe(!lacksSeed)
    expect(
      log.some((line) => line.startsWith('model_unsupported') && line.includes('`seed`')),
    ).toBe(lacksSeed)
    if (provider.startsWith('openai') || provider === 'azure')
      expect(sent).toContain('"strict":true')
  })
})

test.each<readonly [string, string, Partial<ModelConfig>, RegExp]>([
  ['openai-compatible', 'scripted', { effort: 'low' }, /"reasoning_effort":"low"/],
  ['openai', 'gpt-5', { effort: 'low' }, /"reasoning":\{"effort":"low"/],
  [
    'anthropic',
    'claude-sonnet-4-20250514',
    { thinking: 2_048 },
    /"thinking":\{"type":"enabled","budget_tokens":2048/,
  ],
  ['anthropic', 'claude-sonnet-4-20250514', { effort: 'low' }, /"thinking":\{"type":"enabled"/],
  [
    'google',
    'gemini-2.5-flash',
    { thinking: 2_048 },
    /"thinkingConfig":\{"thinkingBudget":2048,"includeThoughts":true/,
  ],
  [
    'vertex',
    'gemini-2.5-flash',
    { thinking: 2_048 },
    /"thinkingConfig":\{"thinkingBudget":2048,"includeThoughts":true/,
  ],
  [
    'bedrock',
    'eu.anthropic.claude-sonnet-4-20250514-v1:0',
    { thinking: 2_048 },
    /"thinking":\{"type":"enabled","budget_tokens":2048/,
  ],
])('%s: %s thinks as it is told to', async (provider, model, config, expected) => {
  const { model: server, say } = await talk(provider, {}, { model, ...config })
  await say('Go.')
  expect(JSON.stringify(server.requests[0]?.sent)).toMatch(expected)
})
