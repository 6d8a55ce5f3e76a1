import type { RuntimeSettings } from '@amodal/plugin-loop'
import modelFailover from '@amodal/plugin-model-failover'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import {
  Health,
  use,
  type Clock,
  type ModelConfig,
  type ModelErrorClass,
  type ModelProfile,
} from '@amodal/sdk'
import {
  reply,
  startModelServer,
  type ModelServer,
  type Reply,
  type Script,
} from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestAgent, type TestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'
import { allFrames, eventsOf, told } from './support/frames.ts'
import { reads } from './support/tools.ts'

// Real endpoints on loopback that fail in the ways of real ones.

interface Chain {
  readonly agent: TestAgent
  readonly servers: readonly [ModelServer, ModelServer]
}
interface ChainOptions {
  readonly settings?: Partial<RuntimeSettings>
  readonly config?: object
  readonly profiles?: readonly ModelProfile[]
  readonly clock?: Clock
}

/** Two models, the second behind the first. Their times are short and without chance. */
async function chain(
  first: Script,
  second: Script,
  { settings = {}, config = {}, profiles, clock }: ChainOptions = {},
): Promise<Chain> {
  const servers = [
    await startModelServer({ script: first }),
    await startModelServer({ script: second }),
  ] as const
  onTestFinished(async () => {
    for (const server of servers) await server.close()
  })
  const models = {
    main: {
      provider: 'openai-compatible',
      model: 'first',
      baseUrl: servers[0].url,
      temperature: 0,
      ...(profiles && { profiles }),
      fallback: {
        provider: 'openai-compatible',
        model: 'second',
        baseUrl: servers[1].url,
        maxTokens: 99,
      },
    },
  } satisfies { readonly main: ModelConfig }
  const agent = await startTestAgent({
    models,
    settings,
    tools: [reads('look')],
    ...(clock && { clock }),
    plugins: [
      use(secretsEnv, { env: { KEY_A: 'aaa', KEY_B: 'bbb' } }),
      use(outbound),
      use(modelOpenaiCompatible),
      use(modelFailover, {
        baseMs: 40,
        maxMs: 400,
        waitMs: 2_000,
        jitter: 0,
        sessions: 1,
        ...config,
      }),
    ],
  })
  return { agent, servers }
}

const words = ['one ', 'two ', 'three ']
const cut = { ending: { kind: 'cut', after: 2 } } as const
const DATE = 20_000

/**
 * `at first`: before any word. A failure is thrown where the request is refused or the connection
 * breaks; else it stands in the stream.
 */
type Form =
  | 'thrown at first'
  | 'thrown after words'
  | 'in the stream at first'
  | 'in the stream after words'
/** What the provider says: `status` stands for the code where it is said in the stream. */
interface Said {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly type?: string
  readonly retryAfter?: number | (() => string)
}
interface Kind {
  readonly name: string
  readonly class: ModelErrorClass
  /**
   * ms that it is left alone, each time the first time; 0: it was what was asked, and no other
   * request need mind.
   */
  readonly cools: number
  readonly forms: Readonly<Partial<Record<Form, () => Reply>>>
}

const refused = (name: string, kind: ModelErrorClass, cools: number, said: Said): Kind => {
  const { status, retryAfter, ...error } = said
  const inside = { code: status, ...error }
  const later = (after: number) => () =>
    reply.text(words, { ending: { kind: 'error', after, error: inside } })
  return {
    name,
    class: kind,
    cools,
    forms: {
      'thrown at first': () =>
        reply.httpError(status, {
          ...error,
          ...(retryAfter !== undefined && {
            retryAfter: typeof retryAfter === 'number' ? retryAfter : retryAfter(),
          }),
        }),
      // Nothing in a stream can say when to come again but words.
      ...(retryAfter === undefined && {
        'in the stream at first': later(0),
        'in the stream after words': later(2),
      }),
    },
  }
}
const broken = (name: string, kind: ModelErrorClass, forms: Kind['forms']): Kind => ({
  name,
  class: kind,
  cools: 1_000,
  forms,
})

