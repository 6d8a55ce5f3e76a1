import subagents from '@amodal/plugin-subagents'
import { failure, use, type Accept, type JsonObject, type SessionId } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import {
  gate,
  given,
  startTestAgent,
  type TestAgent,
  type TestAgentOptions,
} from './support/agent.ts'
import { only } from './support/entries.ts'
import { eventsOf } from './support/frames.ts'
import type { Asked, Reply, ScriptedCall } from './support/scripted-model.ts'
import { connectionBroke, decorateStore, sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

interface Options extends TestAgentOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly parallel?: number
}

/** An agent with sub-agents, and with files of its folder. */
const start = ({ files = {}, parallel = 8, taps, ...more }: Options): Promise<TestAgent> =>
  startTestAgent({
    ...more,
    plugins: [use(subagents, { parallel })],
    taps: (hooks) => {
      hooks.bundle.load.tap(
        (bundle) => ({
          ...bundle,
          files: Object.entries(files).map(([path, text]) => ({ path, text })),
        }),
        { stage: 'first' },
      )
      taps?.(hooks)
    },
  })

const dispatch = (id: string, prompt: string, more: JsonObject = {}): ScriptedCall => ({
  name: 'dispatch_task',
  id,
  args: { prompt, ...more },
})
const isParent = ({ said }: Asked): boolean => said === 'go'
const wasAsked = ({ results }: Asked): boolean => Object.keys(results).length === 0

/** The parent dispatches once and ends; children do as they are told. */
const script =
  (calls: readonly ScriptedCall[], child: (asked: Asked) => Reply | Promise<Reply>) =>
  (asked: Asked): Reply | Promise<Reply> =>
    isParent(asked) ? (wasAsked(asked) ? { calls } : { text: 'so it is' }) : child(asked)

const childOf = async (agent: TestAgent, session: SessionId, n = 0): Promise<SessionId> => {
  const child = only(await agent.journal(session), 'child_opened')[n]?.child
  if (!child) throw new Error('there is no child')
  return child
}

const AGENT = (fields: string, prompt = 'You check compliance.'): string =>
  `---\n${fields}\n---\n${prompt}`

