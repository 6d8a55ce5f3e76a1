import {
  definePlugin,
  Dispatcher,
  NO_USAGE,
  RunFacts,
  SessionFacts,
  sessionId,
  slot,
  use,
  type HookTaps,
} from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, eventsOf, told } from './support/frames.ts'
import { full } from './support/full-turn.ts'
import { reads } from './support/tools.ts'

test('each hook is called at its place', async () => {
  const seen: string[] = []
  const see =
    (name: string) =>
    (..._args: readonly unknown[]): undefined => {
      seen.push(name)
    }
  const agent = await startTestAgent({
    ...full,
    taps: ({ session, run, prompt, tools, state, model, tool, confirm, journal, event }) => {
      session.open.tap(see('session.open'))
      run.start.tap(see('run.start'))
      run.end.tap(see('run.end'))
      prompt.compile.tap(see('prompt.compile'))
      tools.list.tap(see('tools.list'))
      for (const kind of ['thinking', 'streaming', 'executing', 'confirming'] as const) {
        state.enter[kind].tap(see(`enter ${kind}`))
        state.leave[kind].tap(see(`leave ${kind}`))
      }
      state.changed.tap((from, to) => {
        seen.push(`${from} → ${to}`)
      })
      model.route.tap(see('model.route'))
      model.call.tap(see('model.call'))
      model.stream.tap(see('model.stream'))
      model.done.tap(see('model.done'))
      tool.call.tap((call) => {
        seen.push(`tool.call ${call.tool.name}`)
      })
      tool.guard.tap((verdict, call) => {
        seen.push(`tool.guard ${call.tool.name}`)
        return call.tool.name === 'write' ? verdict.raise('confirm', 'sure?') : undefined
      })
      tool.result.tap((_result, call) => {
        seen.push(`tool.result ${call.tool.name}`)
      })
      tool.done.tap((call) => {
        seen.push(`tool.done ${call.tool.name}`)
      })
      confirm.ask.tap(() => {
        seen.push('confirm.ask')
        return { answer: { approved: true } }
      })
      journal.write.tap((entry) => {
        seen.push(`write ${entry.kind}`)
      })
      event.emit.tap(({ type }) => {
        seen.push(`emit ${type}`)
      })
      event.sent.tap(({ type }) => {
        seen.push(`sent ${type}`)
      })
    },
  })
  const sent = await agent.send('go')
  await allFrames(sent.frames)
  const thought = [
    'enter thinking',
    'tools.list',
    'prompt.compile',
    'model.route',
    'model.call',
    'leave thinking',
    'thinking → streaming',
    'enter streaming',
    'model.stream',
    'emit text_delta',
    'sent text_delta',
    'model.done',
    'leave streaming',
  ]
  const listed = ['tools.list', 'prompt.compile']
  expect(seen).toEqual([
    'session.open',
    'write user_message',
    'run.start',
    ...thought,
    'write model_reply',
    'streaming → executing',
    'enter executing',
    ...listed,
    'tool.call look',
    'tool.guard look',
    'emit tool_call_start',
    'sent tool_call_start',
    'tool.call write',
    'tool.guard write',
    'emit tool_call_start',
    'sent tool_call_start',
    'tool.result look',
    'tool.done look',
    'leave executing',
    'write tool_outcome',
    'executing → executing',
    'emit tool_call_result',
    'sent tool_call_result',
    'enter executing',
    ...listed,
    'leave executing',
    'write input_asked',
    'executing → confirming',
    'emit confirmation_required',
    'sent confirmation_required',
    'enter confirming',
    'confirm.ask',
    'leave confirming',
    'write input_answered',
    'confirming → executing',
    'emit approved',
    'sent approved',
    'enter executing',
    ...listed,
    'leave executing',
    'write tool_intent',
    'executing → executing',
    'enter executing',
    ...listed,
    'tool.result write',
    'tool.done write',
    'leave executing',
    'write tool_outcome',
    'executing → executing',
    'emit tool_call_result',
    'sent tool_call_result',
    'enter executing',
    ...listed,
    'leave executing',
    'executing → thinking',
    ...thought,
    'write model_reply',
    'streaming → done',
    'write run_ended',
    'emit done',
    'sent done',
    'run.end',
  ])
})

