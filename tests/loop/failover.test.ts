import type { RuntimeSettings } from '@amodal/plugin-loop'
import modelFailover from '@amodal/plugin-model-failover'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use, type ModelConfig, type ModelProfile } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestAgent, type TestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'
import { allFrames, eventsOf, told } from './support/frames.ts'
import { reads } from './support/tools.ts'

// Real endpoints on loopback that fail in the ways of real ones.

interface Chain { readonly agent: TestAgent; readonly servers: readonly [ModelServer, ModelServer] }
interface ChainOptions { readonly settings?: Partial<RuntimeSettings>; readonly config?: object; readonly profiles?: readonly ModelProfile[] }

/** Two models, the second behind the first. Their times are short and without chance. */
async function chain(first: Script, second: Script, { settings = {}, config = {}, profiles }: ChainOptions = {}): Promise<Chain> {
  const servers = [await startModelServer({ script: first }), await startModelServer({ script: second })] as const
  onTestFinished(async () => { for (const server of servers) await server.close() })
  const models = {
    main: {
      provider: 'openai-compatible', model: 'first', baseUrl: servers[0].url, temperature: 0, ...(profiles && { profiles }),
      fallback: { provider: 'openai-compatible', model: 'second', baseUrl: servers[1].url, maxTokens: 99 },
    },
  } satisfies { readonly main: ModelConfig }
  const agent = await startTestAgent({
    models, settings, tools: [reads('look')],
    plugins: [
      use(secretsEnv, { env: { KEY_A: 'aaa', KEY_B: 'bbb' } }), use(outbound), use(modelOpenaiCompatible),
      use(modelFailover, { baseMs: 40, maxMs: 400, waitMs: 2_000, jitter: 0, ...config }),
    ],
  })
  return { agent, servers }
}

const cut = { ending: { kind: 'cut', after: 2 } } as const
const words = ['one ', 'two ', 'three ']
const error = (message: string, more: object = {}): Reply => reply.text(words, { ending: { kind: 'error', after: 0, error: { message, ...more } } })
const late = (message: string, more: object = {}): Reply => reply.text(words, { ending: { kind: 'error', after: 2, error: { message, ...more } } })

/** kind, what the endpoint does, its class, whether the client has seen words of it. */
const FAILURES: readonly (readonly [string, Reply, string, 'unseen' | 'seen'])[] = [
  ['401', reply.httpError(401, { message: 'Incorrect API key provided' }), 'auth', 'unseen'],
  ['402', reply.httpError(402, { message: 'Insufficient Balance' }), 'billing', 'unseen'],
  ['403', reply.httpError(403, { message: 'permission denied' }), 'auth', 'unseen'],
  ['404', reply.httpError(404, { message: 'no such model' }), 'unknown', 'unseen'],
  ['429 with Retry-After', reply.httpError(429, { retryAfter: 2 }), 'rate_limit', 'unseen'],
  ['429 out of quota', reply.httpError(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }), 'quota', 'unseen'],
  ['400 filtered', reply.httpError(400, { message: 'triggered the content management policy', code: 'content_filter' }), 'content', 'unseen'],
  ['400 too long', reply.httpError(400, { message: 'too long', code: 'context_length_exceeded' }), 'overflow', 'unseen'],
  ['400 without a reason', reply.httpError(400, { message: 'no' }), 'unknown', 'unseen'],
  ['500', reply.httpError(500), 'server', 'unseen'],
  ['503', reply.httpError(503), 'server', 'unseen'],
  ['504', reply.httpError(504), 'timeout', 'unseen'],
  ['silence', reply.silence(), 'timeout', 'unseen'],
  ['an empty stream', reply.emptyStream(), 'server', 'unseen'],
  ['an answer that is filtered away', reply.text('', { finishReason: 'content_filter' }), 'content', 'unseen'],
  ['a stream that begins with an error', error('Overloaded', { type: 'overloaded_error' }), 'server', 'unseen'],
  ['a stream that begins with a limit', error('slow down', { type: 'rate_limit_error' }), 'rate_limit', 'unseen'],
  ['a stream that begins with a key', error('invalid x-api-key', { type: 'authentication_error' }), 'auth', 'unseen'],
  ['a stream that begins with a bill', error('Your credit balance is too low'), 'billing', 'unseen'],
  ['a stream that begins with a quota', error('gone', { code: 'insufficient_quota' }), 'quota', 'unseen'],
  ['a stream that begins with a filter', error('flagged', { code: 'content_filter' }), 'content', 'unseen'],
  ['a stream that begins with a length', error('prompt is too long'), 'overflow', 'unseen'],
  ['a cut in the middle', reply.text(words, cut), 'server', 'seen'],
  ['an end without a finish', reply.text(words, { ending: { kind: 'truncated', after: 2 } }), 'server', 'seen'],
  ['broken JSON in the middle', reply.text(words, { ending: { kind: 'broken-json', after: 2 } }), 'unknown', 'seen'],
  ['a stall in the middle', reply.text(words, { ending: { kind: 'stall', after: 2 } }), 'timeout', 'seen'],
  ['an error in the middle', late('Overloaded', { type: 'overloaded_error' }), 'server', 'seen'],
  ['a limit in the middle', late('slow down', { type: 'rate_limit_error' }), 'rate_limit', 'seen'],
  ['a filter in the middle', late('flagged', { code: 'content_filter' }), 'content', 'seen'],
  ['a key in the middle', late('Unauthorized', { code: 401 }), 'auth', 'seen'],
  ['a length in the middle', late('too many tokens', { code: 'context_length_exceeded' }), 'overflow', 'seen'],
]

