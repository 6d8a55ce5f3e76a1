import limits from '@amodal/plugin-limits'
import modelCost from '@amodal/plugin-model-cost'
import subagents from '@amodal/plugin-subagents'
import { use, type Entry, type SessionId } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent, type TestAgentOptions } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { eventsOf } from './support/frames.ts'
import type { Asked, Reply, Script } from './support/scripted-model.ts'
import { sharedStore } from './support/store.ts'
import { reads } from './support/tools.ts'

/** A dollar for a million tokens, so that a reply of 20 tokens each way costs 0.00004. */
const prices = use(modelCost, { prices: { 'scripted/scripted-1': { input: 1, output: 1 } } })
const REPLY = 0.00004
/** Looks and looks, until it is told to stop. */
const looking: Script = ({ toolChoice }) =>
  toolChoice === 'none'
    ? { text: 'that is all', tokens: 20 }
    : { calls: [{ name: 'look' }], tokens: 20 }
const start = (options: TestAgentOptions): Promise<TestAgent> =>
  startTestAgent({
    script: looking,
    tools: [reads('look')],
    ...options,
    limits: { maxTurns: 12, ...options.limits },
  })
const ended = async (agent: TestAgent, session: Parameters<TestAgent['journal']>[0]) =>
  only(await agent.journal(session), 'run_ended')

describe('a budget that is used up ends the run', () => {
  test('tokens of one run: the next message has as many again', async () => {
    const agent = await start({ limits: { maxRunTokens: 120 } })
    const turn = await agent.say('go')
    const asked = agent.model.asked.length
    expect(turn.events.slice(-2)).toMatchObject([
      {
        type: 'error',
        code: 'BUDGET_EXCEEDED',
        message: expect.stringContaining('limits.maxRunTokens') as string,
      },
      { type: 'done', reason: 'budget_exceeded' },
    ])
    expect(asked).toBe(2)
    await agent.say('next', turn.session)
    expect(agent.model.asked.length).toBeGreaterThan(asked)
  })

  test('dollars of a session: none of its runs goes past them', async () => {
    const agent = await start({ limits: { maxSessionCost: REPLY * 3 }, plugins: [prices] })
    const turn = await agent.say('go')
    await agent.say('next', turn.session)
    expect((await ended(agent, turn.session)).map(({ reason }) => reason)).toEqual([
      'budget_exceeded',
      'budget_exceeded',
    ])
    const { cost = 0 } = given(await agent.face.session(turn.session)).row
    expect(cost / 1e9).toBeGreaterThan(0)
    expect(cost / 1e9).toBeLessThanOrEqual(REPLY * 3)
  })

  test('a reply is given no more than is left', async () => {
    const agent = await start({
      limits: { maxSessionTokens: 1_000, maxTokens: 5_000, temperature: 0.3 },
      script: [{ text: 'fine' }],
      tools: [],
    })
    await agent.say('go')
    expect(agent.model.asked).toMatchObject([{ temperature: 0.3 }])
    expect(agent.model.asked[0]?.maxOutputTokens).toBeLessThan(1_000)
    expect(agent.model.asked[0]?.maxOutputTokens).toBeGreaterThan(900)
  })

  test('a model whose price nobody knows is not used under a budget of dollars', async () => {
    const agent = await start({ limits: { maxRunCost: 1 } })
    const turn = await agent.say('go')
    expect(eventsOf(turn, 'error')).toMatchObject([
      {
        code: 'BUDGET_EXCEEDED',
        message: expect.stringMatching(/price of "scripted\/scripted-1".*prices\.json/) as string,
      },
    ])
    expect(agent.model.asked).toHaveLength(0)
  })
})

describe('onLimit: ask', () => {
  test('more tokens are granted by the person, after a restart, and for as long as the session lives', async () => {
    const store = await sharedStore()
    const first = await start({ store, limits: { maxSessionTokens: 120, onLimit: 'ask' } })
    const turn = await first.say('go')
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      {
        pending_input_type: 'continue_or_finish',
        pending_input_context: { reason: 'max_session_tokens', limit: 120, used: 80 },
      },
    ])
    await first.close()

    const second = await start({ store, limits: { maxSessionTokens: 120, onLimit: 'ask' } })
    given(
      await second.answer(turn.session, [
        (await second.asks(turn.session))[0],
        { action: 'continue', additional_tokens: 100 },
      ]),
    )
    await expect
      .poll(async () => only(await second.journal(turn.session), 'input_asked').length)
      .toBe(2)
    expect(second.model.asked.length).toBeGreaterThan(0)
    given(
      await second.answer(turn.session, [
        (await second.asks(turn.session))[0],
        { action: 'finish' },
      ]),
    )
    await expect
      .poll(async () =>
        (await ended(second, turn.session)).map(({ reason, error }) => [reason, error?.code]),
      )
      .toEqual([['budget_exceeded', 'BUDGET_EXCEEDED']])
  })

  test('tool calls: what is refused is said, more are granted, and who is told to finish still answers in words', async () => {
    const agent = await start({ limits: { maxToolCalls: 2, onLimit: 'ask' } })
    const { session } = await agent.say('go')
    expect(Object.values(outcomes(await agent.journal(session)))).toEqual([
      'success',
      'success',
      'error',
    ])
    given(
      await agent.answer(session, [
        (await agent.asks(session))[0],
        { action: 'continue', additional_tool_calls: 2 },
      ]),
    )
    await expect.poll(async () => only(await agent.journal(session), 'input_asked').length).toBe(2)
    expect(Object.values(outcomes(await agent.journal(session)))).toEqual([
      'success',
      'success',
      'error',
      'success',
      'success',
      'error',
    ])
    given(await agent.answer(session, [(await agent.asks(session))[0], { action: 'finish' }]))
    await expect
      .poll(async () => (await ended(agent, session)).map(({ reason }) => reason))
      .toEqual(['budget_exceeded'])
    expect(only(await agent.journal(session), 'model_reply').at(-1)?.text).toBe('that is all')
  })
})