test('taps are told whose run it is; services of a run are closed with it, and those of its session with the session', async () => {
  const PerSession = slot.session<string>('per-session')
  const PerRun = slot.run<string>('per-run')
  const order: string[] = []
  const services = definePlugin({
    name: 'services',
    version: '1.0.0',
    provides: [PerSession, PerRun],
    setup({ provide }) {
      provide(PerSession, (scope) => {
        scope.onClose(() => {
          order.push('session closed')
        })
        return `of ${scope.get(SessionFacts).session}`
      })
      provide(PerRun, (scope) => {
        scope.onClose(() => {
          order.push('run closed')
        })
        return `of ${scope.get(RunFacts).run}`
      })
    },
  })
  const agent = await startTestAgent({
    plugins: [use(services)],
    taps: ({ run }) =>
      run.start.tap((request, { tenant, session, principal, step, lease, scope }) => {
        expect([tenant, principal, step, lease.remainingMs() > 0]).toEqual(['local', 'me', 1, true])
        expect([scope.get(PerSession), scope.get(PerRun)]).toEqual([
          `of ${session}`,
          `of ${request.run}`,
        ])
        order.push('made')
        return undefined
      }),
  })
  const { session } = await agent.say('hi')
  await expect.poll(() => order).toEqual(['made', 'run closed'])
  await agent.face.remove(session)
  await expect.poll(() => order).toEqual(['made', 'run closed', 'session closed'])
})

type Wrong = () => never
interface Case {
  readonly hook: string
  readonly tap: (hooks: HookTaps, wrong: Wrong) => void
  /** How the turn ends in spite of it. */
  readonly ends: 'refused' | 'error' | 'fine'
  /** What may be returned there that is no value of this hook. */
  readonly rubbish?: unknown
}

const CASES: readonly Case[] = [
  {
    hook: 'session.open',
    tap: ({ session }, wrong) => session.open.tap(wrong),
    ends: 'refused',
    rubbish: {},
  },
  { hook: 'run.start', tap: ({ run }, wrong) => run.start.tap(wrong), ends: 'error', rubbish: {} },
  {
    hook: 'tools.list',
    tap: ({ tools }, wrong) => tools.list.tap(wrong),
    ends: 'error',
    rubbish: {},
  },
  {
    hook: 'prompt.compile',
    tap: ({ prompt }, wrong) => prompt.compile.tap(wrong),
    ends: 'error',
    rubbish: {},
  },
  {
    hook: 'state.enter.thinking',
    tap: ({ state }, wrong) => state.enter.thinking.tap(wrong),
    ends: 'error',
    rubbish: { kind: 'executing', step: 1, calls: [] },
  },
  {
    hook: 'state.leave.thinking',
    tap: ({ state }, wrong) => state.leave.thinking.tap(wrong),
    ends: 'error',
    rubbish: { to: { kind: 'executing', step: 1, calls: [] }, entries: [] },
  },
  {
    hook: 'state.enter.streaming',
    tap: ({ state }, wrong) => state.enter.streaming.tap(wrong),
    ends: 'error',
    rubbish: { kind: 'nowhere' },
  },
  {
    hook: 'state.leave.streaming',
    tap: ({ state }, wrong) => state.leave.streaming.tap(wrong),
    ends: 'error',
    rubbish: { to: { kind: 'done', reason: 'model_stop' } },
  },
  {
    hook: 'state.enter.executing',
    tap: ({ state }, wrong) => state.enter.executing.tap(wrong),
    ends: 'error',
  },
  {
    hook: 'state.leave.executing',
    tap: ({ state }, wrong) => state.leave.executing.tap(wrong),
    ends: 'error',
  },
  {
    hook: 'model.route',
    tap: ({ model }, wrong) => model.route.tap(wrong),
    ends: 'error',
    rubbish: {},
  },
  {
    hook: 'model.call',
    tap: ({ model }, wrong) => model.call.tap(wrong),
    ends: 'error',
    rubbish: {},
  },
  { hook: 'model.done', tap: ({ model }, wrong) => model.done.tap(wrong), ends: 'fine' },
  { hook: 'tool.call', tap: ({ tool }, wrong) => tool.call.tap(wrong), ends: 'fine', rubbish: {} },
  {
    hook: 'tool.guard',
    tap: ({ tool }, wrong) => tool.guard.tap(wrong),
    ends: 'fine',
    rubbish: { level: 'sure' },
  },
  {
    hook: 'tool.result',
    tap: ({ tool }, wrong) => tool.result.tap(wrong),
    ends: 'fine',
    rubbish: {},
  },
  { hook: 'tool.done', tap: ({ tool }, wrong) => tool.done.tap(wrong), ends: 'fine' },
  { hook: 'run.end', tap: ({ run }, wrong) => run.end.tap(wrong), ends: 'fine' },
]
const SYNC: readonly Case[] = [
  {
    hook: 'journal.write',
    tap: ({ journal }, wrong) => journal.write.tap(wrong),
    ends: 'error',
    rubbish: { v: 1, kind: 'note', run: 'other', at: 0, code: '', text: '' },
  },
  {
    hook: 'model.stream',
    tap: ({ model }, wrong) => model.stream.tap(wrong),
    ends: 'error',
    rubbish: { push: 1 },
  },
  { hook: 'state.changed', tap: ({ state }, wrong) => state.changed.tap(wrong), ends: 'fine' },
  { hook: 'event.sent', tap: ({ event }, wrong) => event.sent.tap(wrong), ends: 'fine' },
]