const quick: Partial<RuntimeSettings> = { firstPartMs: 500, stallMs: 500 }
const logged = ({ log }: TestAgent, event: string): readonly string[] => log.filter((line) => line.includes(` ${event} `))

describe('the next model answers', () => {
  test.each(FAILURES)('after %s', async (name, failing, kind, seen) => {
    const { agent, servers } = await chain(failing, reply.text(['good ', 'answer']), { settings: quick })
    const turn = await agent.say('go')
    expect(turn.text).toBe('good answer')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(eventsOf(turn, 'reset')).toHaveLength(seen === 'seen' ? 1 : 0)
    expect(eventsOf(turn, 'error')).toEqual([])
    expect(servers.map(({ count }) => count)).toEqual([1, 1])
    // Settings are those of the model that is asked.
    expect(servers[0].requests[0]?.body).toMatchObject({ model: 'first', temperature: 0 })
    expect(servers[1].requests[0]?.body).toMatchObject({ model: 'second', max_tokens: 99 })
    expect(servers[1].requests[0]?.body).not.toHaveProperty('temperature')
    expect(only(await agent.journal(turn.session), 'model_reply')).toMatchObject([{ text: 'good answer', model: { model: 'second' } }])
    expect(logged(agent, 'model_failed')).toEqual([expect.stringContaining(`"class":"${kind}"`)])
    const isAsked = kind === 'content' || kind === 'overflow' || name === '400 without a reason'
    expect(logged(agent, 'model_failed')[0]?.includes('"cooling_ms":0,'), 'only what says something of the model keeps others from it').toBe(isAsked)
  })
})

describe('nothing is left', () => {
  test.each(FAILURES)('after %s', async (_kind, failing, kind, seen) => {
    const { agent, servers } = await chain(failing, reply.httpError(401, { message: 'Incorrect API key provided' }), { settings: quick, config: { retries: 0 } })
    const sent = await agent.send('go')
    const turn = told(sent.session, await allFrames(sent.frames))
    expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'error' }])
    const [said] = eventsOf(turn, 'error')
    expect(said?.message).toMatch(new RegExp(`openai-compatible/first: ${kind},.*\\| openai-compatible/second: auth,`, 's'))
    expect(turn.text, 'words that were taken back are not there').toBe('')
    expect(eventsOf(turn, 'reset')).toHaveLength(seen === 'seen' ? 1 : 0)
    expect(servers.map(({ count }) => count)).toEqual([1, 1])
    expect(logged(agent, 'model_none_left')).toHaveLength(1)
  })
})