const KINDS: readonly Kind[] = [
  refused('a wrong key', 'auth', 1_000, {
    status: 401,
    message: 'Incorrect API key provided',
    code: 'invalid_api_key',
  }),
  refused('a key of another form', 'auth', 1_000, {
    status: 400,
    message: 'API key not valid. Please pass a valid API key.',
    type: 'INVALID_ARGUMENT',
  }),
  refused('no permission', 'auth', 1_000, {
    status: 403,
    message: 'permission denied',
    type: 'permission_error',
  }),
  refused('no balance', 'billing', 1_000, { status: 402, message: 'Insufficient Balance' }),
  refused('no credit', 'billing', 1_000, {
    status: 400,
    message: 'Your credit balance is too low',
    type: 'invalid_request_error',
  }),
  refused('a closed account', 'billing', 1_000, {
    status: 403,
    message: 'Your account is not active, please check your billing details',
  }),
  refused('a limit', 'rate_limit', 1_000, {
    status: 429,
    message: 'slow down',
    type: 'rate_limit_error',
  }),
  refused('a limit with seconds', 'rate_limit', 2_000, {
    status: 429,
    message: 'slow down',
    retryAfter: 2,
  }),
  refused('a limit with a date', 'rate_limit', DATE, {
    status: 429,
    message: 'slow down',
    retryAfter: () => new Date(Date.now() + DATE).toUTCString(),
  }),
  refused('a limit with words', 'rate_limit', 7_000, {
    status: 429,
    message: 'Rate limit reached. Please try again in 7s.',
  }),
  refused('throttling', 'rate_limit', 1_000, {
    status: 429,
    message: 'Too many tokens per minute',
    type: 'ThrottlingException',
    code: 'throttled',
  }),
  refused('a quota', 'quota', 1_000, {
    status: 429,
    message: 'You exceeded your current quota',
    code: 'insufficient_quota',
  }),
  refused('a daily limit', 'quota', 1_000, {
    status: 429,
    message: 'Limit on requests per day reached',
  }),
  refused('a monthly limit', 'quota', 1_000, {
    status: 403,
    message: 'You have reached your monthly limit',
  }),
  refused('a length', 'overflow', 0, {
    status: 400,
    message: 'too many',
    code: 'context_length_exceeded',
  }),
  refused('a prompt', 'overflow', 0, {
    status: 400,
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  }),
  refused('a size', 'overflow', 0, {
    status: 413,
    message: 'Request exceeds the maximum size',
    type: 'request_too_large',
  }),
  refused('a filter', 'content', 0, {
    status: 400,
    message: 'triggered the content management policy',
    code: 'content_filter',
  }),
  refused('a flag', 'content', 0, { status: 403, message: 'Your input was flagged by moderation' }),
  refused('no such model', 'unknown', 1_000, { status: 404, message: 'no such model' }),
  refused('no reason', 'unknown', 0, { status: 400, message: 'no' }),
  refused('a request of another form', 'unknown', 0, {
    status: 422,
    message: 'tools.0: extra fields',
  }),
  refused('a defect', 'server', 1_000, {
    status: 500,
    message: 'The server had an error',
    type: 'server_error',
  }),
  refused('a bad gateway', 'server', 1_000, { status: 502, message: 'Bad gateway' }),
  refused('a pause', 'server', 1_000, {
    status: 503,
    message: 'The model is temporarily unavailable',
  }),
  refused('an overload', 'server', 1_000, {
    status: 529,
    message: 'Overloaded',
    type: 'overloaded_error',
  }),
  refused('a slow gateway', 'timeout', 1_000, { status: 504, message: 'Gateway time-out' }),
  refused('a deadline', 'timeout', 1_000, {
    status: 408,
    message: 'Deadline exceeded',
    type: 'DEADLINE_EXCEEDED',
  }),
  broken('silence', 'timeout', {
    'thrown at first': () => reply.silence(),
    'thrown after words': () => reply.text(words, { ending: { kind: 'stall', after: 2 } }),
  }),
  broken('a cut', 'server', {
    'thrown at first': () => reply.text(words, { ending: { kind: 'cut', after: 0 } }),
    'thrown after words': () => reply.text(words, cut),
  }),
  broken('an end', 'server', {
    'in the stream at first': () => reply.emptyStream(),
    'in the stream after words': () =>
      reply.text(words, { ending: { kind: 'truncated', after: 2 } }),
  }),
  broken('rubbish', 'unknown', {
    'in the stream at first': () =>
      reply.text(words, { ending: { kind: 'broken-json', after: 0 } }),
    'in the stream after words': () =>
      reply.text(words, { ending: { kind: 'broken-json', after: 2 } }),
  }),
  {
    name: 'an answer that is filtered away',
    class: 'content',
    cools: 0,
    forms: { 'in the stream at first': () => reply.text('', { finishReason: 'content_filter' }) },
  },
]
const CELLS = KINDS.flatMap((kind) =>
  Object.entries(kind.forms).map(([form, failing]) => [kind.name, form, kind, failing] as const),
)

