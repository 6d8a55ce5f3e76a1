import type { RuntimeSettings } from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import {
  contentText,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestAgent, type TestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, told } from './support/frames.ts'
import { reads, writes } from './support/tools.ts'

// The real protocol: a provider on loopback that answers, or fails, in exactly this way, and
// refuses what a strict endpoint refuses.

interface Talk {
  readonly agent: TestAgent
  readonly server: ModelServer
}

async function talk(script: Script, settings: Partial<RuntimeSettings> = {}): Promise<Talk> {
  const server = await startModelServer({ script })
  onTestFinished(() => server.close())
  const agent = await startTestAgent({
    models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: server.url } },
    settings,
    tools: [reads('look'), writes('write')],
    plugins: [use(secretsEnv, { env: {} }), use(outbound), use(modelOpenaiCompatible)],
  })
  return { agent, server }
}

/** The turn that failed said so once; the next one works, and its history is taken. */
async function failsThenWorks(
  { agent, server }: Talk,
  expected: { readonly code: string; readonly text?: string },
): Promise<void> {
  const sent = await agent.send('first')
  const turn = told(sent.session, await allFrames(sent.frames))
  expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'error' }])
  expect(eventsOf(turn, 'error')).toMatchObject([{ code: expected.code }])
  expect(turn.text).toBe(expected.text ?? '')
  expect(only(await agent.journal(turn.session), 'model_reply').map(({ text }) => text)).toEqual(
    expected.text === undefined ? [] : [expected.text],
  )

  server.play(reply.text('here I am'))
  const next = await agent.say('second', turn.session)
  expect(next.text).toBe('here I am')
  expect(next.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  const { messages } = server.requests.at(-1)?.body ?? { messages: [] }
  // Many chat templates refuse two messages of one role in a row.
  expect(messages.map(({ role }) => role)).toEqual(
    expected.text === undefined ? ['user'] : ['user', 'assistant', 'user'],
  )
  const texts = messages.map(contentText).join(' ')
  expect(texts).toContain('first')
  expect(texts).toContain('second')
}

test('text and tools go through', async () => {
  const { agent, server } = await talk(
    reply.toolsThenText(
      [
        { name: 'look', arguments: { v: 1 } },
        { name: 'write', arguments: { v: 2 } },
      ],
      ['found ', 'it'],
      {},
    ),
  )
  const turn = await agent.say('go')
  expect(turn.text).toBe('found it')
  expect(Object.values(outcomes(await agent.journal(turn.session)))).toEqual(['success', 'success'])
  await agent.say('again', turn.session)
  expect(server.count).toBe(4)
})

describe('a model that refuses', () => {
  test.each([400, 401, 403, 404, 429, 500, 503])('with HTTP %i', async (status) => {
    await failsThenWorks(await talk(reply.httpError(status)), { code: 'MODEL_FAILED' })
  })

  test('because nobody listens there', async () => {
    const one = await talk(reply.text('x'))
    await one.server.close()
    const turn = await one.agent.say('first')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error', code: 'MODEL_FAILED' },
      { type: 'done', reason: 'error' },
    ])
  })
})

describe('a model that stalls', () => {
  test('before its first part', async () => {
    await failsThenWorks(await talk(reply.silence(), { firstPartMs: 600 }), {
      code: 'MODEL_TIMEOUT',
    })
  })

  test('after the headers, before its first words', async () => {
    const one = await talk(reply.text(['a'], { ending: { kind: 'stall', after: 0 } }), {
      firstPartMs: 1_000,
      stallMs: 600,
    })
    await failsThenWorks(one, { code: 'MODEL_TIMEOUT' })
    expect(one.server.requests[0]?.aborted).toBe(true)
  })

  test('in the middle of its words', async () => {
    const one = await talk(
      reply.text(['half ', 'an ', 'answer'], { ending: { kind: 'stall', after: 2 } }),
      { stallMs: 600 },
    )
    await failsThenWorks(one, { code: 'MODEL_TIMEOUT', text: 'half an ' })
  })

  test('in the middle of a call, which then never runs', async () => {
    await failsThenWorks(
      await talk(
        reply.toolCalls(
          { name: 'write', arguments: { v: 1 }, pieces: 4 },
          { ending: { kind: 'stall', after: 2 } },
        ),
        { stallMs: 600 },
      ),
      { code: 'MODEL_TIMEOUT' },
    )
  })

  test('not at all: one that is slow for longer than the time for one part is waited for', async () => {
    const { agent } = await talk(reply.text([...'slow but sure'], { pace: 60 }), {
      firstPartMs: 2_000,
      stallMs: 600,
      stalenessMs: 100,
      leaseMs: 600,
    })
    expect((await agent.say('go')).text).toBe('slow but sure')
  })
})

