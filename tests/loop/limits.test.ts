import { describe, expect, test } from 'vitest'
import { given, startTestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { eventsOf } from './support/frames.ts'
import { reads, success, writes } from './support/tools.ts'

describe('maxTurns', () => {
  test('of one gives an answer in words', async () => {
    const agent = await startTestAgent({
      limits: { maxTurns: 1 },
      script: [{ text: 'here you are' }],
      tools: [reads('look')],
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('here you are')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(agent.model.asked[0]?.toolChoice).toBe('none')
  })

  test('of N gives N useful turns, and the last is for words', async () => {
    const agent = await startTestAgent({
      limits: { maxTurns: 3 },
      script: ({ toolChoice }) =>
        toolChoice === 'none' ? { text: 'that is all' } : { calls: [{ name: 'look' }] },
      tools: [reads('look')],
    })
    const turn = await agent.say('go')
    expect(agent.model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none'])
    expect(turn.text).toBe('that is all')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'max_turns' })
  })

  test('holds against a model that will not stop calling: words for the person, outcomes for the calls', async () => {
    let ran = 0
    const agent = await startTestAgent({
      limits: { maxTurns: 2 },
      script: () => ({ calls: [{ name: 'write' }] }),
      tools: [
        writes('write', () => {
          ran++
          return success(1)
        }),
      ],
    })
    const turn = await agent.say('go')
    expect(ran).toBe(1)
    expect(turn.text).toMatch(/^I have used up the turns/)
    expect(only(await agent.journal(turn.session), 'model_reply').at(-1)?.text).toBe(turn.text)
    expect(Object.values(outcomes(await agent.journal(turn.session)))).toEqual(['success', 'error'])
    agent.model.play([{ text: 'ok' }])
    expect((await agent.say('next', turn.session)).text).toBe('ok')
  })

  test('may be lowered by a request, never raised', async () => {
    const agent = await startTestAgent({
      limits: { maxTurns: 2 },
      script: ({ toolChoice }) =>
        toolChoice === 'none' ? { text: 'end' } : { calls: [{ name: 'look' }] },
      tools: [reads('look')],
    })
    const { session } = await agent.say('go', undefined, { limits: { maxTurns: 1 } })
    expect(agent.model.asked).toHaveLength(1)
    await agent.say('go', session, { limits: { maxTurns: 50 } })
    expect(agent.model.asked).toHaveLength(3)
  })
})

describe('onMaxTurns: ask', () => {
  const asking = () =>
    startTestAgent({
      limits: { maxTurns: 2, onMaxTurns: 'ask' },
      tools: [reads('look')],
      script: ({ n, toolChoice }) =>
        toolChoice === 'none' || n >= 5
          ? { text: `after ${n} replies` }
          : { calls: [{ name: 'look' }] },
    })

  test('asks whether to go on', async () => {
    const agent = await asking()
    const turn = await agent.say('go')
    expect(agent.model.asked).toHaveLength(2)
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      {
        pending_input_type: 'continue_or_finish',
        pending_input_context: { reason: 'max_turns', turns: 2 },
      },
    ])
  })

  test('continue: as many more as are granted, then it asks again', async () => {
    const agent = await asking()
    const { session } = await agent.say('go')
    given(
      await agent.answer(session, [
        (await agent.asks(session))[0],
        { action: 'continue', additional_turns: 1 },
      ]),
    )
    await expect.poll(() => agent.model.asked.length).toBe(3)
    await expect.poll(() => agent.asks(session)).toHaveLength(1)
    given(await agent.answer(session, [(await agent.asks(session))[0], { action: 'continue' }]))
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(only(await agent.journal(session), 'run_ended')).toMatchObject([
      { reason: 'model_stop', steps: 6 },
    ])
  })

  test('finish: one last reply, in words', async () => {
    const agent = await asking()
    const { session } = await agent.say('go')
    await agent.answer(session, [(await agent.asks(session))[0], { action: 'finish' }])
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(agent.model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none'])
    expect(only(await agent.journal(session), 'run_ended')).toMatchObject([{ reason: 'max_turns' }])
    expect(only(await agent.journal(session), 'model_reply').at(-1)?.text).toBe('after 2 replies')
  })

  test('a model that stops by itself at the last turn is not cut short', async () => {
    const agent = await startTestAgent({
      limits: { maxTurns: 2, onMaxTurns: 'ask' },
      script: [{ calls: [{ name: 'look' }] }, { text: 'all done' }],
      tools: [reads('look')],
    })
    expect((await agent.say('go')).events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'model_stop',
    })
  })
})

