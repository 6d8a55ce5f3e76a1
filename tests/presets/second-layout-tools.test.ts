import type { JsonObject } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'

const BED = {
  type: 'object',
  properties: { bed: { type: 'string' } },
  required: ['bed'],
}
/** A `tool.ts` named `water_bed`. */
const tool = (more: string, handle: string): string => `export default {
  id: 'water_bed',
  exposure: { kind: 'open' },
  llm_callable: true,
  base: { name: 'water_bed', description: 'Waters.', parametersJsonSchema: ${JSON.stringify(BED)} },
  ${more}
  async handle(ctx) { ${handle} },
}
`
const AGENT = {
  'amodal/agents/default/AGENT.md': 'You keep the beds.',
  'amodal/agents/default/agent.json': {
    tools: ['water_bed'],
    subagents: ['botanist'],
    stores: { beds: 'rw' },
  },
  'amodal/agents/botanist/AGENT.md': 'You name plants.',
  'amodal/stores/beds.json': {
    key: '{bed_id}',
    schema: { bed_id: { type: 'string' }, crop: { type: 'string' } },
  },
  'amodal/stores/beds.seed.json': [{ bed_id: 'b1', crop: 'thyme' }],
  'amodal/knowledge/soil.md': '# Soil\n\nLoam.',
}
const call =
  (name: string, args: JsonObject) =>
  ({ messages }: ChatCompletionRequest): Reply =>
    messages.at(-1)?.role === 'tool'
      ? reply.text('done')
      : reply.toolCalls({ name, arguments: args })
const lastResult = ({ model }: Door): string =>
  JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))
const bearer = ({ token }: Door): Record<string, string> => ({ authorization: `Bearer ${token}` })

describe('a tool.ts of a folder of the second layout', () => {
  test('runs with the tools, sub-agents and files that it names', async () => {
    await using door = await openDoor({
      files: {
        ...AGENT,
        'amodal/tools/watering/tool.ts': tool(
          "uses: { tools: ['store__beds__get'], subagents: ['botanist'] },",
          `const bed = await ctx.callTool('store__beds__get', { key: ctx.input.bed })
          const plant = await ctx.callSubagent('botanist', 'Name the plant.', bed)
          const refused = await ctx.callTool('store__beds__set', {}).catch((error) => error.message)
          return { bed, plant, refused, soil: await ctx.fs.readRepoFile('amodal/knowledge/soil.md') }`,
        ),
      },
      script: (request) =>
        JSON.stringify(request.messages[0]).includes('You name plants.')
          ? reply.text('Thymus vulgaris')
          : call('water_bed', { bed: 'b1' })(request),
    })
    await door.say('Water bed 1.')
    const result = lastResult(door)
    for (const part of ['thyme', 'Thymus vulgaris', 'does not name the tool', 'Loam.'])
      expect(result).toContain(part)
  })

  test('is answered by its pattern, with no model asked', async () => {
    await using door = await openDoor({
      files: {
        ...AGENT,
        'amodal/tools/watering/tool.ts': tool(
          "triggers: [{ kind: 'regex', pattern: '^water (?<bed>b[0-9]+)$' }],",
          "return 'Watered ' + ctx.input.bed + '.'",
        ),
      },
      script: reply.text('a model'),
    })
    expect(JSON.stringify((await door.say('water b7')).body)).toContain('Watered b7.')
    expect(door.model.requests).toHaveLength(0)
  })
})

