import { History } from '@amodal/plugin-loop'
import { sessionId, type SessionId, type SessionStore } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { gate, given, startTestAgent, type TestAgent } from './support/agent.ts'
import { only } from './support/entries.ts'
import { decorateStore, sharedStore } from './support/store.ts'
import { historyProblem } from './support/strict-history.ts'
import { reads, writes } from './support/tools.ts'

describe('clear', () => {
  test('forgets what was said, and keeps the session', async () => {
    const agent = await startTestAgent({ script: ({ prompt }) => ({ text: `${prompt.length}` }) })
    const { session } = await agent.say('one')
    await agent.say('two', session)
    given(await agent.face.clear(session))
    expect((await agent.say('three', session)).text).toBe('1')
    expect(await agent.kinds(session)).toContain('compacted')
  })

  test('during a turn waits for its end, like a message', async () => {
    const hold = gate()
    const agent = await startTestAgent({
      script: ({ said, prompt }) =>
        said === 'slow' ? { text: 'slow', until: hold.opened } : { text: `${prompt.length}` },
    })
    const { session } = await agent.send('slow')
    await expect.poll(() => agent.model.asked.length).toBe(1)
    given(await agent.face.clear(session))
    const next = agent.say('next', session)
    hold.open()
    expect((await next).text).toBe('1')
    expect(await agent.kinds(session)).toEqual([
      'user_message',
      'model_reply',
      'run_ended',
      'compacted',
      'run_ended',
      'user_message',
      'model_reply',
      'run_ended',
    ])
  })

  test('of an unknown session is refused', async () => {
    const agent = await startTestAgent()
    expect(await agent.face.clear(sessionId('sess_none'))).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
  })
})

describe('fork', () => {
  const talked = async (): Promise<{ readonly agent: TestAgent; readonly session: SessionId }> => {
    const agent = await startTestAgent({
      script: ({ said, results }) =>
        said.startsWith('do') && Object.keys(results).length === 0
          ? { text: 'I do', calls: [{ name: 'look' }, { name: 'write' }] }
          : { text: `re: ${said}` },
      tools: [reads('look'), writes('write')],
    })
    const { session } = await agent.say('one')
    await agent.say('do two', session)
    await agent.say('three', session)
    return { agent, session }
  }

  test('goes its own way from the end; neither sees what the other says', async () => {
    const { agent, session } = await talked()
    const child = given(await agent.face.fork(session, undefined)).session
    const before = await agent.journal(session)
    await agent.say('four', child)
    expect(await agent.journal(session)).toEqual(before)
    await agent.say('five', session)
    expect(only(await agent.journal(child), 'user_message').map(({ text }) => text)).toEqual([
      'one',
      'do two',
      'three',
      'four',
    ])
    expect(only(await agent.journal(session), 'user_message').map(({ text }) => text)).toEqual([
      'one',
      'do two',
      'three',
      'five',
    ])
  })

  test('from any place there is: the history is as it stood then, and the model takes it', async () => {
    const { agent, session } = await talked()
    const all = await agent.journal(session)
    for (const { seq } of all) {
      const child = given(await agent.face.fork(session, seq)).session
      const inherited = await agent.journal(child)
      expect(inherited.map(({ seq: at, kind }) => [at, kind])).toEqual(
        all.slice(0, seq).map(({ seq: at, kind }) => [at, kind]),
      )
      expect(given(await agent.face.session(child))).toMatchObject({
        state: 'idle',
        asks: [],
        row: { parent: session, forkedAt: seq, head: seq },
      })
      expect((await agent.say('and now', child)).text).toBe('re: and now')
      const prompt = agent.model.asked.at(-1)?.prompt ?? []
      const folded = new History()
      for (const entry of all.slice(0, seq)) folded.apply(entry, entry.seq)
      folded.close()
      expect(prompt.slice(0, -1)).toEqual(folded.messages)
      expect(historyProblem(prompt)).toBeUndefined()
    }
  })

  test('of a fork of a fork', async () => {
    const { agent, session } = await talked()
    const child = given(await agent.face.fork(session, 3)).session
    await agent.say('child', child)
    const grandchild = given(await agent.face.fork(child, 5)).session
    await agent.say('grandchild', grandchild)
    const early = given(await agent.face.fork(grandchild, 2)).session
    expect(only(await agent.journal(grandchild), 'user_message').map(({ text }) => text)).toEqual([
      'one',
      'child',
      'grandchild',
    ])
    expect(await agent.kinds(early)).toEqual(['user_message', 'model_reply'])
    expect((await agent.say('again', early)).text).toBe('re: again')
  })

  test('inherits no question that waits', async () => {
    const agent = await startTestAgent({
      script: ({ said, results }) =>
        said === 'ask' && results['q'] === undefined
          ? { calls: [{ name: 'ask', id: 'q' }] }
          : { text: `re: ${said}` },
      tools: [
        reads('ask', () => ({
          status: 'asks',
          question: { type: 'question', schema: { type: 'object' }, context: {} },
        })),
      ],
    })
    const { session } = await agent.say('ask')
    const child = given(await agent.face.fork(session, undefined)).session
    expect(await agent.asks(child)).toEqual([])
    expect((await agent.say('next', child)).text).toBe('re: next')
    expect(await agent.asks(session)).toHaveLength(1)
  })

  test('from a place there is not is refused', async () => {
    const { agent, session } = await talked()
    for (const at of [-1, 999, 1.5])
      expect(await agent.face.fork(session, at)).toMatchObject({
        ok: false,
        error: { code: 'VALIDATION_ERROR' },
      })
  })
})

