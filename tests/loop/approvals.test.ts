import { definePlugin, use, type HookTaps } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, told } from './support/frames.ts'
import { sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

/** A guard that wants a person for every call of these tools. */
const confirms =
  (...names: readonly string[]) =>
  ({ tool }: HookTaps): void => {
    tool.guard.tap(
      (verdict, call) =>
        names.includes(call.tool.name)
          ? verdict.raise('confirm', `${call.tool.name} needs a person`, { endpoint: '/deals/5' })
          : undefined,
      { stage: 'guard' },
    )
  }

async function ended(agent: TestAgent, session: Parameters<TestAgent['kinds']>[0]): Promise<void> {
  await expect.poll(() => agent.kinds(session)).toContain('run_ended')
}

test('a call that needs a person is asked for with all that is to be known, and runs once approved', async () => {
  let ran = 0
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'write', id: 'w', args: { v: 7 } }] }, { text: 'written' }],
    tools: [
      writes('write', ({ v = 0 }) => {
        ran++
        return success(v)
      }),
    ],
    taps: confirms('write'),
  })
  const sent = await agent.send('go')
  const reading = allFrames(sent.frames)
  await expect.poll(() => agent.asks(sent.session)).toHaveLength(1)
  expect(ran).toBe(0)
  const [ask] = await agent.asks(sent.session)
  given(await agent.answer(sent.session, [ask, { approved: true }]))
  const turn = told(sent.session, await reading)
  expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
    {
      id: ask,
      tool_id: 'w',
      tool_name: 'write',
      endpoint: '/deals/5',
      reason: 'write needs a person',
      tier: 'confirm',
      params: { v: 7 },
      pending_input_type: 'approval',
    },
  ])
  expect(turn.events.map(({ type }) => type)).toEqual([
    'init',
    'tool_call_start',
    'confirmation_required',
    'approved',
    'tool_call_result',
    'text_delta',
    'done',
  ])
  expect(ran).toBe(1)
})

test('several in one step are asked together, each under its own id; one denied, one approved; siblings neither lost nor run again', async () => {
  const ran: string[] = []
  const track =
    (name: string) =>
    ({ v = '' }: { readonly v?: unknown }) => {
      ran.push(`${name} ${String(v)}`)
      return success(String(v))
    }
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'look', id: 'a', args: { v: 1 } },
          { name: 'write', id: 'b', args: { v: 2 } },
          { name: 'look', id: 'c', args: { v: 3 } },
          { name: 'write', id: 'd', args: { v: 4 } },
          { name: 'log', id: 'e', args: { v: 5 } },
        ],
      },
      { text: 'so' },
    ],
    tools: [
      reads('look', track('look')),
      writes('write', track('write')),
      writes('log', track('log')),
    ],
    taps: confirms('write'),
  })
  const turn = await agent.say('go')
  expect(ran).toEqual(['look 1'])
  const asked = only(await agent.journal(turn.session), 'input_asked')
  expect(asked.map(({ call }) => call)).toEqual(['b', 'd'])
  expect(new Set(asked.map(({ ask }) => ask)).size).toBe(2)

  given(
    await agent.answer(turn.session, [
      asked[0]?.ask,
      { approved: false, feedback: 'not this one' },
    ]),
  )
  await expect.poll(() => agent.asks(turn.session)).toEqual([asked[1]?.ask])
  expect(ran).toEqual(['look 1'])

  given(await agent.answer(turn.session, [asked[1]?.ask, { approved: true }]))
  await ended(agent, turn.session)
  expect(ran).toEqual(['look 1', 'look 3', 'write 4', 'log 5'])
  expect(outcomes(await agent.journal(turn.session))).toEqual({
    a: 'success',
    b: 'error',
    c: 'success',
    d: 'success',
    e: 'success',
  })
  expect(agent.model.asked[1]?.results['b']).toBe(
    'The person declined this call and said: not this one',
  )
})

test('several answers may come at once', async () => {
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'write', id: 'a' },
          { name: 'write', id: 'b' },
          { name: 'write', id: 'c' },
        ],
      },
      { text: 'so' },
    ],
    tools: [writes('write')],
    taps: confirms('write'),
  })
  const { session } = await agent.say('go')
  const [a, b, c] = await agent.asks(session)
  await Promise.all([
    agent.answer(session, [a, { approved: true }], [b, { approved: false }]),
    agent.answer(session, [c, { approved: true }]),
  ])
  await ended(agent, session)
  expect(outcomes(await agent.journal(session))).toEqual({ a: 'success', b: 'error', c: 'success' })
})

test('one bad answer among several settles none of them', async () => {
  const agent = await startTestAgent({
    script: [
      {
        calls: [
          { name: 'write', id: 'a' },
          { name: 'write', id: 'b' },
        ],
      },
      { text: 'so' },
    ],
    tools: [writes('write')],
    taps: confirms('write'),
  })
  const { session } = await agent.say('go')
  const [a, b] = await agent.asks(session)
  expect(
    await agent.answer(session, [a, { approved: true }], [b, { approved: 'yes' }]),
  ).toMatchObject({ ok: false, error: { code: 'ANSWER_INVALID' } })
  expect(await agent.asks(session)).toEqual([a, b])
})