describe('POST /api/tools/:name/run', () => {
  const invoked = (handle: string): Readonly<Record<string, string | object>> => ({
    ...AGENT,
    'amodal/tools/watering/tool.ts': tool(
      "execution: 'durable', triggers: [{ kind: 'invoke' }], uses: { tools: ['store__beds__get'] },",
      handle,
    ),
  })

  test('runs a durable tool, and says what came of it', async () => {
    await using door = await openDoor({
      files: invoked(`
        if (ctx.input.bed === 'b9') throw new Error('The valve is stuck.')
        return { bed: await ctx.callTool('store__beds__get', { key: ctx.input.bed }) }`),
      script: reply.text('a model'),
    })
    const run = (input: JsonObject, headers = bearer(door)) =>
      door.post('/api/tools/water_bed/run', { input }, headers)
    const complete = await run({ bed: 'b1' })
    expect(complete.status).toBe(200)
    expect(complete.body).toMatchObject({
      sessionId: expect.stringMatching(/^sess_/) as string,
      outcome: { kind: 'complete' },
      result: { bed: { bed_id: 'b1', crop: 'thyme' } },
    })
    const failed = await run({ bed: 'b9' })
    expect(failed.status).toBe(200)
    expect(failed.body).toMatchObject({ outcome: { kind: 'failed' }, result: null })
    expect(failed.text).toContain('The valve is stuck.')
    expect((await run({})).body).toMatchObject({ outcome: { kind: 'failed' } })
    const keyed = { ...bearer(door), 'idempotency-key': 'k1' }
    const first = await run({ bed: 'b1' }, keyed)
    expect((await run({ bed: 'b1' }, keyed)).body).toEqual(first.body)
    expect(door.model.requests).toHaveLength(0)
  })

  test('waits for a person, and gives the outcome under the same key', async () => {
    await using door = await openDoor({
      files: invoked("return ctx.waitForApproval('Water it?')"),
      script: reply.text('a model'),
    })
    const run = () =>
      door.post(
        '/api/tools/water_bed/run',
        { input: { bed: 'b1' } },
        { ...bearer(door), 'idempotency-key': 'k1' },
      )
    const waiting = await run()
    expect(waiting.status).toBe(202)
    expect(waiting.body).toMatchObject({ outcome: { kind: 'waiting' }, result: null })
    const { sessionId, outcome } = waiting.body as {
      readonly sessionId: string
      readonly outcome: { readonly asks: readonly string[] }
    }
    const answered = await door.answer({
      session_id: sessionId,
      ask_id: outcome.asks[0] ?? '',
      answers: { approved: 'yes', note: 'a little' },
    })
    expect(answered.status).toBeLessThan(300)
    await expect
      .poll(async () => (await run()).body, { timeout: 30_000 })
      .toMatchObject({
        outcome: { kind: 'complete' },
        result: { approved: true, note: 'a little' },
      })
  })

  test('is not there for other tools', async () => {
    await using door = await openDoor({
      files: { ...AGENT, 'amodal/tools/watering/tool.ts': tool('', 'return 1') },
      script: reply.text('a model'),
    })
    for (const name of ['water_bed', 'store__beds__get', 'none'])
      expect((await door.post(`/api/tools/${name}/run`, { input: {} }, bearer(door))).status).toBe(
        404,
      )
  })
})

describe('a guard of a folder of the second layout', () => {
  const guard = (manifest: JsonObject, run: string): Readonly<Record<string, string | object>> => ({
    'hooks/dry/hook.json': {
      name: 'dry',
      points: ['preToolUse'],
      capabilities: ['store:read', 'reads_tool_io', 'gates_tools'],
      ...manifest,
    },
    'hooks/dry/index.mjs': `import { dry } from '../../amodal/_lib/crops.js'
export const createHook = () => ({ async run(point, call, ctx) { ${run} } })`,
    'amodal/_lib/crops.ts': "export const dry = 'thyme'\n",
  })
  const FILES = {
    ...AGENT,
    'amodal/tools/watering/tool.ts': tool('', "return 'Watered ' + ctx.input.bed"),
  }

  test('reads the documents of the caller, and blocks before anything runs', async () => {
    let bed = 'b1'
    await using door = await openDoor({
      files: {
        ...FILES,
        ...guard(
          {},
          `const bed = await ctx.store.get('beds', call.args.bed)
          return bed?.crop === dry ? { action: 'block', reason: 'This bed stays dry.' } : { action: 'allow' }`,
        ),
      },
      script: (request) => call('water_bed', { bed })(request),
    })
    await door.say('Water bed 1.')
    expect(lastResult(door)).toContain('This bed stays dry.')
    bed = 'b2'
    await door.say('Water bed 2.')
    expect(lastResult(door)).toContain('Watered b2')
  })

  test.each([
    ['an unknown point', { points: ['preFlight'], failPolicy: 'open' }, ''],
    ['code that is broken', { failPolicy: 'open' }, '}'],
  ])('stops the start with %s, whatever its policy', async (_what, manifest, run) => {
    const started = openDoor({
      files: { ...FILES, ...guard(manifest, run) },
      script: reply.text(''),
    })
    await expect(started).rejects.toThrow(/not started without its guards: hooks\/dry/)
  })
})
