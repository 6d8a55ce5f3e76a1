import {
  sessionId,
  type AgentEvent,
  type Frame,
  type FrameId,
  type SessionId,
  type SessionStore,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import {
  gate,
  given,
  startTestAgent,
  type TestAgent,
  type TestAgentOptions,
} from './support/agent.ts'
import { only } from './support/entries.ts'
import { allFrames, framesOf, leftWith } from './support/frames.ts'
import { connectionBroke, decorateStore, sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

/** The words, however they were cut, and the facts in their order. */
function content(frames: readonly Frame[]): {
  readonly text: string
  readonly facts: readonly AgentEvent[]
} {
  const events = leftWith(frames).map(({ event }) => event)
  return {
    text: events.map((event) => (event.type === 'text_delta' ? event.content : '')).join(''),
    facts: events.filter(({ type }) => type !== 'text_delta' && type !== 'init'),
  }
}

/** A turn with words before and after a read, an effect with a widget, and an approval. */
const rich = (hold?: Promise<unknown>) =>
  startTestAgent({
    script: ({ results }) => {
      if ('l' in results)
        return {
          text: ['and ', 'then '],
          calls: [
            { name: 'write', id: 'w' },
            { name: 'write', id: 'x' },
          ],
          ...(hold ? { until: hold } : {}),
        }
      return 'w' in results
        ? { text: ['all ', 'done'] }
        : { text: ['let ', 'me ', 'see '], calls: [{ name: 'look', id: 'l' }] }
    },
    tools: [
      reads('look'),
      writes('write', () => ({
        status: 'success',
        output: 1,
        events: [
          { type: 'widget', widget_type: 'metric', data: {} },
          { type: 'warning', message: 'mind it' },
        ],
      })),
    ],
    taps: ({ tool }) =>
      tool.guard.tap((verdict, call) =>
        call.id === 'x' ? verdict.raise('confirm', 'sure?') : undefined,
      ),
  })

async function approve(agent: TestAgent, session: SessionId): Promise<void> {
  await expect.poll(() => agent.asks(session), { interval: 2 }).toHaveLength(1)
  given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
}

async function resume(
  agent: TestAgent,
  session: SessionId,
  from: FrameId,
): Promise<readonly Frame[]> {
  return allFrames(given(await agent.face.follow(session, from)))
}

describe('a reader that comes back', () => {
  test('at any frame, after the end: nothing is missing and nothing is double', async () => {
    const agent = await rich()
    const sent = await agent.send('go')
    const reading = allFrames(sent.frames)
    await approve(agent, sent.session)
    const whole = await reading
    expect(content(whole).text).toBe('let me see and then all done')
    for (const [index, { id }] of whole.entries()) {
      const after =
        id.seq === whole.at(-1)?.id.seq && id.n === 0 && index === whole.length - 1
          ? []
          : await resume(agent, sent.session, id)
      expect(
        content([...whole.slice(0, index + 1), ...after]),
        `after frame ${index} (${JSON.stringify(id)})`,
      ).toEqual(content(whole))
    }
  })

  test('at any frame of a run that another owner has picked up, whose new words come before what became of an old call', async () => {
    const [store, hold] = [await sharedStore(), gate()]
    let broken = false
    const options: TestAgentOptions = {
      store,
      settings: { leaseMs: 150, marginMs: 10, sweepMs: 30 },
      script: ({ results }) =>
        'w' in results
          ? { text: ['the ', 'end'], until: hold.opened }
          : { calls: [{ name: 'write', id: 'w' }] },
      tools: [writes('write')],
    }
    const agent = await startTestAgent({
      ...options,
      around: (inner) =>
        decorateStore(inner, async ({ method, args }, proceed) => {
          broken ||= method === 'commit' && JSON.stringify(args[0]).includes('tool_intent')
          if (!broken || !['commit', 'renew', 'takeover'].includes(method)) return proceed()
          if (method === 'commit') await proceed()
          return connectionBroke
        }),
    })
    const sent = await agent.send('go')
    const whole = [...(await allFrames(sent.frames))]
    expect(whole.at(-1)?.event).toMatchObject({ code: 'COMMIT_IN_DOUBT' })
    broken = false
    for await (const frame of given(await agent.face.follow(sent.session, whole.at(-1)?.id))) {
      whole.push(frame)
      if (frame.event.type === 'text_delta') hold.open()
    }
    const order = whole.map(({ event }) => event.type)
    expect(order.indexOf('tool_call_result')).toBeGreaterThan(order.indexOf('text_delta'))
    const later = await startTestAgent(options)
    const told = content(
      await resume(later, sent.session, { seq: 0, fencingToken: 0, attempt: 0, n: 0 }),
    )
    expect(told.text).toBe('the end')
    for (const [index, { id }] of whole.slice(0, -1).entries()) {
      const { text } = content([
        ...whole.slice(0, index + 1),
        ...(await resume(later, sent.session, id)),
      ])
      expect(text, `after frame ${index}, ${order[index]} (${JSON.stringify(id)})`).toBe(told.text)
    }
  })

  test('while the database is away is told so, and misses nothing when it comes again', async () => {
    let failures = 0
    const around = (inner: SessionStore): SessionStore =>
      decorateStore(inner, ({ method }, proceed) =>
        method === 'entries' && failures-- > 0 ? Promise.resolve(connectionBroke) : proceed(),
      )
    const agent = await startTestAgent({
      around,
      script: [{ calls: [{ name: 'look', id: 'l' }] }, { text: 'seen' }],
      tools: [reads('look')],
    })
    const sent = await agent.send('go', undefined, { key: 'mine' })
    const whole = await allFrames(sent.frames)
    const from = whole.find(({ event }) => event.type === 'tool_call_result')?.id
    const rest = async () =>
      (await allFrames(given(await agent.face.follow(sent.session, from, 'mine')))).map(
        ({ event }) => event.type,
      )
    failures = 1
    expect(await rest()).toEqual(['error'])
    failures = 0
    expect(await rest()).toEqual(['text_delta', 'done'])
  })

  test('while the database is away takes back what it heard of a reply that was never kept, however often it had to come again', async () => {
    let failures = 0
    const around = (inner: SessionStore): SessionStore =>
      decorateStore(inner, ({ method }, proceed) =>
        method === 'entries' && failures-- > 0 ? Promise.resolve(connectionBroke) : proceed(),
      )
    const agent = await startTestAgent({ around, script: () => ({ text: 'an answer' }) })
    const { session } = await agent.say('before')
    const sent = await agent.send('go', session, { key: 'mine' })
    const [init] = await allFrames(sent.frames)
    // The second word of a reply that another owner had begun and never kept.
    const heard = { seq: init?.id.seq ?? 0, fencingToken: 77, attempt: 0, n: 2 }
    failures = 1
    const told = await allFrames(given(await agent.face.follow(sent.session, heard, 'mine')))
    expect(told.map(({ event }) => event.type)).toEqual(['error'])
    failures = 0
    const rest = await allFrames(
      given(await agent.face.follow(sent.session, told.at(-1)?.id, 'mine')),
    )
    expect(rest.map(({ event }) => event.type)).toEqual(['reset', 'text_delta', 'done'])
  })

  test('after a message that was sent twice in a session with a history, without its key: its turn, and no other', async () => {
    const agent = await startTestAgent({ script: ({ said }) => ({ text: `re: ${said}` }) })
    const { session } = await agent.say('one')
    await agent.say('two', session, { key: 'second' })
    await agent.say('three', session)
    const again = given(await agent.face.send({ session, text: 'two', key: 'second' }))
    const [init, ...rest] = await allFrames(again.frames)
    const resumed = init ? await resume(agent, session, init.id) : []
    expect(content(rest)).toMatchObject({ text: 're: two' })
    expect(content(resumed)).toEqual(content(rest))
  })

  test('after a message that was sent twice and waits for its turn: what was sent of it is its own turn', async () => {
    const { opened, open } = gate()
    const agent = await startTestAgent({
      script: ({ said }) => ({
        text: `re: ${said}`,
        ...(said === 'slow' ? { until: opened } : {}),
      }),
    })
    const { session } = await agent.say('one')
    const slow = await agent.send('slow', session)
    const waiting = await agent.send('next', session, { key: 'next' })
    const again = given(await agent.face.send({ session, text: 'next', key: 'next' }))
    open()
    const [told] = await Promise.all([
      allFrames(again.frames),
      allFrames(waiting.frames),
      allFrames(slow.frames),
    ])
    expect(content(told)).toMatchObject({ text: 're: next' })
  })

  test('after a message that was sent twice, with nothing but its beginning', async () => {
    const agent = await rich()
    const first = await agent.face.send({
      session: sessionId('sess_twice'),
      create: true,
      text: 'go',
      key: 'k',
    })
    const reading = allFrames(given(first).frames)
    await approve(agent, sessionId('sess_twice'))
    const whole = await reading
    const again = given(
      await agent.face.send({
        session: sessionId('sess_twice'),
        create: true,
        text: 'go',
        key: 'k',
      }),
    )
    const [init] = await allFrames(again.frames)
    const rest = init
      ? await allFrames(given(await agent.face.follow(again.session, init.id, 'k')))
      : []
    expect(content(rest)).toEqual(content(whole))
  })

  test('at any frame, while the turn goes on', async () => {
    const hold = gate()
    const agent = await rich(hold.opened)
    const sent = await agent.send('go')
    const reading = allFrames(sent.frames)
    const before = await framesUntil(agent, sent.session, 'then ')
    const cursors = await Promise.all(
      before.map(async ({ id }) => given(await agent.face.follow(sent.session, id))),
    )
    const rest = cursors.map((cursor) => allFrames(cursor))
    hold.open()
    await approve(agent, sent.session)
    const whole = await reading
    for (const [index, after] of (await Promise.all(rest)).entries()) {
      expect(content([...before.slice(0, index + 1), ...after]), `after frame ${index}`).toEqual(
        content(whole),
      )
    }
  })

  test('at any frame, while it waits for a person', async () => {
    const agent = await rich()
    const sent = await agent.send('go')
    const before = await framesOf(sent.frames)
    const cursors = await Promise.all(
      before.map(async ({ id }) => given(await agent.face.follow(sent.session, id))),
    )
    const rest = cursors.map((cursor) => allFrames(cursor))
    await approve(agent, sent.session)
    const ends = await Promise.all(rest)
    const whole = [...before, ...(ends.at(-1) ?? [])]
    expect(content(whole).facts.at(-1)).toMatchObject({ type: 'done' })
    for (const [index, after] of ends.entries())
      expect(content([...before.slice(0, index + 1), ...after]), `after frame ${index}`).toEqual(
        content(whole),
      )
  })

  test('more than once, each time at another place', async () => {
    const agent = await rich()
    const sent = await agent.send('go')
    const reading = allFrames(sent.frames)
    await approve(agent, sent.session)
    const whole = await reading
    let seen: readonly Frame[] = whole.slice(0, 2)
    for (let rounds = 0; rounds < 200 && seen.at(-1)?.event.type !== 'done'; rounds++) {
      const last = seen.at(-1)
      if (!last) break
      const more = await framesOf(given(await agent.face.follow(sent.session, last.id)), 1)
      seen = [...seen, ...more.slice(0, 1 + (rounds % 3))]
    }
    expect(content(seen)).toEqual(content(whole))
  })

  test('with an id from nowhere gets a whole turn all the same', async () => {
    const agent = await rich()
    const { session } = await startedAndDone(agent)
    const frames = await resume(agent, session, { seq: 0, fencingToken: 77, attempt: 3, n: 9 })
    expect(frames[0]?.event).toEqual({ type: 'reset', after_seq: 0 })
    expect(content(frames).text).toBe('let me see and then all done')
  })

  test('in the middle of a very long reply, of which its place is not kept any more', async () => {
    const hold = gate()
    const agent = await startTestAgent({
      script: [{ text: Array.from({ length: 12_000 }, (_, n) => `${n} `), until: hold.opened }],
    })
    const sent = await agent.send('count')
    const first = await framesUntil(agent, sent.session, '5 ')
    await expect.poll(() => agent.agent.runs()).toHaveLength(1)
    const again = allFrames(given(await agent.face.follow(sent.session, first.at(-1)?.id)))
    hold.open()
    expect(content([...first, ...(await again)]).text).toBe(
      Array.from({ length: 12_000 }, (_, n) => `${n} `).join(''),
    )
  })
})

/** A turn that is over. */
async function startedAndDone(
  agent: TestAgent,
): Promise<{ readonly session: SessionId; readonly frames: readonly Frame[] }> {
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  await approve(agent, sent.session)
  return { session: sent.session, frames: await reading }
}

/** The frames of the turn in progress up to those words. */
async function framesUntil(
  agent: TestAgent,
  session: SessionId,
  words: string,
): Promise<readonly Frame[]> {
  const cursor = given(await agent.face.follow(session, undefined))
  const frames: Frame[] = []
  while (
    !frames.some(({ event }) => event.type === 'text_delta' && event.content === words) &&
    (await cursor.wait())
  )
    frames.push(...cursor.take())
  cursor.close()
  return frames
}

describe('a follower', () => {
  test('without a place gets the turn in progress from its beginning, and leaves with it', async () => {
    const hold = gate()
    const agent = await startTestAgent({ script: [{ text: ['one ', 'two'], until: hold.opened }] })
    const sent = await agent.send('go')
    await expect.poll(() => agent.model.asked.length).toBe(1)
    const following = allFrames(given(await agent.face.follow(sent.session, undefined)))
    hold.open()
    expect(content(await following)).toEqual(content(await allFrames(sent.frames)))
  })

  test('without a place, where nothing runs, leaves at once', async () => {
    const agent = await startTestAgent()
    const { session } = await agent.say('hi')
    expect(await allFrames(given(await agent.face.follow(session, undefined)))).toEqual([])
    expect(await agent.face.follow(sessionId('sess_none'), undefined)).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
  })

  test('of a turn that waits for a person is shown the question again', async () => {
    const agent = await rich()
    const sent = await agent.send('go')
    await framesOf(sent.frames)
    expect(
      (await framesOf(given(await agent.face.follow(sent.session, undefined)))).at(-1)?.event.type,
    ).toBe('confirmation_required')
  })

  test('leaves at the end of the turn it was in, whatever came after it', async () => {
    const agent = await startTestAgent({ script: ({ said }) => ({ text: ['re: ', said] }) })
    const one = await agent.say('one')
    await agent.say('two', one.session)
    const at = one.frames[1]?.id
    const after = await allFrames(given(await agent.face.follow(one.session, at)))
    expect(content([...one.frames.slice(0, 2), ...after])).toEqual(content(one.frames))
  })
})

describe('a reader that leaves', () => {
  test('cancels nothing: the turn goes on and what it said is there', async () => {
    const hold = gate()
    const agent = await startTestAgent({ script: [{ text: 'to the end', until: hold.opened }] })
    const sent = await agent.send('go')
    sent.frames.close()
    expect(await allFrames(sent.frames)).toEqual([])
    hold.open()
    await expect.poll(() => agent.kinds(sent.session)).toContain('run_ended')
    expect(only(await agent.journal(sent.session), 'model_reply')).toMatchObject([
      { text: 'to the end' },
    ])
  })

  test('in the middle of a loop over the frames, too', async () => {
    const agent = await startTestAgent({ script: [{ text: ['a', 'b', 'c'] }] })
    const sent = await agent.send('go')
    for await (const { event } of sent.frames) if (event.type === 'text_delta') break
    await expect.poll(() => agent.kinds(sent.session)).toContain('run_ended')
    expect(only(await agent.journal(sent.session), 'run_ended')).toMatchObject([
      { reason: 'model_stop' },
    ])
  })
})

test('a reader that does not read is cut past its bound, slows nobody, and resumes', async () => {
  const texts = Array.from({ length: 25_000 }, (_, n) => `${n % 10}`)
  const agent = await startTestAgent({ script: [{ text: texts }] })
  const slow = await agent.send('count')
  await expect.poll(() => agent.kinds(slow.session)).toContain('run_ended')
  expect(await allFrames(slow.frames)).toEqual([])
  const again = await resume(agent, slow.session, { seq: 0, fencingToken: 1, attempt: 0, n: 0 })
  expect(content(again)).toMatchObject({ text: texts.join(''), facts: [{ type: 'done' }] })
})

describe('a key', () => {
  test('sent again is the same message, with the frames of its turn', async () => {
    const agent = await startTestAgent({ script: ({ n }) => ({ text: `reply ${n}` }) })
    const first = await agent.say('hi', undefined, { key: 'k1' })
    const again = await agent.send('hi', first.session, { key: 'k1' })
    expect(again.repeated).toBe(true)
    expect(content(await allFrames(again.frames))).toEqual(content(first.frames))
    expect(agent.model.asked).toHaveLength(1)
    expect(only(await agent.journal(first.session), 'user_message')).toHaveLength(1)
  })

  test('sent again while its turn goes on joins it', async () => {
    const hold = gate()
    const agent = await startTestAgent({ script: [{ text: 'one', until: hold.opened }] })
    const first = await agent.send('hi', undefined, { key: 'k1' })
    const again = await agent.send('hi', first.session, { key: 'k1' })
    await expect.poll(() => agent.model.asked.length).toBe(1)
    hold.open()
    const [a, b] = await Promise.all([allFrames(first.frames), allFrames(again.frames)])
    expect(content(a)).toEqual(content(b))
    expect(agent.model.asked).toHaveLength(1)
  })

  test('sent again long after finds its own turn among others', async () => {
    const agent = await startTestAgent({ script: ({ said }) => ({ text: `re: ${said}` }) })
    const { session } = await agent.say('one')
    await agent.say('two', session, { key: 'k2' })
    await agent.say('three', session)
    const again = await agent.send('two', session, { key: 'k2' })
    expect(content(await allFrames(again.frames)).text).toBe('re: two')
  })

  test('of another message is a conflict', async () => {
    const agent = await startTestAgent()
    const { session } = await agent.say('hi', undefined, { key: 'k1' })
    expect(await agent.face.send({ text: 'something else', session, key: 'k1' })).toMatchObject({
      ok: false,
      error: { code: 'MESSAGE_CONFLICT' },
    })
  })
})

test('frames have ids that only grow, and each id stands for one frame', async () => {
  const agent = await rich()
  const { frames } = await startedAndDone(agent)
  const ids = frames.map(({ id: { seq, attempt, n } }) => [seq, attempt, n] as const)
  expect(new Set(ids.map(String)).size).toBe(ids.length)
  expect([...ids].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])).toEqual(ids)
})