describe('a sub-agent', () => {
  test('works in a session of its own, and its parent gets a summary', async () => {
    const agent = await start({
      tools: [reads('look', () => success('raw data'))],
      script: script([dispatch('a', 'count the orders')], (asked) =>
        wasAsked(asked)
          ? { text: 'Looking', calls: [{ name: 'look', id: 'l' }] }
          : { text: '42 orders' },
      ),
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('so it is')
    expect(await agent.kinds(turn.session)).toEqual([
      'user_message',
      'model_reply',
      'child_opened',
      'child_closed',
      'model_reply',
      'run_ended',
    ])
    const [closed] = only(await agent.journal(turn.session), 'child_closed')
    expect(closed).toMatchObject({ call: 'a', status: 'success', summary: '42 orders' })
    expect(agent.model.asked.findLast(isParent)?.results).toEqual({ a: '42 orders' })
    expect(eventsOf(turn, 'tool_call_result')).toMatchObject([
      { tool_id: 'a', status: 'success', result: '42 orders' },
    ])

    const child = given(await agent.face.session(await childOf(agent, turn.session)))
    expect(child.row).toMatchObject({ parent: turn.session, principal: 'me' })
    expect(only(child.entries, 'user_message')).toMatchObject([{ text: 'count the orders' }])
    expect(
      given(await agent.face.sessions({ limit: 10 })).rows.map(({ session }) => session),
    ).toEqual([turn.session])
  })

  test.each(['STORE_FAILED', 'DATABASE_UNAVAILABLE'] as const)(
    'begins once the database is back (%s)',
    async (code) => {
      let away = 0
      const agent = await start({
        store: decorateStore(await sharedStore(), ({ method, args }, proceed) => {
          if (
            method !== 'accept' ||
            !JSON.stringify(args[0]).includes('count the orders') ||
            away++ > 4
          )
            return proceed()
          return Promise.resolve({
            ok: false,
            error: failure(code, 'the database system is shutting down', {
              details: { connection: true },
            }),
          })
        }),
        script: script([dispatch('a', 'count the orders')], () => ({ text: '42 orders' })),
      })
      const turn = await agent.say('go')
      expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
        { call: 'a', status: 'success', summary: '42 orders' },
      ])
      expect(away).toBeGreaterThan(4)
    },
  )

  test('is heard while it works', async () => {
    const looked = gate()
    const agent = await start({
      tools: [
        reads('look', async () => {
          await looked.opened
          return success('data')
        }),
      ],
      script: script([dispatch('a', 'look', { agent: 'explore' })], (asked) =>
        wasAsked(asked)
          ? { text: 'I look', calls: [{ name: 'look', args: { v: 1 } }] }
          : { text: 'seen' },
      ),
    })
    const sent = await agent.send('go')
    const heard: string[] = []
    for await (const { event } of sent.frames) {
      if (event.type === 'subagent_event') {
        heard.push(event.event_type)
        expect(event).toMatchObject({ parent_tool_id: 'a', agent_name: 'explore' })
        // it would never end if it were told only afterwards
        if (event.event_type === 'tool_call_start') looked.open()
      }
    }
    expect(heard).toEqual(['thought', 'tool_call_start', 'tool_call_end', 'complete'])
  })

  test('runs beside its siblings, as many as are let', async () => {
    let now = 0
    let most = 0
    const agent = await start({
      parallel: 4,
      script: script(
        Array.from({ length: 10 }, (_, n) => dispatch(`c${n}`, `task ${n}`)),
        async ({ said }) => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => {
            setTimeout(resolve, 20)
          })
          now--
          return { text: `did ${said}` }
        },
      ),
    })
    const turn = await agent.say('go')
    expect(most).toBe(4)
    expect(
      only(await agent.journal(turn.session), 'child_closed').map(({ summary }) => summary),
    ).toEqual(Array.from({ length: 10 }, (_, n) => `did task ${n}`))
  })

  test('is called by its older names', async () => {
    const agent = await start({
      script: script(
        [
          {
            name: 'dispatch',
            id: 'a',
            args: { query: 'look', agent_name: 'explore', toolSubset: [] },
          },
        ],
        () => ({ text: 'ok' }),
      ),
    })
    const turn = await agent.say('go')
    expect(only(await agent.journal(turn.session), 'child_opened')).toMatchObject([
      { agent: 'explore', prompt: 'look', options: { tools: [] } },
    ])
  })

  test("has no limit it was not given, and its usage is its parent's too", async () => {
    const agent = await start({
      script: script([dispatch('a', 'x')], () => ({ text: 'y', tokens: 50 })),
    })
    const turn = await agent.say('go')
    const [closed] = only(await agent.journal(turn.session), 'child_closed')
    expect(closed?.usage.output).toBeGreaterThan(0)
    const [ended] = only(await agent.journal(turn.session), 'run_ended')
    expect(ended?.usage.output).toBeGreaterThan(closed?.usage.output ?? 0)
  })
})