test('two servers that take turns in a session both know all of it', async () => {
  const store = await sharedStore()
  const shared = {
    store,
    around: (inner: SessionStore) => decorateStore(inner, (_call, proceed) => proceed(), false),
  }
  const [here, there] = [await startTestAgent(shared), await startTestAgent(shared)]
  const { session } = await here.say('one')
  await there.say('two', session)
  await here.say('three', session)
  expect(here.model.asked.at(-1)?.prompt.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ])
  expect(only(await here.journal(session), 'user_message').map(({ text }) => text)).toEqual([
    'one',
    'two',
    'three',
  ])
})

describe('a session', () => {
  test('is listed, renamed and removed', async () => {
    const agent = await startTestAgent()
    const { session } = await agent.say('  What   is\nopen? ')
    expect(given(await agent.face.sessions({ limit: 10 })).rows).toMatchObject([
      {
        session,
        title: 'What is open?',
        messageCount: 2,
        inputTokens: 10,
        outputTokens: 10,
        model: 'scripted-1',
      },
    ])
    given(
      await agent.face.update(session, { title: 'Open deals', tags: ['deals'], meta: { a: 1 } }),
    )
    expect(given(await agent.face.session(session)).row).toMatchObject({
      title: 'Open deals',
      tags: ['deals'],
      meta: '{"a":1}',
    })
    given(await agent.face.remove(session))
    expect(await agent.face.session(session)).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
    expect(await agent.face.send({ text: 'hi', session })).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
  })

  test('is not removed while it runs', async () => {
    const hold = gate()
    const agent = await startTestAgent({ script: [{ text: 'x', until: hold.opened }] })
    const sent = await agent.send('go')
    expect(await agent.face.remove(sent.session)).toMatchObject({
      ok: false,
      error: { code: 'RUN_ACTIVE' },
    })
    hold.open()
  })

  test('may have an id that the caller made', async () => {
    const agent = await startTestAgent()
    const mine = sessionId('sess_mine')
    expect((await agent.say('hi', mine, { create: true })).session).toBe(mine)
    expect((await agent.say('again', mine)).text).toBe('fine')
  })

  test('expires in two steps, and says so', async () => {
    const agent = await startTestAgent({ settings: { sessionTtlMs: 120 } })
    const { session } = await agent.say('hi')
    await expect
      .poll(async () => given(await agent.face.session(session)).row.status)
      .toBe('expired')
    expect(await agent.face.send({ text: 'hi', session })).toMatchObject({
      ok: false,
      error: { code: 'SESSION_EXPIRED' },
    })
    expect(given(await agent.face.session(session))).toMatchObject({
      row: { title: 'hi', messageCount: 2 },
      entries: [],
    })
  })
})