test('facts are told only once they are kept', async () => {
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'look', id: 'l' }] }, { text: 'ok' }],
    tools: [reads('look', () => success(1))],
  })
  const sent = await agent.send('go')
  for await (const { event, id } of sent.frames) {
    if (event.type !== 'tool_call_result' && event.type !== 'done') continue
    expect((await agent.journal(sent.session)).map(({ seq }) => seq)).toContain(id.seq)
  }
})

test('a server that stops ends the streams of those who read', async () => {
  const agent = await startTestAgent({
    script: ({ said }) =>
      said === 'ask'
        ? { calls: [{ name: 'ask', id: 'q' }] }
        : { text: 'hm', until: new Promise(() => undefined) },
    tools: [
      reads('ask', () => ({
        status: 'asks',
        question: { type: 'question', schema: { type: 'object' }, context: {} },
      })),
    ],
  })
  const running = await agent.send('run')
  const parked = await agent.send('ask')
  await expect.poll(() => agent.asks(parked.session)).toHaveLength(1)
  const waiting = await agent.send('behind', running.session)
  const reading = [running, parked, waiting].map(({ frames }) => allFrames(frames))
  await agent.close()
  expect(await Promise.all(reading)).toHaveLength(3)
  expect(await agent.face.send({ text: 'late' })).toMatchObject({
    ok: false,
    error: { code: 'KERNEL_CLOSED' },
  })
})
