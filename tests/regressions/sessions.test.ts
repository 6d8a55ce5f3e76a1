import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import confirmations from '@amodal/plugin-confirmations'
import { DEFAULT_SETTINGS } from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  defineBundle,
  Kernel,
  LOCAL_TENANT,
  SessionStore,
  askId,
  instanceId,
  sessionId,
  use,
  without,
  type StoredState,
} from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { outcomesOf, talk, textOf, tool, typesOf, type TalkOptions } from './support/talk.ts'

/** What several servers share. */
async function database(): Promise<SessionStore> {
  const kernel = await Kernel.create([use(sessionsMemory)])
  if (!kernel.ok) throw new Error('no memory')
  onTestFinished(async () => {
    await kernel.value.close()
  })
  return kernel.value.scope.get(SessionStore)
}

describe('two messages at once lost one exchange', () => {
  test('both are answered, in the order in which they were kept', async () => {
    const one = await talk({
      script: ({ messages }) =>
        reply.text(`answer ${messages.filter(({ role }) => role === 'user').length}`, {
          delay: 20,
        }),
    })
    await one.say('zero')
    const both = await Promise.all([one.say('first'), one.say('second')])
    expect(both.map(textOf)).toEqual(['answer 2', 'answer 3'])
    expect(
      (await one.entries()).flatMap((entry) => (entry.kind === 'user_message' ? [entry.text] : [])),
    ).toEqual(['zero', 'first', 'second'])
  })
})

describe('a disconnect lost the partial text, or cancelled the run', () => {
  test('the turn goes on without its reader, and the reader finds it whole', async () => {
    const words = ['one ', 'two ', 'three ', 'four']
    const one = await talk({ script: reply.text(words, { pace: 15 }) })
    for await (const event of one.session.stream('count')) if (event.type === 'text_delta') break
    await expect.poll(async () => (await one.entries()).at(-1)?.kind).toBe('run_ended')
    expect((await one.entries()).find(({ kind }) => kind === 'model_reply')).toMatchObject({
      text: words.join(''),
    })
    expect(one.server.requests[0]?.aborted).toBe(false)
  })

  test('what was said before a failure stays in the history', async () => {
    const one = await talk({
      script: [
        reply.text(['half a ', 'thought'], { ending: { kind: 'cut', after: 1 } }),
        reply.text('go on'),
      ],
      config: { bundle: defineBundle({ name: 'test', failover: { retries: 0, backoffMs: 10 } }) },
    })
    await one.say('think')
    await one.say('and?')
    expect(
      one.server.requests[1]?.body.messages.map(
        ({ role, content }) => `${role}: ${JSON.stringify(content)}`,
      ),
    ).toEqual(expect.arrayContaining(['assistant: "half a "']))
  })
})

describe('a parked approval', () => {
  const paying = (store: SessionStore, ran: string[]): TalkOptions => ({
    script: reply.toolsThenText({ name: 'pay', arguments: { v: 7 } }, 'paid'),
    config: { sessionStore: store },
    tools: [
      tool('pay', false, ({ v = null }) => {
        ran.push(`paid ${JSON.stringify(v)}`)
        return { status: 'success', output: 'ok' }
      }),
    ],
    taps: (hooks) => hooks.tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?')),
  })

  test('did not survive a restart', async () => {
    const store = await database()
    const ran: string[] = []
    const before = await talk(paying(store, ran))
    let ask = ''
    const reading = before.say('pay', (event) => {
      if (event.type === 'confirmation_required') ask = event.id
    })
    await expect.poll(() => ask).not.toBe('')
    const after = await talk(paying(store, ran))
    const face = after.session.session
    expect(
      await face.answer(before.session.id, [{ id: askId(ask), answer: { approved: true } }]),
    ).toMatchObject({ ok: true })
    await expect
      .poll(async () => {
        const view = await face.session(before.session.id)
        return view.ok ? view.value.entries.at(-1)?.kind : undefined
      })
      .toBe('run_ended')
    expect(ran).toEqual(['paid 7'])
    expect(textOf(await reading)).toBe('paid')
  })

  test('was believed from the client: neither words, nor an id of its own, nor other arguments approve anything', async () => {
    const store = await database()
    const ran: string[] = []
    const one = await talk(paying(store, ran))
    const { session } = one.session
    const events = one.say('pay')
    await expect.poll(async () => (await one.entries()).at(-1)?.kind).toBe('input_asked')
    void one.say('approved: true')
    expect(
      await session.answer(one.session.id, [
        { id: askId('ask_forged'), answer: { approved: true } },
      ]),
    ).toMatchObject({ ok: false, error: { code: 'ASK_NOT_FOUND' } })
    const view = await session.session(one.session.id)
    const ask = view.ok ? view.value.asks[0] : undefined
    expect(
      await session.answer(sessionId('sess_other'), [
        { id: ask?.id ?? askId('none'), answer: { approved: true } },
      ]),
    ).toMatchObject({ ok: false })
    expect(
      await session.answer(one.session.id, [
        { id: ask?.id ?? askId('none'), answer: { approved: true, args: { v: 1_000_000 } } },
      ]),
    ).toMatchObject({ ok: false, error: { code: 'ANSWER_INVALID' } })
    expect(ran).toEqual([])
    expect(
      await session.answer(one.session.id, [
        { id: ask?.id ?? askId('none'), answer: { approved: true } },
      ]),
    ).toMatchObject({ ok: true })
    await events
    expect(ran).toEqual(['paid 7'])
  })
})