describe('the fields of its file', () => {
  const files = {
    'agents/checker/AGENT.md':
      '# Agent: Compliance Checker\n\nChecks compliance.\n\n## Config\n\ntools: [look, dispatch_task]\nmaxDepth: 2\nmaxToolCalls: 1\ntargetOutputMax: 50\n\n## Prompt\n\nYou check compliance.',
    'agents/leaf.md': AGENT(
      'displayName: Leaf\ndescription: Reads.\ntools: [look, write]\nmodelTier: simple',
      'You are the leaf.',
    ),
    'agents/explore/AGENT.md': 'Explore my way.\n\n## Prompt\n\nis a heading like any other.',
  }
  const tools = [reads('look'), writes('write')]

  test('choose its prompt and its tools', async () => {
    const agent = await start({
      files,
      tools,
      script: script(
        [
          dispatch('a', 'x', { agent: 'Compliance Checker' }),
          dispatch('b', 'y', { agent: 'leaf', tools: ['look'] }),
          dispatch('c', 'z'),
        ],
        () => ({ text: 'ok' }),
      ),
    })
    await agent.say('go')
    const toolsOf = (said: string) => agent.model.asked.find((one) => one.said === said)?.tools
    expect(toolsOf('go')).toEqual(['look', 'write', 'dispatch_task'])
    expect(toolsOf('x')).toEqual(['look', 'dispatch_task'])
    expect(toolsOf('y')).toEqual(['look'])
    expect(toolsOf('z')).toEqual(['look', 'write'])
  })

  test('end its calls and cut its answer', async () => {
    const agent = await start({
      files,
      tools,
      script: script([dispatch('a', 'x', { agent: 'checker' })], (asked) =>
        wasAsked(asked)
          ? {
              calls: [
                { name: 'look', id: 'l1' },
                { name: 'look', id: 'l2' },
              ],
            }
          : { text: 'z'.repeat(500) },
      ),
    })
    const turn = await agent.say('go')
    expect(agent.model.asked.findLast(({ said }) => said === 'x')?.results).toMatchObject({
      l2: expect.stringContaining('has used its 1 tool calls'),
    })
    expect(only(await agent.journal(turn.session), 'child_closed')[0]?.summary).toBe(
      `${'z'.repeat(200)}… [cut: 500 characters]`,
    )
  })

  test('say how deep it goes; a circle, an unknown agent and a level too deep are observations', async () => {
    const agent = await start({
      files: {
        ...files,
        'agents/lead.md': AGENT('maxDepth: 3'),
        'agents/deep.md': AGENT('maxDepth: 3'),
      },
      tools,
      script: (asked) => {
        if (!wasAsked(asked)) return { text: 'so' }
        switch (asked.said) {
          case 'go':
            return { calls: [dispatch('a', 'first', { agent: 'lead' })] }
          case 'first':
            return {
              calls: [
                dispatch('b', 'second', { agent: 'deep' }),
                dispatch('c', 'x', { agent: 'lead' }),
                dispatch('d', 'x', { agent: 'leav' }),
              ],
            }
          case 'second':
            return {
              calls: [
                dispatch('e', 'third', { agent: 'task' }),
                dispatch('f', 'x', { agent: 'lead' }),
              ],
            }
          default:
            return { text: asked.tools.join() }
        }
      },
    })
    const turn = await agent.say('go')
    const first = await childOf(agent, turn.session)
    const second = await childOf(agent, first)
    expect(agent.model.asked.find(({ said }) => said === 'third')?.tools).toEqual(['look', 'write'])
    expect(only(await agent.journal(first), 'tool_outcome').map(({ output }) => output)).toEqual([
      'The agent "lead" is at work already, and waits for this one (lead → lead): a circle.',
      expect.stringContaining(
        'There is no agent "leav"; did you mean "leaf"? There are: explore, plan, task, checker',
      ),
    ])
    expect(only(await agent.journal(second), 'child_opened')).toMatchObject([{ call: 'e' }])
    expect(only(await agent.journal(second), 'tool_outcome').map(({ output }) => output)).toEqual([
      expect.stringContaining('(lead → deep → lead): a circle'),
    ])
  })

  test.each([
    [
      'all four',
      ['main', 'explore', 'simple', 'advanced'],
      ['explore', 'explore', 'simple', 'main', 'advanced'],
    ],
    ['no explore', ['main', 'simple'], ['simple', 'simple', 'simple', 'main', 'main']],
    ['main alone', ['main'], ['main', 'main', 'main', 'main', 'main']],
  ] as const)(
    'choose the model, and a task is explored where none is named: with %s',
    async (_what, tiers, expected) => {
      const models = Object.fromEntries(
        tiers.map((tier) => [tier, { provider: 'scripted', model: tier }]),
      )
      const own = Object.fromEntries(
        ['simple', 'default', 'advanced'].map((tier) => [
          `agents/${tier}.md`,
          AGENT(`modelTier: ${tier}`),
        ]),
      )
      const names = ['explore', undefined, 'simple', 'default', 'advanced']
      const calls = names.map((name, n) =>
        dispatch(`c${n}`, `task ${n}`, name === undefined ? {} : { agent: name }),
      )
      const agent = await start({
        files: own,
        tools,
        models,
        script: script(calls, () => ({ text: 'ok' })),
      })
      const turn = await agent.say('go')
      const modelOf = async (n: number) =>
        only(await agent.journal(await childOf(agent, turn.session, n)), 'model_reply')[0]?.model
          .model
      expect(await Promise.all(names.map((_name, n) => modelOf(n)))).toEqual(expected)
      // Those that explore say so.
      expect(eventsOf(turn, 'explore_start')).toMatchObject([{ query: 'task 0' }])
      expect(eventsOf(turn, 'explore_end')).toMatchObject([
        { summary: 'ok', tokens_used: expect.any(Number) as number },
      ])
    },
  )

  test('and the third level has no sub-agents, whatever the files say', async () => {
    const levels = Object.fromEntries(
      ['one', 'two', 'three'].map((name) => [`agents/${name}.md`, AGENT('maxDepth: 3')]),
    )
    const next: Readonly<Record<string, string>> = {
      go: 'one',
      one: 'two',
      two: 'three',
      three: 'task',
    }
    const agent = await start({
      files: levels,
      tools,
      script: (asked) =>
        wasAsked(asked)
          ? {
              calls: [
                dispatch(`to-${next[asked.said] ?? 'none'}`, next[asked.said] ?? '', {
                  agent: next[asked.said] ?? 'task',
                }),
              ],
            }
          : { text: 'so' },
    })
    await agent.say('go')
    expect(agent.model.asked.map(({ said }) => said)).toEqual([
      'go',
      'one',
      'two',
      'three',
      'three',
      'two',
      'one',
      'go',
    ])
    expect(agent.model.asked.findLast(({ said }) => said === 'three')?.results).toEqual({
      'to-task': expect.stringContaining('There is no tool "dispatch_task"'),
    })
  })
})