describe('timeoutSeconds', () => {
  test('ends a turn wherever it is, with every call settled', async () => {
    const agent = await startTestAgent({
      limits: { timeoutSeconds: 0.05 },
      script: [
        {
          calls: [
            { name: 'look', id: 'a' },
            { name: 'hangs', id: 'b' },
          ],
        },
      ],
      tools: [reads('look'), writes('hangs', () => new Promise(() => undefined))],
    })
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error', code: 'TIMEOUT' },
      { type: 'done', reason: 'budget_exceeded' },
    ])
    expect(outcomes(await agent.journal(turn.session))).toEqual({ a: 'success', b: 'unknown' })
    agent.model.play([{ text: 'ok' }])
    expect((await agent.say('next', turn.session)).text).toBe('ok')
  })

  test('keeps what a slow model had said', async () => {
    const agent = await startTestAgent({
      limits: { timeoutSeconds: 0.05 },
      script: [{ text: 'half', until: new Promise(() => undefined) }],
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('half')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'budget_exceeded' })
    expect(only(await agent.journal(turn.session), 'model_reply')).toMatchObject([{ text: 'half' }])
  })

  test('does not count the time that a person takes', async () => {
    const agent = await startTestAgent({
      limits: { timeoutSeconds: 0.15 },
      script: [
        { calls: [{ name: 'ask', id: 'q' }] },
        {
          text: 'thanks',
          until: new Promise((resolve) => {
            setTimeout(resolve, 300)
          }),
        },
      ],
      tools: [
        reads('ask', () => ({
          status: 'asks',
          question: { type: 'question', schema: { type: 'object' }, context: {} },
        })),
      ],
    })
    const { session } = await agent.say('go')
    await new Promise((resolve) => {
      setTimeout(resolve, 250)
    })
    await agent.answer(session, [(await agent.asks(session))[0], { response: 'x' }])
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(only(await agent.journal(session), 'run_ended')).toMatchObject([
      { reason: 'model_stop' },
    ])
  })
})

test('timeoutSeconds does not count the time that the machine slept', async () => {
  let slept = 0
  const agent = await startTestAgent({
    clock: { now: () => Date.now() + slept, monotonic: () => performance.now() + slept },
    limits: { timeoutSeconds: 600 },
    script: [
      { calls: [{ name: 'sleeps', id: 's' }] },
      { calls: [{ name: 'ask', id: 'q' }] },
      {
        text: 'thanks',
        until: new Promise((resolve) => {
          setTimeout(resolve, 300)
        }),
      },
    ],
    tools: [
      reads('sleeps', () => {
        slept = 2 * 3_600_000
        return success('awake')
      }),
      reads('ask', () => ({
        status: 'asks',
        question: { type: 'question', schema: { type: 'object' }, context: {} },
      })),
    ],
  })
  const { session } = await agent.say('go')
  await agent.answer(session, [(await agent.asks(session))[0], { response: 'x' }])
  await expect.poll(() => agent.kinds(session)).toContain('run_ended')
  expect(only(await agent.journal(session), 'run_ended')).toMatchObject([{ reason: 'model_stop' }])
})

describe('maxSessionTokens', () => {
  test('refuses the next model call once they are used up', async () => {
    const agent = await startTestAgent({
      limits: { maxSessionTokens: 1_000 },
      script: ({ n }) => (n < 20 ? { calls: [{ name: 'look' }], tokens: 200 } : { text: 'x' }),
      tools: [reads('look')],
    })
    const turn = await agent.say('go')
    // 400 tokens each, and the next call sends at least those again.
    expect(agent.model.asked).toHaveLength(2)
    expect(turn.events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'budget_exceeded',
      usage: { total_tokens: 800 },
    })
    expect((await agent.say('next', turn.session)).events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'budget_exceeded',
    })
    expect(agent.model.asked).toHaveLength(2)
  })

  test('lowered by a request, it holds on after the run was parked', async () => {
    const agent = await startTestAgent({
      script: [{ calls: [{ name: 'ask', id: 'q' }], tokens: 50 }, { text: 'too dear' }],
      tools: [
        reads('ask', () => ({
          status: 'asks',
          question: { type: 'question', schema: { type: 'object' }, context: {} },
        })),
      ],
    })
    const { session } = await agent.say('go', undefined, { limits: { maxSessionTokens: 80 } })
    given(await agent.answer(session, [(await agent.asks(session))[0], { response: 'x' }]))
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(only(await agent.journal(session), 'run_ended')).toMatchObject([
      { reason: 'budget_exceeded' },
    ])
    expect(agent.model.asked).toHaveLength(1)
  })
})
