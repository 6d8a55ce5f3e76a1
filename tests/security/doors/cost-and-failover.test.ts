import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, write } from '../support/door.ts'

// Through the server of the `dev` preset: what a client and an operator see of money and of failing
// models.

const usage = { promptTokens: 1_000, completionTokens: 100, cachedTokens: 400 }
const prices = {
  'openai-compatible/scripted': { input: 2, output: 10, cacheRead: 0.5 },
  'openai-compatible/spare': { input: 1, output: 1 },
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** 600 fresh at 2, 400 cached at 0.5, 100 out at 10, for a million each. */
const COST = 0.0024

test('what a run, a session and a tenant cost, and after a restart still do', async () => {
  await using door = await openDoor({
    script: reply.text('hello', { usage }),
    files: { 'prices.json': prices },
  })
  const events = await door.stream('hi')
  expect(events.at(-1)).toMatchObject({
    type: 'done',
    cost: COST,
    usage: { input_tokens: 1_000, output_tokens: 100, cached_tokens: 400, total_tokens: 1_100 },
    last_call_usage: { input_tokens: 1_000, output_tokens: 100, cached_tokens: 400 },
    lastCallUsage: { input_tokens: 1_000 },
  })
  const session = textOf(events[0]?.['session_id'])
  await door.say('again', { session_id: session })
  await door.say('another')

  const look = async (): Promise<void> => {
    expect((await door.get(`/session/${session}`)).body).toMatchObject({
      cost: 2 * COST,
      token_usage: { total_tokens: 2_200 },
    })
    expect((await door.get('/api/stats')).body).toEqual({
      sessions: 2,
      tokens: { input: 3_000, output: 300, total: 3_300 },
      cost: 3 * COST,
      lastActive: expect.stringMatching(/^20.*Z$/) as string,
      topModels: [{ model: 'scripted', sessions: 2, tokens: 3_300, cost: 3 * COST }],
      topAgents: [],
    })
  }
  await look()
  await door.restart()
  await look()
})

test('a run of several calls costs their sum, and its last call is told apart', async () => {
  await using door = await openDoor({
    script: reply.toolsThenText({ name: 'no_such_tool', arguments: {} }, 'done', { usage }),
    files: { 'prices.json': prices },
  })
  expect((await door.stream('hi')).at(-1)).toMatchObject({
    cost: 2 * COST,
    usage: { input_tokens: 2_000 },
    last_call_usage: { input_tokens: 1_000 },
  })
})

test('a model without a price costs null, and a price with a hole is named with its line while the others count', async () => {
  await using door = await openDoor({
    script: reply.text('hello'),
    files: {
      'prices.json': '{\n  "scripted": { "input": 1 },\n  "other": { "input": 1, "output": 1 }\n}',
    },
  })
  const events = await door.stream('hi')
  expect(events.at(-1)).not.toHaveProperty('cost')
  expect((await door.get('/api/stats')).body).toMatchObject({
    sessions: 1,
    cost: null,
    topModels: [{ model: 'scripted', cost: null }],
  })
  expect((await door.get('/sessions')).body).toMatchObject({ sessions: [{ cost: null }] })
  const { issues } = (await door.get('/inspect/health')).body
  expect(issues).toContainEqual(
    expect.objectContaining({
      file: 'prices.json',
      line: 2,
      message: 'the price of `scripted` has no `output`',
    }),
  )
})

test('what a sub-agent took is told under its name', async () => {
  const dispatched = reply.toolCalls(
    { name: 'dispatch_task', arguments: { agent: 'explore', prompt: 'Look around.' } },
    { usage },
  )
  await using door = await openDoor({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool' || JSON.stringify(messages).includes('Look around.')
        ? reply.text('seen', { usage })
        : dispatched,
    files: { 'prices.json': prices },
  })
  expect((await door.stream('go')).at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  expect((await door.get('/api/stats')).body).toMatchObject({
    topModels: [{ cost: 3 * COST }],
    topAgents: [{ agent: 'explore', sessions: 1, tokens: 1_100, cost: COST }],
  })
})

test('nobody has asked anything yet', async () => {
  await using door = await openDoor({ script: reply.text('hello') })
  expect((await door.get('/api/stats')).body).toEqual({
    sessions: 0,
    tokens: { input: 0, output: 0, total: 0 },
    cost: null,
    lastActive: null,
    topModels: [],
    topAgents: [],
  })
})

test('a model that fails in the middle: the client is told to forget, the next model answers and is paid, the operator sees why', async () => {
  const spare = await startModelServer({
    script: reply.text('whole answer', { usage: { promptTokens: 1_000, completionTokens: 0 } }),
  })
  onTestFinished(() => spare.close())
  await using door = await openDoor({
    script: reply.text(['half ', 'an ', 'answer'], {
      ending: {
        kind: 'error',
        after: 2,
        error: { message: 'Overloaded', type: 'overloaded_error' },
      },
    }),
    files: { 'prices.json': prices },
  })
  // The address of the first model is the door's own: it is known once the door stands.
  const main = {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: door.model.url,
    fallback: { provider: 'openai-compatible', model: 'spare', baseUrl: spare.url },
  }
  await write(door.dir, {
    'amodal.json': { name: 'door', version: '1.0.0', backoffMs: 30_000, models: { main } },
  })
  await door.restart()

  const events = await door.stream('hi')
  const at = events.findIndex(({ type }) => type === 'reset')
  const words = (part: typeof events): string =>
    part.map(({ type, content }) => (type === 'text_delta' ? textOf(content) : '')).join('')
  expect(words(events.slice(0, at))).toBe('half an ')
  expect(words(events.slice(at))).toBe('whole answer')
  // What the first model said before it broke off is estimated, and paid for.
  expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  expect(Number(events.at(-1)?.['cost'])).toBeGreaterThan(0.001)

  // One session's failure is no evidence against a model; that of three is.
  await door.stream('hi, again')
  await door.stream('hi, once more')

  const health = (await door.get('/inspect/health')).body
  expect(health['models']).toContainEqual(
    expect.objectContaining({
      provider: 'openai-compatible',
      cooling: [
        expect.objectContaining({
          model: 'scripted',
          profile: 'default',
          class: 'server',
          failures: 1,
        }),
      ],
    }),
  )
  expect(
    door.log.some((line) => line.includes('model_failed') && line.includes('"class":"server"')),
  ).toBe(true)

  await door.say('and now?')
  expect(door.model.count, 'it is left alone').toBe(3)
})

test('the form with four fields: an unknown provider is named, the others make the chain', async () => {
  await using door = await openDoor({
    script: reply.text('x'),
    manifest: {
      models: {},
      provider: 'failover',
      providers: ['nobody', 'openai', 'groq'],
      retries: 0,
      backoffMs: 10,
    },
    env: { OPENAI_API_KEY: '', GROQ_API_KEY: '' },
  })
  const { issues } = (await door.get('/inspect/health')).body
  expect(issues).toContainEqual(
    expect.objectContaining({
      code: 'NO_MODEL',
      message: '`providers`: there is no model provider "nobody"',
    }),
  )
  const { main } = door.running.agent.bundle()?.manifest.models ?? {}
  expect(main).toMatchObject({ provider: 'openai', fallback: { provider: 'groq' } })
  expect((await door.say('hi')).body['error']).toMatchObject({
    message: expect.stringMatching(
      /every model failed: openai\/gpt-4o: auth,.*groq\/.*: auth,/s,
    ) as string,
  })
})