describe('a sub-agent that does not end well', () => {
  test('is an observation: it fails', async () => {
    const agent = await start({
      script: script([dispatch('a', 'x'), dispatch('b', 'y')], ({ said }) =>
        said === 'x' ? { text: 'half', breaks: 'connection reset' } : { text: 'fine' },
      ),
    })
    const turn = await agent.say('go')
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { call: 'a', status: 'error' },
      { call: 'b', status: 'success' },
    ])
    expect(turn.text).toBe('so it is')
  })

  test('is an observation: it takes too long', async () => {
    const agent = await start({
      files: { 'agents/slow.md': AGENT('timeout: 5') },
      script: script([dispatch('a', 'x', { agent: 'slow' })], async ({ signal }) => {
        await new Promise<void>((resolve) => {
          signal?.addEventListener('abort', () => resolve(), { once: true })
        })
        return { text: '' }
      }),
    })
    const turn = await agent.say('go')
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { status: 'error', summary: 'The sub-agent did not finish within 5 s.' },
    ])
    expect(turn.text).toBe('so it is')
  })

  test('is an observation: it is cancelled, its parent goes on', async () => {
    const asked = gate()
    const never = gate()
    const agent = await start({
      script: script([dispatch('a', 'x')], async () => {
        asked.open()
        return { text: 'I am', until: never.opened, calls: [{ name: 'look' }] }
      }),
    })
    const sent = agent.say('go', 'sess_parent' as SessionId, { create: true })
    await asked.opened
    const session = 'sess_parent' as SessionId
    given(await agent.face.cancel(await childOf(agent, session)))
    expect((await sent).text).toBe('so it is')
    expect(only(await agent.journal(session), 'child_closed')).toMatchObject([
      { status: 'error', summary: expect.stringContaining('was cancelled') },
    ])
    never.open()
  })

  test('is cancelled with its parent', async () => {
    const asked = gate()
    const never = gate()
    const agent = await start({
      script: script([dispatch('a', 'x')], async () => {
        asked.open()
        await never.opened
        return { text: 'late' }
      }),
    })
    const session = 'sess_parent' as SessionId
    const sent = agent.say('go', session, { create: true })
    await asked.opened
    const child = await childOf(agent, session)
    given(await agent.face.cancel(session))
    expect(eventsOf(await sent, 'done')).toMatchObject([{ reason: 'user_abort' }])
    await expect
      .poll(async () => only(await agent.journal(child), 'run_ended'))
      .toMatchObject([{ reason: 'user_abort' }])
    never.open()
  })

  test('does nothing where its message comes when its parent was cancelled already', async () => {
    const [sending, sent] = [gate(), gate()]
    const asked: string[] = []
    const agent = await start({
      settings: { leaseMs: 600, marginMs: 10, sweepMs: 30, storeMs: 500 },
      around: (inner) =>
        decorateStore(inner, async ({ method, args }, proceed) => {
          if (method !== 'accept' || !JSON.stringify(args[0]).includes('"dispatch:'))
            return proceed()
          sending.open()
          await sent.opened
          // a statement that is on its way is executed, whoever waits for it
          return inner.accept(args[0] as Accept, new AbortController().signal)
        }),
      script: script([dispatch('a', 'x')], ({ said }) => {
        asked.push(said)
        return { text: 'late' }
      }),
    })
    const session = 'sess_parent' as SessionId
    const told = agent.say('go', session, { create: true })
    await sending.opened
    given(await agent.face.cancel(session))
    expect(eventsOf(await told, 'done')).toMatchObject([{ reason: 'user_abort' }])
    sent.open()
    const child = await childOf(agent, session)
    await expect
      .poll(async () => only(await agent.journal(child), 'run_ended'))
      .toMatchObject([{ reason: 'user_abort' }])
    expect(asked).toEqual([])
  })

  test('asks nobody where its parent was cancelled, and that did not reach it', async () => {
    const [thinking, thought] = [gate(), gate()]
    let isLost = true
    const agent = await start({
      settings: { leaseMs: 600, marginMs: 10, sweepMs: 30, storeMs: 500 },
      around: (inner) =>
        decorateStore(inner, async ({ method, args }, proceed) => {
          const isCancel =
            method === 'accept' &&
            JSON.stringify(args[0]).includes('cancel') &&
            !JSON.stringify(args[0]).includes('sess_parent') &&
            isLost
          return isCancel ? connectionBroke : proceed()
        }),
      tools: [writes('pay')],
      taps: ({ tool }) =>
        tool.guard.tap((verdict, { tool: { name } }) =>
          name === 'pay' ? verdict.raise('confirm', 'pays money') : undefined,
        ),
      script: script([dispatch('a', 'x')], () => {
        thinking.open()
        return { until: thought.opened, calls: [{ name: 'pay', id: 'p' }] }
      }),
    })
    const session = 'sess_parent' as SessionId
    const told = agent.say('go', session, { create: true })
    await thinking.opened
    given(
      await agent.face
        .cancel(session)
        .then((said) => (said.ok ? said : agent.face.cancel(session))),
    )
    expect(eventsOf(await told, 'done')).toMatchObject([{ reason: 'user_abort' }])
    const child = await childOf(agent, session)
    isLost = false
    thought.open()
    await expect
      .poll(async () => only(await agent.journal(child), 'run_ended'))
      .toMatchObject([{ reason: 'user_abort' }])
  })

  test('goes when its parent is removed', async () => {
    const agent = await start({ script: script([dispatch('a', 'x')], () => ({ text: 'ok' })) })
    const turn = await agent.say('go')
    const child = await childOf(agent, turn.session)
    given(await agent.face.remove(turn.session))
    expect(await agent.face.session(child)).toMatchObject({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND' },
    })
  })
})