/** A turn with a tap that does wrong, and one after it has stopped to. */
async function live(
  agent: TestAgent,
  { hook, ends }: Case,
  code: string,
  heal: () => void,
): Promise<void> {
  const first = await agent.face.send({ text: 'go' })
  if (ends === 'refused')
    expect(first, hook).toMatchObject({
      ok: false,
      error: { code, message: expect.stringContaining('[probe]') },
    })
  else {
    const turn = told(given(first).session, await allFrames(given(first).frames))
    expect(eventsOf(turn, 'done'), hook).toHaveLength(1)
    if (ends === 'error')
      expect(turn.events.slice(-2), hook).toMatchObject([
        { type: 'error', code, message: expect.stringContaining(`[probe] failed in hook ${hook}`) },
        { type: 'done', reason: 'error' },
      ])
    else expect(turn.text, hook).toMatch(/done$/)
  }
  await expect
    .poll(() => agent.errors.map(({ plugin, where }) => `${plugin} ${where}`))
    .toContain(`probe ${hook}`)
  heal()
  const session = first.ok ? first.value.session : undefined
  expect((await agent.say('go', session)).text, hook).toBe('waitdone')
}

async function withTap(
  one: Case,
  wrong: () => unknown,
): Promise<{ readonly agent: TestAgent; readonly heal: () => void }> {
  let armed = true
  const agent = await startTestAgent({
    ...full,
    taps: (hooks) => one.tap(hooks, (() => (armed ? wrong() : undefined)) as Wrong),
  })
  return {
    agent,
    heal: () => {
      armed = false
    },
  }
}

describe('a tap that throws is named, and the turn comes to its end', () => {
  test.each([...CASES, ...SYNC])('$hook', async (one) => {
    const { agent, heal } = await withTap(one, () => {
      throw new Error('out of order')
    })
    await live(agent, one, 'PLUGIN_FAILED', heal)
  })
})

describe('a tap that returns something else is named, and the turn comes to its end', () => {
  const answering = [...CASES, ...SYNC].filter(({ hook }) => !/changed|sent|done|end$/.test(hook))
  test.each(answering)('$hook: a number', async (one) => {
    const { agent, heal } = await withTap(one, () => 7)
    await live(agent, one, 'BAD_VALUE', heal)
  })
  test.each(answering.filter(({ rubbish }) => rubbish !== undefined))(
    '$hook: an object of another kind',
    async (one) => {
      const { agent, heal } = await withTap(one, () => one.rubbish)
      await live(agent, one, 'BAD_VALUE', heal)
    },
  )
})

test('a tap that hangs is named at its deadline, and the turn comes to its end', async () => {
  await Promise.all(
    CASES.filter(({ hook }) => !/done$|run\.end/.test(hook)).map(async (one) => {
      const { agent, heal } = await withTap(one, () => new Promise(() => undefined))
      agent.model.play(({ results }) =>
        Object.keys(results).length === 0
          ? { text: 'wait', calls: [{ name: 'look' }] }
          : { text: 'done' },
      )
      await live(agent, one, 'PLUGIN_TIMEOUT', heal)
    }),
  )
}, 30_000)

