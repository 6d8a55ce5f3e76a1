import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_USAGE, sessionId, type AgentBundle, type ModelCall } from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { marked } from '../src/cache-marks.ts'
import { withPrices } from '../src/price-file.ts'
import { PriceList, costOf } from '../src/price-list.ts'
import { PRICES } from '../src/prices.ts'

const bundle = (more: Partial<AgentBundle> = {}): AgentBundle => ({
  hash: 'x',
  root: undefined,
  manifest: { name: 'a', version: '1', models: {}, limits: {}, raw: {} },
  instructions: undefined,
  skills: [],
  knowledge: [],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
  ...more,
})

async function folder(text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-prices-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'prices.json'), text)
  return dir
}

describe('a cost', () => {
  test('counts what came from a cache and what went into one apart', () => {
    const usage = { input: 1_000_000, output: 10_000, cacheRead: 600_000, cacheWrite: 100_000 }
    // 0.3 M fresh at 3, 0.6 M at 0.3, 0.1 M at 3.75, 0.01 M at 15
    expect(costOf({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, usage)).toBe(
      (0.9 + 0.18 + 0.375 + 0.15) * 1e9,
    )
    expect(costOf({ input: 3, output: 15 }, usage)).toBe((3 + 0.15) * 1e9)
  })

  test('of a single token is exact, and of nothing is nothing', () => {
    expect(costOf({ input: 0.25, output: 1.5 }, { ...NO_USAGE, input: 1 })).toBe(250)
    expect(costOf({ input: 3, output: 15 }, NO_USAGE)).toBe(0)
  })
})

describe('a price', () => {
  const list = new PriceList({
    'openai/gpt-4o': { input: 1, output: 1 },
    mine: { input: 0, output: 0 },
  })

  test.each([
    ['anthropic', 'claude-sonnet-4-20250514', 3],
    ['openai', 'gpt-4o-mini', 0.15],
    ['openai', 'gpt-4.1-2025-04-14', 2],
    ['openai', 'gpt-4o', 1],
    ['ollama', 'mine', 0],
  ])('%s/%s', (provider, model, input) => {
    expect(list.of({ provider, model }, bundle())?.input).toBe(input)
  })

  test.each([
    ['openai', 'gpt-9'],
    ['openai', 'gpt-4o-audio'],
    ['elsewhere', 'gpt-4o'],
    ['openai', 'constructor'],
    ['openai', '__proto__'],
  ])('%s/%s is not guessed', (provider, model) => {
    expect(list.price({ provider, model }, { ...NO_USAGE, input: 5 }, bundle())).toBeUndefined()
  })

  test('every one that is built in has what it takes', () => {
    for (const [name, { input, output }] of Object.entries(PRICES))
      expect([name, input > 0, output > 0]).toEqual([name, true, true])
  })
})

describe('prices.json', () => {
  test('comes first, and what is wrong in it is named with its line while the rest counts', async () => {
    const root = await folder(`{
  "openai/gpt-4o": { "input": 7, "output": 8 },
  "holes": { "input": 1 },
  "words": { "input": "cheap", "output": 2 },
  "less": { "input": -1, "output": 2 },
  "list": [1, 2],
  "odd": { "input": 1, "output": 2, "cachRead": 3 }
}`)
    const read = await withPrices(bundle({ root }))
    expect(
      read?.issues.map(({ severity, file, line, message }) => [
        severity,
        `${file}:${line}`,
        message,
      ]),
    ).toEqual([
      ['error', 'prices.json:3', 'the price of `holes` has no `output`'],
      ['error', 'prices.json:4', '`input` of `words` is no price'],
      ['error', 'prices.json:5', '`input` of `less` is no price'],
      ['error', 'prices.json:6', 'the price of `list` is no object'],
      ['warning', 'prices.json:7', expect.stringContaining('cachRead')],
    ])
    const list = new PriceList({ 'openai/gpt-4o': { input: 1, output: 1 } })
    expect(list.of({ provider: 'openai', model: 'gpt-4o' }, read ?? bundle())).toEqual({
      input: 7,
      output: 8,
    })
    expect(list.of({ provider: 'p', model: 'odd' }, read ?? bundle())).toEqual({
      input: 1,
      output: 2,
    })
    expect(list.of({ provider: 'p', model: 'holes' }, read ?? bundle())).toBeUndefined()
  })

  test('that is no JSON, or leads elsewhere, is an issue; none at all is none', async () => {
    expect((await withPrices(bundle({ root: await folder('{ "a": ') })))?.issues[0]).toMatchObject({
      severity: 'error',
      file: 'prices.json',
      line: 1,
    })
    const root = await mkdtemp(join(tmpdir(), 'amodal-prices-'))
    onTestFinished(() => rm(root, { recursive: true }))
    expect(await withPrices(bundle({ root }))).toBeUndefined()
    await symlink(join(await folder('{}'), 'prices.json'), join(root, 'prices.json'))
    expect((await withPrices(bundle({ root })))?.issues).toMatchObject([
      { code: 'UNREADABLE', message: expect.stringContaining('leads out') as string },
    ])
  })
})

describe('marks for a cache', () => {
  const call = (provider: string, more: Partial<ModelCall> = {}): ModelCall => ({
    tier: 'main',
    config: { provider, model: 'm' },
    system: 's',
    tools: [],
    toolChoice: 'auto',
    settings: {},
    step: 1,
    attempt: 0,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
    ],
    ...more,
  })
  const session = sessionId('s_1')
  const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

  test('stand behind the system prompt and the newest message, and nothing else changes', () => {
    const plain = call('anthropic')
    const done = marked(plain, session)
    expect(done).toEqual({
      ...plain,
      systemOptions: mark,
      messages: [plain.messages[0], { ...plain.messages[1], providerOptions: mark }],
    })
    expect(done?.messages[0], 'what was sent before is the same object').toBe(plain.messages[0])
    expect(plain.messages[1]).not.toHaveProperty('providerOptions')
  })

  test('leave what somebody else has marked', () => {
    const own = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } }, other: { a: 1 } }
    expect(marked(call('anthropic', { systemOptions: own }), session)?.systemOptions).toEqual(own)
  })

  test('are a key for each conversation at OpenAI itself', () => {
    expect(marked(call('openai'), session)?.settings).toEqual({
      providerOptions: { openai: { promptCacheKey: 's_1' } },
    })
    expect(
      marked(
        call('openai', {
          config: { provider: 'openai', model: 'm', baseUrl: 'http://127.0.0.1/v1' },
        }),
        session,
      ),
    ).toBeUndefined()
  })

  test('marks at Bedrock are for the models that take them', () => {
    const at = (model: string): ModelCall['systemOptions'] =>
      marked(call('bedrock', { config: { provider: 'bedrock', model } }), session)?.systemOptions
    for (const model of ['eu.anthropic.claude-sonnet-4-20250514-v1:0', 'amazon.nova-pro-v1:0'])
      expect(at(model)).toEqual({ bedrock: { cachePoint: { type: 'default' } } })
    for (const model of [
      'meta.llama3-3-70b-instruct-v1:0',
      'anthropic.claude-3-haiku-20240307-v1:0',
    ])
      expect(at(model)).toBeUndefined()
  })

  test('are not made for those that take none', () => {
    for (const provider of ['groq', 'openai-compatible', 'demo', 'constructor'])
      expect(marked(call(provider), session)).toBeUndefined()
  })
})
