import { endsWithToolResult, reply, type Script, startModelServer } from '@amodal/sdk/testing'
import type { JsonObject } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { type Door, type DoorOptions, openDoor, textIn } from '../security/support/door.ts'

const DETAILS = ['llm_start', 'llm_end', 'retry']
const CARD = '4111 1111 1111 1111'
const SECRET = 'planted-key-0123456789abcdef'

const typeOf = (event: JsonObject): string => textIn(event, 'type')
const ofType = (events: readonly JsonObject[], type: string): readonly JsonObject[] =>
  events.filter((event) => typeOf(event) === type)

async function eventsOf(response: Response): Promise<readonly JsonObject[]> {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject) // one object a line
}

const streamed = async (
  door: Door,
  message: string,
  events: 'all' | 'legacy' | undefined,
): Promise<readonly JsonObject[]> =>
  eventsOf(
    await fetch(`${door.url}/chat/stream${events === undefined ? '' : `?events=${events}`}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
      signal: AbortSignal.timeout(60_000),
    }),
  )

const thinking: Script = (request) =>
  endsWithToolResult(request)
    ? reply.text('Nothing there.', { thought: { text: 'So it is not there.' } })
    : reply.toolCalls(
        { name: 'no_such_tool', arguments: { path: '/deals', api_key: 'sk-planted' } },
        { thought: { text: 'I should look.' } },
      )

const door = (script: Script, more: Partial<DoorOptions> = {}): Promise<Door> =>
  openDoor({ script, ...more })

test('what a model thinks is streamed as `reasoning_delta`, before what it says and apart from it', async () => {
  await using server = await door(thinking)
  for (const events of [undefined, 'legacy'] as const) {
    const told = await streamed(server, 'Look.', events)
    expect(
      ofType(told, 'reasoning_delta')
        .map((event) => textIn(event, 'content'))
        .join(''),
    ).toBe('I should look.So it is not there.')
    expect(ofType(told, 'reasoning_delta')[0]).toMatchObject({
      delta: expect.any(String) as string,
      timestamp: expect.any(String) as string,
    })
    expect(told.findIndex((event) => typeOf(event) === 'reasoning_delta')).toBeLessThan(
      told.findIndex((event) => textIn(event, 'tool_name') === 'no_such_tool'),
    )
  }
  expect((await server.say('Look.')).body).toMatchObject({ response: 'Nothing there.' })
})

test('`?events=all` tells how the model is called; nobody else is sent a frame more', async () => {
  await using server = await door(thinking)
  const all = await streamed(server, 'Look.', 'all')
  expect(
    all
      .map(typeOf)
      .filter(
        (type) =>
          DETAILS.includes(type) ||
          ['init', 'tool_call_start', 'tool_call_result', 'done'].includes(type),
      ),
  ).toEqual([
    'init',
    'llm_start',
    'llm_end',
    'tool_call_start',
    'tool_call_result',
    'llm_start',
    'llm_end',
    'done',
  ])
  expect(ofType(all, 'llm_start')).toMatchObject([{ iteration: 1 }, { iteration: 2 }])
  const [first, second] = ofType(all, 'llm_end')
  expect(first).toMatchObject({
    iteration: 1,
    timestamp: expect.any(String) as string,
    message: {
      role: 'assistant',
      provider: 'openai-compatible',
      model: 'scripted',
      stop_reason: 'tool-calls',
      content: [
        { type: 'reasoning', text: 'I should look.' },
        {
          type: 'tool_call',
          tool_name: 'no_such_tool',
          parameters: { path: '/deals', api_key: '[REDACTED]' },
        },
      ],
    },
  })
  expect(second).toMatchObject({
    message: {
      stop_reason: 'stop',
      content: [{ type: 'reasoning' }, { type: 'text', text: 'Nothing there.' }],
      usage: { total_tokens: expect.any(Number) as number },
    },
  })
  for (const events of [undefined, 'legacy'] as const)
    expect((await streamed(server, 'Look.', events)).map(typeOf)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^llm_|^retry$/)]),
    )
  expect((await server.post('/chat/stream?events=none', { message: 'x' })).status).toBe(400)
})

test('a stream that is gone on with asks for itself: with `?events=all` the model calls to come are told, without it none', async () => {
  const waiting = Promise.withResolvers<undefined>()
  await using server = await door(async (request) => {
    if (!endsWithToolResult(request))
      return reply.toolCalls({ name: 'no_such_tool', arguments: {} })
    await waiting.promise
    return reply.text('Nothing there.')
  })
  const session = textIn((await server.post('/sessions', {})).body, 'session_id')
  const sent = fetch(`${server.url}/chat/stream?events=all`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Look.', session_id: session }),
    signal: AbortSignal.timeout(60_000),
  })
  await expect.poll(() => server.model.requests.length).toBe(2)
  const [all, plain] = await Promise.all(
    ['?events=all', ''].map((query) =>
      fetch(`${server.url}/chat/stream/${session}${query}`, {
        signal: AbortSignal.timeout(60_000),
      }),
    ),
  )
  if (!all || !plain) throw new Error('two were asked for')
  waiting.resolve(undefined)
  expect((await eventsOf(all)).map(typeOf)).toContain('llm_end')
  expect((await eventsOf(plain)).map(typeOf).filter((type) => DETAILS.includes(type))).toEqual([])
  await sent
})

test('`retry` says that a model call failed, why, and with which account it is made again', async () => {
  let failures = 0
  const model = await startModelServer({
    script: () => (failures-- > 0 ? reply.httpError(429) : reply.text('There.')),
  })
  onTestFinished(() => model.close())
  const main = {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: model.url,
    apiKey: 'env:FIRST_KEY',
    profiles: [{ name: 'second-team', apiKey: 'env:SECOND_KEY' }],
  }
  await using server = await door(reply.silence(), {
    manifest: { models: { main }, failover: { backoffMs: 1 } },
    env: { FIRST_KEY: 'first-0123456789', SECOND_KEY: 'second-0123456789' },
  })
  failures = 1
  const all = await streamed(server, 'Hello.', 'all')
  expect(ofType(all, 'retry')).toEqual([
    {
      type: 'retry',
      attempt: 1,
      reason: 'rate_limit',
      profile_id: 'second-team',
      profileId: 'second-team',
      timestamp: expect.any(String) as string,
    },
  ])
  expect(all.map(typeOf).filter((type) => DETAILS.includes(type))).toEqual([
    'llm_start',
    'retry',
    'llm_start',
    'llm_end',
  ])

  failures = 1
  expect((await streamed(server, 'Hello.', undefined)).map(typeOf)).toEqual([
    'init',
    'text_delta',
    'done',
  ])
})

test('what may not leave in an answer does not leave in what the model thinks, nor in `llm_end`', async () => {
  const thought = `The card is ${CARD}, the key is ${SECRET}.`
  await using server = await door(() => reply.text('Done.', { thought: { text: thought } }), {
    env: { MY_API_KEY: SECRET },
    files: {
      'connections/crm/spec.json': {
        baseUrl: 'http://127.0.0.1:9',
        auth: { type: 'bearer', token: 'env:MY_API_KEY' },
      },
    },
  })
  const all = await streamed(server, 'Pay.', 'all')
  expect(ofType(all, 'reasoning_delta').length).toBeGreaterThan(0)
  const text = ofType(all, 'reasoning_delta')
    .map((event) => textIn(event, 'content'))
    .join('')
  expect(text).toContain('The card is ')
  expect(text + JSON.stringify(all)).not.toContain(CARD)
  expect(text + JSON.stringify(all)).not.toContain(SECRET)
})