describe('what a sub-agent may not do alone', () => {
  const asks: Options = {
    tools: [writes('pay', ({ v }) => success(`paid ${JSON.stringify(v)}`))],
    taps: ({ tool }) =>
      tool.guard.tap((verdict, { tool: { name } }) =>
        name === 'pay' ? verdict.raise('confirm', 'pays money') : undefined,
      ),
    script: script([dispatch('a', 'one'), dispatch('b', 'two')], (asked) =>
      wasAsked(asked)
        ? { calls: [{ name: 'pay', id: `pay-${asked.said}`, args: { v: asked.said } }] }
        : { text: `${asked.said}: ${Object.values(asked.results).join()}` },
    ),
  }

  test('is asked for in the stream of its parent, and goes on with the answer', async () => {
    const agent = await start(asks)
    const turn = await agent.say('go')
    expect(eventsOf(turn, 'confirmation_required')).toMatchObject([
      {
        tool_id: 'a',
        tool_name: 'pay',
        params: { v: 'one' },
        pending_input_context: { agent: 'task' },
      },
      { tool_id: 'b', params: { v: 'two' } },
    ])
    const [one, two] = await agent.asks(turn.session)
    given(await agent.answer(turn.session, [one, { approved: true }]))
    given(await agent.answer(turn.session, [two, { approved: false, feedback: 'too much' }]))
    await expect.poll(() => agent.kinds(turn.session)).toContain('run_ended')
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { call: 'a', status: 'success', summary: 'one: paid "one"' },
      { call: 'b', summary: expect.stringContaining('too much') },
    ])
  })

  test('is asked for however deep it is', async () => {
    const agent = await start({
      ...asks,
      files: { 'agents/lead.md': AGENT('maxDepth: 2') },
      script: (asked) => {
        if (!wasAsked(asked)) return { text: Object.values(asked.results).join() }
        if (isParent(asked)) return { calls: [dispatch('a', 'lead it', { agent: 'lead' })] }
        return asked.said === 'lead it'
          ? { calls: [dispatch('b', 'one')] }
          : { calls: [{ name: 'pay', args: { v: asked.said } }] }
      },
    })
    const turn = await agent.say('go')
    given(
      await agent.answer(turn.session, [(await agent.asks(turn.session))[0], { approved: true }]),
    )
    await expect.poll(() => agent.kinds(turn.session)).toContain('run_ended')
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { status: 'success', summary: 'paid "one"' },
    ])
  })

  test('is settled once, by one server or another', async () => {
    const store = await sharedStore()
    const first = await start({
      ...asks,
      store,
      settings: { leaseMs: 300, marginMs: 50, sweepMs: 50 },
    })
    const turn = await first.say('go')
    const open = await first.asks(turn.session)
    await first.close()
    const second = await start({
      ...asks,
      store,
      settings: { leaseMs: 300, marginMs: 50, sweepMs: 50 },
    })
    given(await second.answer(turn.session, ...open.map((id) => [id, { approved: true }] as const)))
    await expect.poll(() => second.kinds(turn.session)).toContain('run_ended')
    expect(
      only(await second.journal(turn.session), 'child_closed').map(({ summary }) => summary),
    ).toEqual(['one: paid "one"', 'two: paid "two"'])
  })

  test('is cancelled with its parent while both wait', async () => {
    const agent = await start(asks)
    const turn = await agent.say('go')
    const child = await childOf(agent, turn.session)
    given(await agent.face.cancel(turn.session))
    await expect.poll(() => agent.kinds(turn.session)).toContain('run_ended')
    await expect.poll(() => agent.kinds(child)).toContain('run_ended')
  })

  test('is what a guard says of the sub-agent itself, too', async () => {
    const agent = await start({
      script: script([dispatch('a', 'one')], () => ({ text: 'ok' })),
      taps: ({ tool }) =>
        tool.guard.tap((verdict, { tool: { dispatches } }) =>
          dispatches ? verdict.raise('confirm', 'costs money') : undefined,
        ),
    })
    const turn = await agent.say('go')
    expect(await agent.kinds(turn.session)).not.toContain('child_opened')
    given(
      await agent.answer(turn.session, [(await agent.asks(turn.session))[0], { approved: true }]),
    )
    await expect.poll(() => agent.kinds(turn.session)).toContain('run_ended')
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { status: 'success' },
    ])
  })
})