const quick: Partial<RuntimeSettings> = { firstPartMs: 2_000, stallMs: 2_000 }
/** Cooldowns as they are by default, but for chance; time passes where the test says so. */
const unhurried = (clock: Clock): ChainOptions => ({
  clock,
  settings: quick,
  config: { baseMs: 1_000, maxMs: 60_000, retries: 0 },
})
const logged = ({ log }: TestAgent, event: string): readonly string[] =>
  log.filter((line) => line.includes(` ${event} `))
const coolings = (agent: TestAgent): readonly number[] =>
  logged(agent, 'model_failed').map((line) => Number(/"cooling_ms":(\d+)/.exec(line)?.[1]))
const resets = (form: string): number => (form.endsWith('after words') ? 1 : 0)

class TurnedClock implements Clock {
  at = 1_000_000
  now(): number {
    return Date.now()
  }
  monotonic(): number {
    return this.at
  }
}

/** A date has whole seconds, and some ms of it are gone when it is read. */
function expectWait(ms: number | undefined, { cools }: Kind): void {
  if (cools !== DATE) return expect(ms).toBe(cools)
  expect(ms).toBeGreaterThan(DATE - 5_000)
  expect(ms).toBeLessThanOrEqual(DATE)
}

describe('the next model answers', () => {
  test.each(CELLS)('after %s, %s', async (_name, form, kind, failing) => {
    const clock = new TurnedClock()
    const { agent, servers } = await chain(
      [failing(), reply.httpError(500)],
      reply.text(['good ', 'answer']),
      unhurried(clock),
    )
    const turn = await agent.say('go')
    expect(turn.text).toBe('good answer')
    expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(eventsOf(turn, 'reset')).toHaveLength(resets(form))
    expect(eventsOf(turn, 'error')).toEqual([])
    expect(servers.map(({ count }) => count)).toEqual([1, 1])
    // Settings are those of the model that is asked.
    expect(servers[0].requests[0]?.body).toMatchObject({ model: 'first', temperature: 0 })
    expect(servers[1].requests[0]?.body).toMatchObject({ model: 'second', max_tokens: 99 })
    expect(servers[1].requests[0]?.body).not.toHaveProperty('temperature')
    expect(only(await agent.journal(turn.session), 'model_reply')).toMatchObject([
      { text: 'good answer', model: { model: 'second' } },
    ])
    expect(logged(agent, 'model_failed')).toEqual([
      expect.stringContaining(`"class":"${kind.class}"`),
    ])

    const [wait = 0] = coolings(agent)
    expectWait(wait, kind)
    if (wait > 0) {
      clock.at += wait - 1
      await agent.say('still')
      expect(
        servers.map(({ count }) => count),
        'it is left alone to the last ms',
      ).toEqual([1, 2])
      clock.at += 1
    }
    await agent.say('now')
    expect(servers[0].count, 'nothing sticks').toBe(2)
    expect(coolings(agent)[1], 'a second failure in a row counts double').toBe(
      wait > 0 ? 2_000 : 1_000,
    )
  })
})