describe('tool calls of a session', () => {
  const limits = { maxSessionToolCalls: 3 }
  const script = ({ results, toolChoice }: Asked): Reply =>
    toolChoice === 'none' || Object.keys(results).length > 0
      ? { text: toolChoice === 'none' ? 'no more tools' : 'looked' }
      : { calls: [{ name: 'look' }, { name: 'look' }] }
  const reasons = async (agent: TestAgent, session: SessionId): Promise<readonly string[]> =>
    (await ended(agent, session)).map(({ reason }) => reason)

  test('are counted over its messages, also by another process; where none are left it answers in words', async () => {
    const store = await sharedStore()
    const first = await start({ store, limits, script })
    const { session } = await first.say('go')
    await first.close()
    const second = await start({ store, limits, script })
    await second.say('again', session)
    expect(Object.values(outcomes(await second.journal(session))).sort()).toEqual([
      'error',
      'success',
      'success',
      'success',
    ])
    expect(await reasons(second, session)).toEqual(['model_stop', 'budget_exceeded'])
    expect((await second.say('and now?', session)).text).toBe('no more tools')
    expect(await reasons(second, session)).toEqual([
      'model_stop',
      'budget_exceeded',
      'budget_exceeded',
    ])
  })

  test('may be extended by the person, who is asked before a message that has none left', async () => {
    const agent = await start({
      limits: { ...limits, maxSessionToolCalls: 2, onLimit: 'ask' },
      script,
    })
    const { session } = await agent.say('go')
    const turn = await agent.say('again', session)
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      { pending_input_context: { reason: 'max_session_tool_calls', limit: 2, used: 2 } },
    ])
    given(
      await agent.answer(session, [
        (await agent.asks(session))[0],
        { action: 'continue', additional_tool_calls: 2 },
      ]),
    )
    await expect.poll(() => reasons(agent, session)).toEqual(['model_stop', 'model_stop'])
    expect(Object.values(outcomes(await agent.journal(session)))).toEqual([
      'success',
      'success',
      'success',
      'success',
    ])
  })
})

describe('runs that share a budget', () => {
  test('sub-agents side by side stay inside of what their parent has left', async () => {
    const agent = await start({
      limits: { maxSessionTokens: 1_000, maxSessionCost: 0.001 },
      plugins: [prices, use(subagents)],
      script: ({ said, results, toolChoice }) => {
        if (said !== 'go')
          return toolChoice === 'none'
            ? { text: 'seen', tokens: 20 }
            : { calls: [{ name: 'look' }], tokens: 20 }
        return Object.keys(results).length > 0
          ? { text: 'done', tokens: 20 }
          : {
              calls: [1, 2, 3, 4].map((n) => ({
                name: 'dispatch_task',
                args: { prompt: `look ${n}` },
              })),
              tokens: 20,
            }
      },
    })
    const turn = await agent.say('go')
    const journal = await agent.journal(turn.session)
    const opened = only(journal, 'child_opened')
    expect(opened).toHaveLength(4)
    const shares = opened.map(({ options }) => Number(options?.['max_tokens']))
    expect(shares.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_000 - 40)
    const closed = only(journal, 'child_closed')
    for (const [n, { usage, cost = 0 }] of closed.entries()) {
      expect(usage.input + usage.output).toBeLessThanOrEqual(shares[n] ?? 0)
      expect(cost).toBe((usage.input + usage.output) * 1_000)
    }
    const [end] = only(journal, 'run_ended')
    expect((end?.usage.input ?? 0) + (end?.usage.output ?? 0)).toBeLessThanOrEqual(1_000)
    expect(end?.cost).toBeLessThanOrEqual(0.001 * 1e9)
  })

  test('fifty sessions of one principal at once take no more than its budget, and use most of it', async () => {
    const shared: Entry = use(limits, { budgets: { principal: { tokens: 3_000 } } })
    let now = 0
    let most = 0
    const agent = await start({
      plugins: [shared],
      limits: { maxTokens: 100 },
      tools: [],
      script: async ({ maxOutputTokens = Infinity }) => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => {
          setTimeout(resolve, 2)
        })
        now--
        return { text: 'x', tokens: Math.min(50, maxOutputTokens) }
      },
    })
    const turns = await Promise.all(
      Array.from({ length: 50 }, (_one, n) => agent.say(`message ${n}`.padEnd(200, '.'))),
    )
    const used = turns
      .flatMap(({ events }) =>
        events.flatMap((event) => (event.type === 'done' ? (event.usage?.total_tokens ?? 0) : [])),
      )
      .reduce((sum, one) => sum + one, 0)
    expect(used).toBeLessThanOrEqual(3_000)
    expect(used).toBeGreaterThan(2_500)
    expect(most).toBeGreaterThan(1)
    expect(
      new Set(
        turns
          .map(({ events }) => events.at(-1))
          .map((event) => (event?.type === 'done' ? event.reason : '')),
      ),
    ).toEqual(new Set(['model_stop', 'budget_exceeded']))
  })
})