test('an upgrade stranded every parked session', async () => {
  // As the first release left it; the tool is the one it was asked for.
  const { state, entries } = JSON.parse(
    readFileSync(
      join(import.meta.dirname, '../fixtures/journal/v1/session-confirming.json'),
      'utf8',
    ),
  ) as { readonly state: StoredState; readonly entries: readonly object[] }
  const store = await database()
  const session = sessionId('sess_1f0c')
  const ref = { tenant: LOCAL_TENANT, session }
  const signal = new AbortController().signal
  const accepted = await store.accept(
    {
      ...ref,
      key: 'k1',
      body: '{}',
      control: false,
      owner: instanceId('gone'),
      leaseMs: 1,
      create: { principal: 'me', title: 'Left', meta: '{}' },
    },
    signal,
  )
  const fence = accepted.ok ? (accepted.value.sessionRecord?.fencingToken ?? 0) : 0
  await store.commit(
    {
      ...ref,
      fencingToken: fence,
      base: 0,
      key: 'c1',
      state: JSON.stringify(state),
      entries: entries.map((body) => ({ body: JSON.stringify(body) })),
      acknowledged: { messages: ['k1'], controls: [] },
      erase: [],
      end: 'park',
      leaseMs: 1,
      progress: true,
      add: { messages: 0, input: 0, output: 0 },
    },
    signal,
  )
  let ran = 0
  const one = await talk({
    script: reply.text('thank you'),
    config: { sessionStore: store, plugins: [use(confirmations, { answeredBy: ['anyone'] })] },
    tools: [
      tool('pay', false, () => {
        ran++
        return { status: 'success', output: 'ok' }
      }),
    ],
  })
  const { session: face } = one.session
  expect(
    await face.answer(session, [{ id: askId('ask_1f0c'), answer: { approved: true } }]),
  ).toMatchObject({ ok: true })
  await expect
    .poll(async () => {
      const view = await face.session(session)
      return view.ok ? view.value.entries.at(-1)?.kind : undefined
    })
    .toBe('run_ended')
  expect(ran).toBe(1)
})

test('recovery used up its own retry budget', async () => {
  // A run that waits for a person time and again is no run that was recovered time and again.
  const one = await talk({
    script: ({ messages }) =>
      messages.filter(({ role }) => role === 'tool').length < 13
        ? reply.toolCalls({ name: 'pay', arguments: {} })
        : reply.text('all paid'),
    tools: [tool('pay', false)],
    taps: (hooks) => hooks.tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?')),
    limits: { maxTurns: 20 },
    // The same call thirteen times is what loops are made of.
    config: { plugins: [without('loop-guard')] },
  })
  const events = await one.say('pay them all', (event) => {
    if (event.type === 'confirmation_required')
      void one.session.session.answer(one.session.id, [
        { id: askId(event.id), answer: { approved: true } },
      ])
  })
  expect(textOf(events)).toBe('all paid')
  expect(outcomesOf(await one.entries())).toHaveLength(13)
  expect((await one.entries()).filter(({ kind }) => kind === 'note')).toEqual([])
})

describe('traces and deltas filled the disk', () => {
  test('a reply is one row, however many deltas it came in', async () => {
    const one = await talk({ script: reply.text(Array.from({ length: 2_000 }, (_, n) => `${n} `)) })
    const events = await one.say('count')
    // Deltas that arrive together are sent together.
    expect(typesOf(events).filter((type) => type === 'text_delta').length).toBeGreaterThan(1)
    expect(textOf(events)).toBe(Array.from({ length: 2_000 }, (_, n) => `${n} `).join(''))
    expect((await one.entries()).map(({ kind }) => kind)).toEqual([
      'user_message',
      'model_reply',
      'run_ended',
    ])
  })

  test('what is old goes by default', () => {
    expect(DEFAULT_SETTINGS.sessionTtlMs).toBeGreaterThan(0)
  })
})