test('read-only calls can need a person too', async () => {
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'look', id: 'a' }] }, { text: 'so' }],
    tools: [reads('look')],
    taps: confirms('look'),
  })
  const { session } = await agent.say('go')
  given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
  await ended(agent, session)
  expect(outcomes(await agent.journal(session))).toEqual({ a: 'success' })
})

test('what was asked is asked again of the guards when it runs: the verdict may have risen', async () => {
  let level: 'confirm' | 'deny' = 'confirm'
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'write', id: 'w' }] }, { text: 'so' }],
    tools: [writes('write')],
    taps: ({ tool }) => tool.guard.tap((verdict) => verdict.raise(level, 'now')),
  })
  const { session } = await agent.say('go')
  level = 'deny'
  given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
  await ended(agent, session)
  expect(only(await agent.journal(session), 'tool_outcome')).toMatchObject([
    { status: 'error', code: 'TOOL_DENIED' },
  ])
})

test('an approval is void where the tool is not the one that was approved', async () => {
  let ran = 0
  let description = 'writes a little'
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'write', id: 'w' }] }, { text: 'so' }],
    taps: confirms('write'),
    plugins: [],
    tools: [
      {
        ...writes('write', () => {
          ran++
          return success(1)
        }),
        get description() {
          return description
        },
      },
    ],
  })
  const { session } = await agent.say('go')
  description = 'writes everything'
  const [ask] = await agent.asks(session)
  // A reload makes the tools anew, as a new release would.
  const reloaded = await agent.kernel.reload([
    ...agent.entries,
    use(definePlugin({ name: 'more', version: '1.0.0', setup: () => undefined })),
  ])
  expect(reloaded.ok).toBe(true)
  given(await agent.answer(session, [ask, { approved: true }]))
  await ended(agent, session)
  expect(ran).toBe(0)
  expect(only(await agent.journal(session), 'tool_outcome')).toMatchObject([
    { call: 'w', status: 'error', code: 'TOOL_CHANGED' },
  ])
})

describe('a tool that tool.call put in place of another', () => {
  test('is the one that runs after the approval', async () => {
    const ran: string[] = []
    const safe = writes('safe_write', ({ v = 0 }) => {
      ran.push(`safe ${JSON.stringify(v)}`)
      return success(v)
    })
    const agent = await startTestAgent({
      script: [{ calls: [{ name: 'write', id: 'w', args: { v: 1 } }] }, { text: 'so' }],
      tools: [
        writes('write', () => {
          ran.push('unsafe')
          return success(0)
        }),
        safe,
      ],
      taps: (hooks) => {
        hooks.tool.call.tap((call) =>
          call.tool.name === 'write' ? { ...call, tool: safe, args: { v: 2 } } : undefined,
        )
        confirms('safe_write')(hooks)
      },
    })
    const { session } = await agent.say('go')
    given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
    await ended(agent, session)
    expect(ran).toEqual(['safe 2'])
  })
})

describe('a guard that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no rules')
      },
      /because a guard failed: \[probe\] failed in hook tool.guard: no rules/,
    ],
    [
      'lowers what another one said',
      () => ({ level: 'allow', reasons: [], context: {} }) as never,
      /lowered a verdict from confirm to allow/,
    ],
    [
      'says nothing that is a verdict',
      () => ({ level: 'perhaps' }) as never,
      /without a known level/,
    ],
  ] as const)('%s: the call does not run, its siblings do', async (_, wrong, reason) => {
    const ran: string[] = []
    const run = (name: string) => () => {
      ran.push(name)
      return success(1)
    }
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'write', id: 'w' },
            { name: 'look', id: 'l' },
          ],
        },
        { text: 'so' },
      ],
      tools: [writes('write', run('write')), reads('look', run('look'))],
      taps: ({ tool }) => {
        tool.guard.tap(
          (verdict, call) =>
            call.tool.name === 'write' ? verdict.raise('confirm', 'sure?') : undefined,
          { stage: 'early' },
        )
        tool.guard.tap((_verdict, call) => (call.tool.name === 'write' ? wrong() : undefined), {
          stage: 'late',
        })
      },
    })
    const turn = await agent.say('go')
    expect(ran).toEqual(['look'])
    expect(outcomes(await agent.journal(turn.session))).toEqual({ w: 'error', l: 'success' })
    expect(agent.model.asked[1]?.results['w']).toMatch(reason)
  })
})