describe('nothing is left', () => {
  test.each(CELLS)('after %s, %s', async (_name, form, kind, failing) => {
    const { agent, servers } = await chain(
      reply.httpError(401, { message: 'Incorrect API key provided' }),
      failing(),
      unhurried(new TurnedClock()),
    )
    const sent = await agent.send('go')
    const turn = told(sent.session, await allFrames(sent.frames))
    expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'error' }])
    const [said, ...more] = eventsOf(turn, 'error')
    expect(more).toEqual([])
    expect(said?.message).toMatch(
      new RegExp(
        `openai-compatible/first: auth,.*\\| openai-compatible/second: ${kind.class},`,
        's',
      ),
    )
    const shown = resets(form) === 1 ? 'one two ' : ''
    expect(
      [turn.text, eventsOf(turn, 'reset').length],
      'what nobody can finish stays as it is',
    ).toEqual([shown, 0])
    expect(servers.map(({ count }) => count)).toEqual([1, 1])
    expectWait(coolings(agent)[1], kind)
    expect(logged(agent, 'model_none_left')).toHaveLength(1)
  })
})

describe('the same model again', () => {
  test('with a pause that doubles, as often as is allowed', async () => {
    const { agent, servers } = await chain(
      [reply.httpError(500), reply.httpError(500), reply.text('third time lucky')],
      reply.httpError(401),
    )
    expect((await agent.say('go')).text).toBe('third time lucky')
    const [a, b, c] = servers[0].requests.map(({ at }) => at)
    expect(Number(b) - Number(a)).toBeGreaterThanOrEqual(38)
    expect(Number(c) - Number(b)).toBeGreaterThanOrEqual(78)
    expect(servers[1].count).toBe(1)
  })

  test('not before the provider wants it, and not at all where that is too long', async () => {
    const { agent, servers } = await chain(
      [reply.httpError(429, { retryAfter: 1 }), reply.text('now')],
      reply.httpError(401),
      { config: { maxMs: 60_000 } },
    )
    expect((await agent.say('go')).text).toBe('now')
    const [a, b] = servers[0].requests.map(({ at }) => at)
    expect(Number(b) - Number(a)).toBeGreaterThanOrEqual(990)

    servers[0].play(reply.httpError(429, { retryAfter: 30 }))
    const turn = await agent.say('again')
    expect(eventsOf(turn, 'error')[0]?.message).toMatch(
      /no model can be called now: .*first: rate_limit.*to be tried again in 30 s/s,
    )
    const count = servers[0].count
    expect(eventsOf(await agent.say('and again'), 'error')[0]?.message).toMatch(
      /no model can be called now/,
    )
    expect(servers[0].count, 'nobody asks while it is left alone').toBe(count)
  })

  test('an answer that was begun before it broke is begun anew, and only that is kept', async () => {
    const { agent } = await chain(
      [reply.text(words, cut), reply.text(['whole'])],
      reply.text('second'),
      { config: { retries: 1 } },
    )
    const turn = await agent.say('go')
    expect(turn.text).toBe('second')
    expect(only(await agent.journal(turn.session), 'model_reply')).toHaveLength(1)
  })
})

test('nothing sticks: when its time is over the first model is asked first again', async () => {
  const { agent, servers } = await chain(
    [reply.httpError(500), reply.text('first')],
    reply.text('second'),
  )
  expect((await agent.say('go')).text).toBe('second')
  await expect.poll(async () => (await agent.say('go on')).text).toBe('first')
  expect(servers[0].count).toBe(2)
})

test("in the middle of a run: the step before stays, the step after is somebody else's", async () => {
  const { agent, servers } = await chain(
    [reply.toolCalls({ name: 'look', arguments: {} }), reply.httpError(500)],
    reply.text('seen'),
  )
  const turn = await agent.say('go')
  expect(turn.text).toBe('seen')
  expect(servers[1].requests[0]?.body.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
  ])
  expect(
    only(await agent.journal(turn.session), 'model_reply').map(({ model }) => model.model),
  ).toEqual(['first', 'second'])
})

test('another account of the same model comes before another model', async () => {
  const script: Script = (_request, n) =>
    n === 0
      ? reply.httpError(401, { message: 'Incorrect API key provided: aaa' })
      : reply.text('second account')
  const { agent, servers } = await chain(script, reply.text('x'), {
    profiles: [{ name: 'b', apiKey: 'env:KEY_B' }],
  })
  expect((await agent.say('go')).text).toBe('second account')
  expect(servers[0].requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    'Bearer bbb',
  ])
  expect(servers[1].count).toBe(0)
})