describe('the same model again', () => {
  test('with a pause that doubles, as often as is allowed', async () => {
    const { agent, servers } = await chain([reply.httpError(500), reply.httpError(500), reply.text('third time lucky')], reply.httpError(401))
    expect((await agent.say('go')).text).toBe('third time lucky')
    const [a, b, c] = servers[0].requests.map(({ at }) => at)
    expect(Number(b) - Number(a)).toBeGreaterThanOrEqual(38)
    expect(Number(c) - Number(b)).toBeGreaterThanOrEqual(78)
    expect(servers[1].count).toBe(1)
  })

  test('not before the provider wants it, and not at all where that is too long', async () => {
    const { agent, servers } = await chain([reply.httpError(429, { retryAfter: 1 }), reply.text('now')], reply.httpError(401))
    expect((await agent.say('go')).text).toBe('now')
    const [a, b] = servers[0].requests.map(({ at }) => at)
    expect(Number(b) - Number(a)).toBeGreaterThanOrEqual(990)

    servers[0].play(reply.httpError(429, { retryAfter: 30 }))
    const turn = await agent.say('again')
    expect(eventsOf(turn, 'error')[0]?.message).toMatch(/no model can be called now: .*first: rate_limit.*to be tried again in 30 s/s)
    const count = servers[0].count
    expect(eventsOf(await agent.say('and again'), 'error')[0]?.message).toMatch(/no model can be called now/)
    expect(servers[0].count, 'nobody asks while it is left alone').toBe(count)
  })

  test('an answer that was begun before it broke is begun anew, and only that is kept', async () => {
    const { agent } = await chain([reply.text(words, cut), reply.text(['whole'])], reply.text('second'), { config: { retries: 1 } })
    const turn = await agent.say('go')
    expect(turn.text).toBe('second')
    expect(only(await agent.journal(turn.session), 'model_reply')).toHaveLength(1)
  })
})

test('nothing sticks: when its time is over the first model is asked first again', async () => {
  const { agent, servers } = await chain([reply.httpError(500), reply.text('first')], reply.text('second'))
  expect((await agent.say('go')).text).toBe('second')
  await expect.poll(async () => (await agent.say('go on')).text).toBe('first')
  expect(servers[0].count).toBe(2)
})

test('in the middle of a run: the step before stays, the step after is somebody else\'s', async () => {
  const { agent, servers } = await chain([reply.toolCalls({ name: 'look', arguments: {} }), reply.httpError(500)], reply.text('seen'))
  const turn = await agent.say('go')
  expect(turn.text).toBe('seen')
  expect(servers[1].requests[0]?.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(only(await agent.journal(turn.session), 'model_reply').map(({ model }) => model.model)).toEqual(['first', 'second'])
})

test('another account of the same model comes before another model', async () => {
  const script: Script = (_request, n) => (n === 0 ? reply.httpError(401, { message: 'Incorrect API key provided: aaa' }) : reply.text('second account'))
  const { agent, servers } = await chain(script, reply.text('x'), { profiles: [{ name: 'b', apiKey: 'env:KEY_B' }] })
  expect((await agent.say('go')).text).toBe('second account')
  expect(servers[0].requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer bbb'])
  expect(servers[1].count).toBe(0)
})

test('a person who has enough is not kept waiting by a model that is left alone', async () => {
  const { agent } = await chain(reply.httpError(429, { retryAfter: 1 }), reply.httpError(401), { config: { waitMs: 60_000 } })
  const sent = await agent.send('go')
  const frames = allFrames(sent.frames)
  await expect.poll(() => logged(agent, 'model_failed').length).toBe(2)
  await agent.face.cancel(sent.session)
  expect(told(sent.session, await frames).events.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
})

test('many sessions at once do not storm a model that has failed', async () => {
  let down = true
  const script: Script = () => (down ? reply.httpError(503) : reply.text('up'))
  const { agent, servers } = await chain(script, reply.httpError(402, { message: 'payment required' }), { config: { baseMs: 100, maxMs: 100, waitMs: 20_000, retries: 10 } })
  await agent.say('it is down').catch(() => undefined)
  const before = servers[0].count
  const began = performance.now()
  const turns = Promise.all(Array.from({ length: 40 }, (_, n) => agent.say(`message ${n}`)))
  await new Promise((resolve) => setTimeout(resolve, 500))
  // One finds out at a time, all others wait.
  expect(servers[0].count - before).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 100) + 2)
  down = false
  expect((await turns).map(({ text }) => text)).toEqual(Array.from({ length: 40 }, () => 'up'))
})