describe('a stream that', () => {
  test('is cut', async () => {
    await failsThenWorks(
      await talk(reply.text(['half ', 'gone'], { ending: { kind: 'cut', after: 1 } })),
      { code: 'MODEL_FAILED', text: 'half ' },
    )
  })

  test('ends without finishing', async () => {
    await failsThenWorks(
      await talk(reply.text(['half ', 'gone'], { ending: { kind: 'truncated', after: 1 } })),
      { code: 'MODEL_FAILED', text: 'half ' },
    )
  })

  test('holds broken JSON', async () => {
    await failsThenWorks(
      await talk(reply.text(['half ', 'gone'], { ending: { kind: 'broken-json', after: 1 } })),
      { code: 'MODEL_FAILED', text: 'half ' },
    )
  })

  test('holds an error', async () => {
    await failsThenWorks(
      await talk(
        reply.text(['half ', 'gone'], {
          ending: { kind: 'error', after: 1, error: { message: 'overloaded' } },
        }),
      ),
      { code: 'MODEL_FAILED', text: 'half ' },
    )
  })

  test('is empty', async () => {
    await failsThenWorks(await talk(reply.emptyStream()), { code: 'MODEL_FAILED' })
  })

  test('never ends is cut at the limit, and the endpoint is let go', async () => {
    const { agent, server } = await talk(reply.text(['blah '], { ending: { kind: 'endless' } }), {
      replyChars: 1_000,
    })
    const turn = await agent.say('go')
    expect(turn.text.length).toBe(1_000)
    expect(eventsOf(turn, 'warning')).toMatchObject([
      { message: 'The reply was cut after 1000 characters.' },
    ])
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    await expect.poll(() => server.requests[0]?.aborted).toBe(true)
    server.play(reply.text('ok'))
    expect((await agent.say('next', turn.session)).text).toBe('ok')
  })
})

describe('calls that a model gets wrong', () => {
  test.each([
    ['a tool there is not', [{ name: 'nope', arguments: {} }]],
    ['arguments that are no JSON', [{ name: 'write', arguments: '{"v": ' }]],
    [
      'one id twice',
      [
        { id: 'x', name: 'write', arguments: {} },
        { id: 'x', name: 'write', arguments: {} },
      ],
    ],
    ['no arguments', [{ name: 'write', arguments: '' }]],
  ])('%s: each has an outcome and the model can go on', async (_, calls) => {
    const { agent } = await talk(reply.toolsThenText(calls, 'I see'))
    const turn = await agent.say('go')
    expect(turn.text).toBe('I see')
    expect(Object.keys(outcomes(await agent.journal(turn.session)))).toHaveLength(calls.length)
    expect(eventsOf(turn, 'done')).toMatchObject([{ reason: 'model_stop' }])
  })

  test('the same id in every step and every turn', async () => {
    const { agent, server } = await talk(
      reply.toolsThenText({ id: 'call_0', name: 'write', arguments: {} }, 'ok'),
    )
    const { session } = await agent.say('one')
    await agent.say('two', session)
    await agent.say('three', session)
    expect(Object.keys(outcomes(await agent.journal(session)))).toHaveLength(3)
    expect(server.count).toBe(6)
  })

  test('cut off by the token limit: nothing runs, and the history is taken', async () => {
    const { agent, server } = await talk([
      reply.toolCalls(
        { name: 'write', arguments: '{"v": "half a sen' },
        { finishReason: 'length', before: 'I write ' },
      ),
      reply.text('shorter'),
    ])
    const turn = await agent.say('go')
    expect(turn.text).toBe('I write shorter')
    expect(Object.values(outcomes(await agent.journal(turn.session)))).toEqual(['error'])
    expect(server.count).toBe(2)
  })
})