test('a person who has enough is not kept waiting by a model that is left alone', async () => {
  const { agent } = await chain(reply.httpError(429, { retryAfter: 1 }), reply.httpError(401), {
    config: { waitMs: 60_000 },
  })
  const sent = await agent.send('go')
  const frames = allFrames(sent.frames)
  await expect.poll(() => logged(agent, 'model_failed').length).toBe(2)
  await agent.face.cancel(sent.session)
  expect(told(sent.session, await frames).events.at(-1)).toMatchObject({
    type: 'done',
    reason: 'user_abort',
  })
})

describe('what one session meets', () => {
  const poison: Script = ({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('poison')
      ? reply.httpError(500, { message: 'The server had an error' })
      : reply.text('fine')

  test('stops nobody else: a message that makes the provider fail', async () => {
    const { agent, servers } = await chain(
      poison,
      reply.httpError(402, { message: 'payment required' }),
      { config: { sessions: 3, retries: 0, baseMs: 60_000, maxMs: 60_000 } },
    )
    const health = [...agent.kernel.current().registry(Health).values()]
    const failed = await agent.say('poison')
    expect(eventsOf(failed, 'error')).toMatchObject([{ code: 'MODEL_FAILED' }])
    for (let n = 0; n < 4; n++) await agent.say('poison', failed.session)
    const before = servers[0].count
    const turn = await agent.say('hello')
    expect([turn.text, servers[0].count - before]).toEqual(['fine', 1])
    // The other model has no balance, which is no matter of what is asked.
    expect(health.flatMap((told) => told().problem ?? []).join()).not.toContain(
      'openai-compatible/first',
    )
  })

  test('a limit with a wait of a day stops nobody for a day: others wait for a moment, and one of them finds out', async () => {
    const limited: Script = ({ messages }) =>
      JSON.stringify(messages).includes('greedy')
        ? reply.httpError(429, { retryAfter: 86_400 })
        : reply.text('fine')
    const { agent } = await chain(limited, reply.httpError(402, { message: 'payment required' }), {
      config: { sessions: 3, maxMs: 60_000, waitMs: 1_000 },
    })
    expect(eventsOf(await agent.say('greedy'), 'error')).toHaveLength(1)
    const [problem] = [...agent.kernel.current().registry(Health).values()].flatMap(
      (told) => told().problem ?? [],
    )
    expect(problem).toMatch(
      /openai-compatible\/first is not called until \d{4}-\d\d-\d\dT[\d:.]+Z \(rate_limit\)/,
    )
    expect(
      (await Promise.all([agent.say('one'), agent.say('two'), agent.say('three')])).map(
        ({ text }) => text,
      ),
    ).toEqual(['fine', 'fine', 'fine'])
  })

  test('and a failure that several meet is one of the model', async () => {
    const { agent, servers } = await chain(reply.httpError(500), reply.text('second'), {
      config: { sessions: 3, baseMs: 60_000, maxMs: 60_000, retries: 0 },
    })
    for (let n = 0; n < 5; n++) expect((await agent.say('go')).text).toBe('second')
    expect(servers.map(({ count }) => count)).toEqual([3, 5])
  })
})

test('many sessions at once do not storm a model that has failed', async () => {
  let down = true
  const script: Script = () => (down ? reply.httpError(503) : reply.text('up'))
  const { agent, servers } = await chain(
    script,
    reply.httpError(402, { message: 'payment required' }),
    { config: { baseMs: 100, maxMs: 100, waitMs: 20_000, retries: 10 } },
  )
  await agent.say('it is down').catch(() => undefined)
  const before = servers[0].count
  const began = performance.now()
  const turns = Promise.all(Array.from({ length: 40 }, (_, n) => agent.say(`message ${n}`)))
  await new Promise((resolve) => setTimeout(resolve, 500))
  // One finds out at a time, all others wait.
  expect(servers[0].count - before).toBeLessThanOrEqual(
    Math.ceil((performance.now() - began) / 100) + 2,
  )
  down = false
  expect((await turns).map(({ text }) => text)).toEqual(Array.from({ length: 40 }, () => 'up'))
})