test("a sub-agent acts for the principal, as a delegate, in the state of its parent's session", async () => {
  const seen: object[] = []
  const agent = await start({
    tools: [reads('look')],
    taps: ({ tool }) =>
      tool.guard.tap((_verdict, _call, { principal, roles, delegated, sessionState, context }) => {
        if (delegated) seen.push({ principal, roles, plan: sessionState['plan-mode'], context })
        return undefined
      }),
    script: script([dispatch('a', 'x')], (asked) =>
      wasAsked(asked) ? { calls: [{ name: 'look' }] } : { text: 'ok' },
    ),
  })
  await agent.say('go', undefined, { sessionState: { 'plan-mode': { active: true } } })
  expect(seen).toEqual([{ principal: 'me', roles: [], plan: { active: true }, context: {} }])
})

test('a server that stops while sub-agents work: each goes on elsewhere, and its parent has one outcome of it', async () => {
  const store = await sharedStore()
  const settings = { leaseMs: 300, marginMs: 50, sweepMs: 50, drainMs: 0 }
  const begun = gate()
  const never = gate()
  const first = await start({
    store,
    settings,
    script: script([dispatch('a', 'one'), dispatch('b', 'two')], async ({ said }) => {
      if (said === 'one') return { text: 'done before' }
      begun.open()
      await never.opened
      return { text: 'never heard' }
    }),
  })
  const session = 'sess_parent' as SessionId
  const sent = await first.send('go', session, { create: true })
  await begun.opened
  await expect
    .poll(async () => only(await first.journal(await childOf(first, session)), 'run_ended'))
    .toHaveLength(1)
  await first.close()
  never.open()
  sent.frames.close()
  const second = await start({
    store,
    settings,
    script: script([], ({ said }) => ({ text: `again ${said}` })),
  })
  await expect.poll(() => second.kinds(session)).toContain('run_ended')
  expect(only(await second.journal(session), 'child_closed')).toMatchObject([
    { call: 'a', summary: 'done before' },
    { call: 'b', summary: 'again two' },
  ])
  expect(only(await second.journal(session), 'child_opened')).toHaveLength(2)
  expect(second.model.asked.filter(({ said }) => said === 'one')).toEqual([])
})

test('sub-agents may take longer than a run may stand still', async () => {
  const agent = await start({
    settings: { stalenessMs: 600, leaseMs: 500 },
    script: script([dispatch('a', 'one')], (asked) =>
      wasAsked(asked) ? { text: 'so', calls: [{ name: 'slow' }] } : { text: 'at last' },
    ),
    tools: [
      reads(
        'slow',
        async () => {
          await new Promise((resolve) => {
            setTimeout(resolve, 2_000)
          })
          return success('x')
        },
        { timeoutMs: 20_000 },
      ),
    ],
  })
  const turn = await agent.say('go')
  expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
    { summary: 'at last' },
  ])
})
