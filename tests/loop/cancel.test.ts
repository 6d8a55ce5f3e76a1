import { sessionId, sleep, type SessionStore } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { gate, given, startTestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, told } from './support/frames.ts'
import type { Script } from './support/scripted-model.ts'
import { decorateStore, sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

const question = {
  type: 'question',
  schema: { type: 'object' },
  context: { question: 'well?' },
} as const

test('where nothing runs there is nothing to cancel', async () => {
  const agent = await startTestAgent()
  const { session } = await agent.say('hi')
  expect(given(await agent.face.cancel(session))).toEqual({ active: false })
  expect(await agent.face.cancel(sessionId('sess_none'))).toMatchObject({
    ok: false,
    error: { code: 'SESSION_NOT_FOUND' },
  })
  expect((await agent.say('still there?', session)).events.at(-1)).toMatchObject({
    reason: 'model_stop',
  })
})

test('before the model is asked: it is not', async () => {
  const hold = gate()
  const agent = await startTestAgent({
    taps: ({ run }) =>
      run.start.tap(async () => {
        await hold.opened
        return undefined
      }),
  })
  const sent = await agent.send('go')
  given(await agent.face.cancel(sent.session))
  hold.open()
  expect((await allFrames(sent.frames)).at(-1)?.event).toMatchObject({
    type: 'done',
    reason: 'user_abort',
  })
  expect(agent.model.asked).toHaveLength(0)
  expect(await agent.kinds(sent.session)).toEqual(['user_message', 'run_ended'])
})

test('while the model talks: what it said is kept, and the model is let go', async () => {
  const agent = await startTestAgent({
    script: [
      { text: ['Once upon ', 'a time'], until: new Promise(() => undefined) },
      { text: 'and then' },
    ],
  })
  const sent = await agent.send('tell')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.model.asked.length).toBe(1)
  expect(given(await agent.face.cancel(sent.session))).toEqual({ active: true })
  const turn = told(sent.session, await reading)
  expect(turn.text).toBe('Once upon a time')
  expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
  expect(agent.model.asked[0]?.signal?.aborted).toBe(true)
  await agent.say('go on', sent.session)
  expect(agent.model.asked[1]?.prompt).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ text: 'Once upon a time' }] },
    { role: 'user' },
  ])
})

test('while tools run: each call has an outcome, and an effect in flight is said to be unknown', async () => {
  const began = gate()
  let signal: AbortSignal | undefined
  let ran = 0
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'look', id: 'a' },
          { name: 'write', id: 'b' },
          { name: 'write', id: 'c' },
        ],
      },
    ],
    tools: [
      reads('look'),
      writes('write', (_args, ctx) => {
        ran++
        signal = ctx.signal
        began.open()
        return new Promise(() => undefined)
      }),
    ],
  })
  const sent = await agent.send('go')
  await began.opened
  await agent.face.cancel(sent.session)
  const turn = told(sent.session, await allFrames(sent.frames))
  expect(signal?.aborted).toBe(true)
  expect(outcomes(await agent.journal(sent.session))).toEqual({
    a: 'success',
    b: 'unknown',
    c: 'error',
  })
  expect(only(await agent.journal(sent.session), 'tool_intent').map(({ call }) => call)).toEqual([
    'b',
  ])
  expect(turn.events.filter(({ type }) => type === 'tool_call_result')).toHaveLength(3)
  expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
  agent.model.play([{ text: 'ok' }])
  expect((await agent.say('next', sent.session)).text).toBe('ok')
  expect(ran).toBe(1)
})

test('while it waits for a person: the question is over, and the call that waited has an outcome', async () => {
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'ask', id: 'q' },
          { name: 'write', id: 'w' },
        ],
      },
      { text: 'ok' },
    ],
    tools: [reads('ask', () => ({ status: 'asks', question })), writes('write')],
  })
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.asks(sent.session)).toHaveLength(1)
  const [ask] = await agent.asks(sent.session)
  expect(given(await agent.face.cancel(sent.session))).toEqual({ active: true })
  expect(told(sent.session, await reading).events.at(-1)).toMatchObject({
    type: 'done',
    reason: 'user_abort',
  })
  expect(outcomes(await agent.journal(sent.session))).toEqual({ q: 'error', w: 'error' })
  expect(await agent.answer(sent.session, [ask, {}])).toMatchObject({
    ok: false,
    error: { code: 'ASK_NOT_FOUND' },
  })
  expect((await agent.say('next', sent.session)).text).toBe('ok')
})