describe('hooks outside of a run', () => {
  test('session.close hears of a session that is removed, and of one that was quiet for too long', async () => {
    const closed: string[] = []
    const agent = await startTestAgent({
      settings: { sessionTtlMs: 120 },
      taps: ({ session }) =>
        session.close.tap(({ session: id }, reason) => {
          closed.push(`${id} ${reason}`)
        }),
    })
    const { session: removed } = await agent.say('one')
    given(await agent.face.remove(removed))
    const { session: quiet } = await agent.say('two')
    await expect
      .poll(() => closed)
      .toEqual([`${removed} removed`, `${quiet} idle`, `${quiet} expired`])
  })

  test('bundle.load and bundle.check stand between the files and the agent', async () => {
    let rejects = false
    const agent = await startTestAgent({
      taps: ({ bundle }) => {
        bundle.load.tap((loaded) => ({ ...loaded, hash: 'merged' }))
        bundle.check.tap((checked, issues) => {
          if (rejects) throw new Error('no such model')
          issues.push({
            severity: 'warning',
            code: 'BAD_REPO',
            message: `looked at ${checked.hash}`,
          })
        })
      },
    })
    expect(agent.agent.bundle()).toMatchObject({
      hash: 'merged',
      issues: [{ message: 'looked at merged' }],
    })
    rejects = true
    expect(await agent.agent.reloadBundle()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('[probe] failed in hook bundle.check') },
    })
    expect(agent.agent.bundle()?.hash, 'the last good one serves on').toBe('merged')
    expect(agent.agent.status().problem).toMatchObject({ code: 'PLUGIN_FAILED' })
  })

  test('kernel.drain is told once that the server stops', async () => {
    const reasons: string[] = []
    const agent = await startTestAgent({
      taps: ({ kernel }) =>
        kernel.drain.tap((reason) => {
          reasons.push(reason)
        }),
    })
    await agent.close('maintenance')
    expect(reasons).toEqual(['maintenance'])
  })
})

describe('dispatch.start', () => {
  const dispatching = (refuses: () => unknown) => {
    const asked: string[] = []
    const helper = definePlugin({
      name: 'helper',
      version: '1.0.0',
      provides: [Dispatcher],
      setup({ provide }) {
        provide(Dispatcher, () => ({
          open: (calls) =>
            calls.slice(0, 1).map(({ call, args }) => {
              asked.push(JSON.stringify(args))
              return { call, child: sessionId(`sess_${call}`), agent: 'helper', prompt: '' }
            }),
          run: async (children) =>
            children.map(({ call }) => ({
              call,
              status: 'success',
              summary: 'found',
              usage: NO_USAGE,
            })),
        }))
      },
    })
    return {
      asked,
      started: startTestAgent({
        script: [
          {
            calls: [
              { name: 'dispatch_task', id: 'a', args: { prompt: 'one' } },
              { name: 'dispatch_task', id: 'b', args: { prompt: 'two' } },
              { name: 'look', id: 'c' },
            ],
          },
          { text: 'so' },
        ],
        tools: [reads('dispatch_task', undefined, { dispatches: true }), reads('look')],
        plugins: [use(helper)],
        taps: ({ dispatch }) =>
          dispatch.start.tap(({ call }) => (call === 'a' ? (refuses() as undefined) : undefined)),
      }),
    }
  }

  test('lets sub-agents run together; one that is left out has an outcome all the same', async () => {
    const { asked, started } = dispatching(() => undefined)
    const agent = await started
    const turn = await agent.say('go')
    expect(asked).toEqual(['{"prompt":"one"}'])
    expect(outcomes(await agent.journal(turn.session))).toEqual({ b: 'error', c: 'success' })
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { call: 'a', status: 'success', summary: 'found' },
    ])
    expect(turn.text).toBe('so')
  })

  test.each([
    ['refuses', () => ({ deny: true, message: 'not today' }), 'not today'],
    [
      'throws',
      () => {
        throw new Error('no policy')
      },
      'This sub-agent was refused, because a policy failed: [probe] failed in hook dispatch.start: no policy',
    ],
  ])('that %s keeps that one from running, and no other', async (_, refuses, reason) => {
    const { asked, started } = dispatching(refuses)
    const agent = await started
    const turn = await agent.say('go')
    expect(asked).toEqual(['{"prompt":"two"}'])
    expect(outcomes(await agent.journal(turn.session))).toEqual({ a: 'error', c: 'success' })
    expect(only(await agent.journal(turn.session), 'child_closed')).toMatchObject([
      { call: 'b', status: 'success' },
    ])
    expect(agent.model.asked[1]?.results['a']).toBe(reason)
  })
})