describe('confirm.ask', () => {
  const auto = (fn: Parameters<HookTaps['confirm']['ask']['tap']>[0]) =>
    startTestAgent({
      script: [
        {
          calls: [
            { name: 'write', id: 'a' },
            { name: 'write', id: 'b' },
          ],
        },
        { text: 'so' },
      ],
      tools: [writes('write')],
      taps: (hooks) => {
        confirms('write')(hooks)
        hooks.confirm.ask.tap(fn)
      },
    })

  test('answers in place of a person, without parking', async () => {
    const agent = await auto(({ call }) => ({ answer: { approved: call === 'a' } }))
    const turn = await agent.say('go')
    await ended(agent, turn.session)
    expect(outcomes(await agent.journal(turn.session))).toEqual({ a: 'success', b: 'error' })
  })

  test('may leave some to the person', async () => {
    const agent = await auto(({ call }) =>
      call === 'a' ? { answer: { approved: true } } : undefined,
    )
    const { session } = await agent.say('go')
    await expect.poll(() => agent.asks(session)).toHaveLength(1)
    given(await agent.answer(session, [(await agent.asks(session))[0], { approved: true }]))
    await ended(agent, session)
    expect(outcomes(await agent.journal(session))).toEqual({ a: 'success', b: 'success' })
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no judge')
      },
      /\[probe\] failed in hook confirm.ask: no judge/,
    ],
    [
      'answers something else',
      () => ({ answer: { approved: 'of course' } }),
      /gave no answer that fits/,
    ],
    [
      'answers nothing',
      () => ({}) as never,
      /\[probe\] failed in hook confirm.ask: returned an object without answer/,
    ],
  ] as const)('that %s means no', async (_, fn, reason) => {
    const agent = await auto(fn)
    const { session } = await agent.say('go')
    await ended(agent, session)
    expect(outcomes(await agent.journal(session))).toEqual({ a: 'error', b: 'error' })
    expect(agent.model.asked[1]?.results['a']).toMatch(reason)
  })
})

describe('a question whose time is over', () => {
  const expiring = (ms: number, more: TestAgentOptions = {}) =>
    startTestAgent({
      ...more,
      script: ({ said, results }) =>
        said === 'ask' && results['q'] === undefined
          ? { calls: [{ name: 'ask', id: 'q' }] }
          : { text: `re: ${said}` },
      tools: [
        reads('ask', () => ({
          status: 'asks',
          question: { type: 'question', schema: { type: 'object' }, context: {}, expiresInMs: ms },
        })),
      ],
    })

  test('is settled after a restart, though nobody comes by', async () => {
    const store = await sharedStore()
    const first = await expiring(300, { store })
    const { session } = await first.say('ask')
    await first.close()
    await new Promise((resolve) => setTimeout(resolve, 350))
    const second = await expiring(300, { store })
    await ended(second, session)
    expect(only(await second.journal(session), 'input_answered')).toMatchObject([
      { void: 'expired' },
    ])
  })

  test('is settled by another instance, which looks now and then', async () => {
    const store = await sharedStore()
    const second = await expiring(100, { store, settings: { sweepMs: 50 } })
    const first = await expiring(100, { store })
    const { session } = await first.say('ask')
    await first.close()
    await ended(second, session)
  })

  test.each([
    ['ahead', 2],
    ['behind', -2],
  ])('stays open for an instance whose clock is two hours %s', async (_, hours) => {
    const store = await sharedStore()
    const clock = { now: () => Date.now() + hours * 3_600_000, monotonic: () => performance.now() }
    const [right, wrong] = [
      await expiring(60_000, { store, settings: { sweepMs: 50 } }),
      await expiring(60_000, { store, clock, settings: { sweepMs: 50 } }),
    ]
    for (const [asking, other] of [
      [right, wrong],
      [wrong, right],
    ] as const) {
      const { session } = await asking.say('ask')
      await other.send('next', session)
      await new Promise((resolve) => setTimeout(resolve, 200))
      const [ask] = await other.asks(session)
      expect(await other.answer(session, [ask, {}])).toMatchObject({ ok: true })
      await ended(other, session)
    }
  })

  test('is settled by itself, and the turn goes on', async () => {
    const agent = await expiring(40)
    const sent = await agent.send('ask')
    const turn = told(sent.session, await allFrames(sent.frames))
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(only(await agent.journal(sent.session), 'tool_outcome')).toMatchObject([
      { status: 'error', output: 'Nobody answered in time.' },
    ])
    expect(only(await agent.journal(sent.session), 'input_answered')).toMatchObject([
      { void: 'expired' },
    ])
  })

  test('takes no answer any more', async () => {
    const store = await sharedStore()
    const asking = await expiring(500, { store })
    const agent = await expiring(500, { store })
    const { session } = await asking.say('ask')
    const [ask] = await agent.asks(session)
    await asking.close() // and with it the alarm
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await agent.answer(session, [ask, {}])).toMatchObject({
      ok: false,
      error: { code: 'ASK_EXPIRED' },
    })
    await ended(agent, session)
    expect(only(await agent.journal(session), 'tool_outcome')).toMatchObject([
      { status: 'error', output: 'Nobody answered in time.' },
    ])
  })

  test('does not keep the next message waiting', async () => {
    const agent = await expiring(60, { settings: { sweepMs: 3_600_000 } })
    const { session } = await agent.say('ask')
    expect((await agent.say('next', session)).text).toBe('re: next')
  })
})