test('the message that waits behind the cancelled turn is answered', async () => {
  const agent = await startTestAgent({
    script: ({ said }) =>
      said === 'first'
        ? { text: 'hm', until: new Promise(() => undefined) }
        : { text: `re: ${said}` },
  })
  const first = await agent.send('first')
  const second = agent.say('second', first.session)
  await expect.poll(() => agent.model.asked.length).toBe(1)
  await agent.face.cancel(first.session)
  expect((await second).events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  expect(only(await agent.journal(first.session), 'run_ended').map(({ reason }) => reason)).toEqual(
    ['user_abort', 'model_stop'],
  )
})

test('at another server: it is heard of, once, and the message that waits is answered', async () => {
  const store = await sharedStore()
  // What it is told of the inbox is always a little old.
  const around = (inner: SessionStore): SessionStore =>
    decorateStore(
      inner,
      async ({ method }, proceed) => {
        const said = await proceed()
        if (method === 'inbox') await sleep(15)
        return said
      },
      false,
    )
  const script: Script = ({ said }) =>
    said === 'first'
      ? { text: 'hm', until: new Promise(() => undefined) }
      : { text: `re: ${said}`, until: sleep(60) }
  const here = await startTestAgent({ store, around, script })
  const there = await startTestAgent({ store, around })
  const first = await here.send('first')
  const second = here.say('second', first.session)
  await expect.poll(() => here.model.asked.length).toBe(1)
  given(await there.face.cancel(first.session))
  await sleep(8) // while one look into the inbox is on its way, another one begins
  const third = there.say('third', first.session)
  expect((await second).events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  expect((await third).text).toBe('re: third')
  expect(only(await here.journal(first.session), 'run_ended').map(({ reason }) => reason)).toEqual([
    'user_abort',
    'model_stop',
    'model_stop',
  ])
})

test('so is the one that waits behind a cancelled question', async () => {
  const agent = await startTestAgent({
    script: ({ said }) =>
      said === 'first' ? { calls: [{ name: 'ask', id: 'q' }] } : { text: `re: ${said}` },
    tools: [reads('ask', () => ({ status: 'asks', question }))],
  })
  const { session } = await agent.say('first')
  const second = agent.say('second', session)
  await expect.poll(() => agent.sessionRecordOf(session)).toMatchObject({ messages: 1 })
  await agent.face.cancel(session)
  expect((await second).text).toBe('re: second')
})

test('many cancels at once are one', async () => {
  const agent = await startTestAgent({
    script: [{ text: 'hm', until: new Promise(() => undefined) }, { text: 'ok' }],
  })
  const sent = await agent.send('first')
  await expect.poll(() => agent.model.asked.length).toBe(1)
  await Promise.all([
    agent.face.cancel(sent.session),
    agent.face.cancel(sent.session),
    agent.face.cancel(sent.session),
  ])
  expect((await allFrames(sent.frames)).filter(({ event }) => event.type === 'done')).toHaveLength(
    1,
  )
  expect((await agent.say('again', sent.session)).text).toBe('ok')
  expect(await agent.sessionRecordOf(sent.session)).toMatchObject({
    owner: undefined,
    controls: 0,
    messages: 0,
  })
})

test('a tool that ends well in spite of it keeps its outcome', async () => {
  const began = gate()
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'look', id: 'a' }] }],
    tools: [
      reads('look', async (_args, { signal }) => {
        began.open()
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
        })
        return success(1)
      }),
    ],
  })
  const sent = await agent.send('go')
  await began.opened
  await agent.face.cancel(sent.session)
  await allFrames(sent.frames)
  expect(Object.keys(outcomes(await agent.journal(sent.session)))).toEqual(['a'])
})

test('an answer that is stopped is paid for, and no provider counts below nothing', async () => {
  const agent = await startTestAgent({
    limits: { maxSessionTokens: 1_500 },
    script: [
      { text: 'well', tokens: { input: -50_000, output: Number.NaN } },
      { text: 'word '.repeat(600), until: new Promise(() => undefined) },
    ],
  })
  const { session } = await agent.say('hello')
  const tokens = async (): Promise<number> => {
    const { row } = given(await agent.face.session(session))
    return row.inputTokens + row.outputTokens
  }
  expect(await tokens()).toBe(0)
  const { frames } = await agent.send('tell', session)
  const reading = allFrames(frames)
  await expect.poll(() => agent.model.asked.length).toBe(2)
  await agent.face.cancel(session)
  await reading
  expect(await tokens()).toBeGreaterThan(900)
  expect((await agent.say('more', session)).events.at(-1)).toMatchObject({
    type: 'done',
    reason: 'budget_exceeded',
  })
  expect(agent.model.asked).toHaveLength(2)
})
