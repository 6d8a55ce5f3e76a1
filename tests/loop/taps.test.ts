import { definePlugin, PromptCompiler, use, type HookTaps, type StreamPart } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { allFrames, told, type Told } from './support/frames.ts'
import { full } from './support/full-turn.ts'

describe('event.emit', () => {
  test('a failure withholds the event, and of done leaves the bare one; a replay is no different', async () => {
    const agent = await startTestAgent({
      script: [{ text: ['one ', 'secret ', 'two'] }],
      taps: ({ event }) =>
        event.emit.tap((e) => {
          if (e.type === 'done' || (e.type === 'text_delta' && e.content.includes('secret')))
            throw new Error('not this')
        }),
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('one two')
    expect(turn.events.at(-1)).toEqual({ type: 'done', reason: 'model_stop' })
    const replay = told(
      turn.session,
      await allFrames(
        given(await agent.face.follow(turn.session, { seq: 0, fencingToken: 0, attempt: 0, n: 0 })),
      ),
    )
    // told as one text, which the tap withholds
    expect(replay.events).toEqual([{ type: 'done', reason: 'model_stop' }])
  })

  test('a rewrite holds on a replay too', async () => {
    const agent = await startTestAgent({
      script: [{ text: 'the secret' }],
      taps: ({ event }) =>
        event.emit.tap((e) =>
          e.type === 'text_delta'
            ? { ...e, content: e.content.replaceAll('secret', '…') }
            : undefined,
        ),
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('the …')
    expect(
      told(
        turn.session,
        await allFrames(
          given(
            await agent.face.follow(turn.session, { seq: 0, fencingToken: 0, attempt: 0, n: 0 }),
          ),
        ),
      ).text,
    ).toBe('the …')
  })

  test('an event of another type is refused', async () => {
    const agent = await startTestAgent({
      taps: ({ event }) =>
        event.emit.tap((e) =>
          e.type === 'text_delta' ? { type: 'warning', message: 'x' } : undefined,
        ),
    })
    expect((await agent.say('go')).text).toBe('')
    expect(agent.errors).toMatchObject([
      { plugin: 'probe', where: 'event.emit', code: 'BAD_VALUE' },
    ])
  })
})

describe('journal.write', () => {
  test('changes what is kept and what the model is told, and what is shown on a replay', async () => {
    const agent = await startTestAgent({
      ...full,
      taps: ({ journal }) =>
        journal.write.tap((entry) =>
          entry.kind === 'user_message'
            ? { ...entry, text: entry.text.replaceAll('4711', '[id]') }
            : undefined,
        ),
    })
    const { session } = await agent.say('go 4711')
    expect(only(await agent.journal(session), 'user_message')).toMatchObject([{ text: 'go [id]' }])
    expect(agent.model.asked[0]?.said).toBe('go [id]')
  })

  test('that refuses everything still lets the run end and the next one begin', async () => {
    let armed = true
    const agent = await startTestAgent({
      ...full,
      taps: ({ journal }) =>
        journal.write.tap(() => {
          if (armed) throw new Error('no ink')
        }),
    })
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error' },
      { type: 'done', reason: 'error' },
    ])
    expect(await agent.kinds(turn.session)).toEqual(['run_ended'])
    armed = false
    expect((await agent.say('go', turn.session)).text).toBe('waitdone')
  })

  test('that refuses an outcome ends the run; the call has another outcome and the next turn is well-formed', async () => {
    const agent = await startTestAgent({
      ...full,
      taps: ({ journal }) =>
        journal.write.tap((entry) => {
          if (entry.kind === 'tool_outcome' && entry.status === 'success')
            throw new Error('not this one')
        }),
    })
    const turn = await agent.say('go')
    expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'error' })
    expect(outcomes(await agent.journal(turn.session))).toEqual({ l: 'error', w: 'error' })
    agent.model.play([{ text: 'fine' }])
    expect((await agent.say('next', turn.session)).text).toBe('fine')
  })
})

describe('model.stream', () => {
  /**
   * Holds the last `n` characters back until more has come, as a guard has to that looks for words.
   */
  const holdBack =
    (n: number, rewrite: (text: string) => string) =>
    (): { push(part: StreamPart): StreamPart[]; flush(): StreamPart[] } => {
      let held = ''
      const give = (text: string): StreamPart[] =>
        text === '' ? [] : [{ type: 'text-delta', id: 't', delta: text }]
      return {
        push(part) {
          if (part.type !== 'text-delta') return [part]
          held = rewrite(held + part.delta)
          const out = held.slice(0, Math.max(0, held.length - n))
          held = held.slice(out.length)
          return give(out)
        },
        flush: () => give(held),
      }
    }

  test('holds text back: what is streamed and what is kept are one text', async () => {
    const agent = await startTestAgent({
      script: [{ text: [...'my password is hunter2, keep it'] }],
      taps: ({ model }) =>
        model.stream.tap(holdBack(10, (text) => text.replaceAll('hunter2', '*******'))),
    })
    const turn = await agent.say('go')
    expect(turn.text).toBe('my password is *******, keep it')
    expect(only(await agent.journal(turn.session), 'model_reply')[0]?.text).toBe(turn.text)
    await agent.say('next', turn.session)
    expect(JSON.stringify(agent.model.asked[1]?.prompt)).not.toContain('hunter2')
  })

  test('transforms of several taps are a chain', async () => {
    const agent = await startTestAgent({
      script: [{ text: ['a', 'b', 'c'] }],
      taps: ({ model }) => {
        model.stream.tap(
          holdBack(2, (text) => text.replaceAll('abc', 'xyz')),
          { stage: 'early' },
        )
        model.stream.tap(
          holdBack(1, (text) => text.replaceAll('yz', '!')),
          { stage: 'late' },
        )
      },
    })
    expect((await agent.say('go')).text).toBe('x!')
  })

  test.each([
    [
      'throws in the middle',
      () => ({
        push: (part: StreamPart) => {
          if (part.type === 'text-delta' && part.delta === 'two') throw new Error('lost it')
          return [part]
        },
        flush: () => [],
      }),
      'one ',
    ],
    [
      'throws at the end',
      () => ({
        push: (part: StreamPart) => [part],
        flush: () => {
          throw new Error('lost it')
        },
      }),
      'one two',
    ],
    ['gives no list', () => ({ push: () => undefined as never, flush: () => [] }), ''],
  ] as const)('a transform that %s is named, and the turn ends', async (_, tap, text) => {
    const agent = await startTestAgent({
      script: [{ text: ['one ', 'two'] }, { text: 'ok' }],
      taps: ({ model }) => model.stream.tap(tap),
    })
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'error', message: expect.stringContaining('[probe] failed in hook model.stream') },
      { type: 'done', reason: 'error' },
    ])
    expect(turn.text).toBe(text)
    expect(
      only(await agent.journal(turn.session), 'model_reply')
        .map((entry) => entry.text)
        .join(''),
    ).toBe(text)
  })
})

describe('a redirect', () => {
  test('before a state', async () => {
    const agent = await startTestAgent({
      taps: ({ state }) =>
        state.enter.thinking.tap(() => ({ kind: 'done', reason: 'loop_detected' })),
    })
    expect((await agent.say('go')).events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'loop_detected',
    })
    expect(agent.model.asked).toHaveLength(0)
  })

  test('after a state, with facts of its own', async () => {
    const agent = await startTestAgent({
      ...full,
      taps: ({ state }) =>
        state.leave.streaming.tap((exit, _state, ctx) => ({
          to: { kind: 'done', reason: 'loop_detected' },
          entries: [
            ...exit.entries,
            { v: 1, kind: 'note', run: ctx.run, at: 0, code: 'warning', text: 'round and round' },
          ],
        })),
    })
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      { type: 'tool_call_result' },
      { type: 'done', reason: 'loop_detected' },
    ])
    expect(turn.events).toContainEqual({ type: 'warning', message: 'round and round' })
    expect(outcomes(await agent.journal(turn.session))).toEqual({ l: 'error', w: 'error' })
  })

  test('back to thinking settles what was called, so that the model can go on', async () => {
    let sent = 0
    const agent = await startTestAgent({
      ...full,
      taps: ({ state }) =>
        state.leave.streaming.tap((exit) =>
          sent++ === 0 ? { ...exit, to: { kind: 'thinking', step: 2 } } : undefined,
        ),
    })
    const turn = await agent.say('go')
    expect(outcomes(await agent.journal(turn.session))).toEqual({ l: 'error', w: 'error' })
    expect(turn.text).toBe('waitdone')
    expect(turn.events.at(-1)).toMatchObject({ reason: 'model_stop' })
  })

  test('back to thinking keeps what was said so far: a later try that fails takes back its own words only', async () => {
    let sent = 0
    const agent = await startTestAgent({
      script: [{ text: 'first, ' }, { text: 'half', breaks: 'cut' }, { text: 'second' }],
      taps: ({ state, model }) => {
        state.leave.streaming.tap((exit) =>
          sent++ === 0 ? { ...exit, to: { kind: 'thinking', step: 2 } } : undefined,
        )
        model.failed.tap(() => ({ action: 'retry', afterMs: 1 }))
      },
    })
    const turn = await agent.say('go')
    expect(
      turn.events.map((event) => (event.type === 'text_delta' ? event.content : event.type)),
    ).toEqual(['init', 'first, ', 'half', 'reset', 'second', 'done'])
    expect(turn.text).toBe('first, second')
    expect(
      only(await agent.journal(turn.session), 'model_reply')
        .map(({ text }) => text)
        .join(''),
    ).toBe('first, second')
  })

  test.each([
    [
      'entering',
      ({ state }: HookTaps) =>
        state.enter.streaming.tap((at) => ({ kind: 'thinking', step: at.step })),
    ],
    [
      'leaving',
      ({ state }: HookTaps) =>
        state.leave.streaming.tap((exit, at) => ({
          ...exit,
          to: { kind: 'thinking', step: 'step' in at ? at.step : 1 },
        })),
    ],
  ] as const)('%s, over and over, is a loop that ends', async (_, taps) => {
    const agent = await startTestAgent({ ...full, taps })
    const turn = await agent.say('go')
    expect(turn.events.slice(-2)).toMatchObject([
      {
        type: 'error',
        code: 'BAD_VALUE',
        message: expect.stringContaining('redirected this run 9 times'),
      },
      { type: 'done', reason: 'error' },
    ])
    expect(agent.model.asked.length).toBeLessThanOrEqual(9)
  })

  test('is told of like any other move', async () => {
    const moves: string[] = []
    const agent = await startTestAgent({
      taps: ({ state }) => {
        state.enter.streaming.tap(() => ({ kind: 'done', reason: 'loop_detected' }))
        state.changed.tap((from, to) => {
          moves.push(`${from} → ${to}`)
        })
      },
    })
    await agent.say('go')
    expect(moves).toEqual(['thinking → streaming', 'streaming → done'])
  })
})

describe('model.failed', () => {
  test('tries again, and readers forget what the first try said', async () => {
    const agent = await startTestAgent({
      script: [{ text: 'half a ', breaks: 'socket closed' }, { text: 'whole answer' }],
      taps: ({ model }) =>
        model.failed.tap((_error, _call, attempt) =>
          attempt < 2 ? { action: 'retry', afterMs: 1 } : undefined,
        ),
    })
    const turn = await agent.say('go')
    expect(turn.events.map(({ type }) => type)).toEqual([
      'init',
      'text_delta',
      'reset',
      'text_delta',
      'done',
    ])
    expect(turn.text).toBe('whole answer')
    expect(only(await agent.journal(turn.session), 'model_reply')).toMatchObject([
      { text: 'whole answer' },
    ])
  })

  test('takes nothing back where nothing was said', async () => {
    const agent = await startTestAgent({
      script: [{ breaks: 'socket closed' }, { text: 'there' }],
      taps: ({ model }) => model.failed.tap(() => ({ action: 'retry', afterMs: 1 })),
    })
    expect((await agent.say('go')).events.map(({ type }) => type)).toEqual([
      'init',
      'text_delta',
      'done',
    ])
  })

  test('that fails itself leaves the first failure', async () => {
    const agent = await startTestAgent({
      script: [{ breaks: 'socket closed' }],
      taps: ({ model }) =>
        model.failed.tap(() => {
          throw new Error('no plan b')
        }),
    })
    expect((await agent.say('go')).events.at(-2)).toMatchObject({
      type: 'error',
      code: 'MODEL_FAILED',
      message: 'scripted/scripted-1: socket closed',
    })
  })
})

test('run.start refuses with a reason', async () => {
  const agent = await startTestAgent({
    taps: ({ run }) =>
      run.start.tap(() => ({ deny: true, reason: 'budget_exceeded', message: 'no money left' })),
  })
  const turn: Told = await agent.say('go')
  expect(turn.events.slice(-2)).toMatchObject([
    { type: 'error', message: 'no money left' },
    { type: 'done', reason: 'budget_exceeded' },
  ])
  expect(agent.model.asked).toHaveLength(0)
  expect(await agent.kinds(turn.session)).toEqual(['user_message', 'run_ended'])
})

test('tools.list and prompt.compile decide what this model call is given', async () => {
  const compiler = definePlugin({
    name: 'compiler',
    version: '1.0.0',
    provides: [PromptCompiler],
    setup({ provide }) {
      provide(PromptCompiler, () => ({
        draft: () => ({
          sections: [
            {
              id: 'a',
              title: 'A',
              body: 'be brief',
              weight: 10,
              category: 'system',
              plugin: 'compiler',
            },
          ],
        }),
        render: ({ sections }) => ({
          sections,
          text: sections.map(({ body }) => body).join('\n'),
          tokens: 0,
          window: 0,
        }),
      }))
    },
  })
  const agent = await startTestAgent({
    ...full,
    script: [{ calls: [{ name: 'write', id: 'w' }] }, { text: 'no' }],
    plugins: [use(compiler)],
    taps: ({ tools, prompt }) => {
      tools.list.tap((list) => ({ ...list, tools: list.tools.filter(({ readOnly }) => readOnly) }))
      prompt.compile.tap((draft) => ({
        sections: draft.sections.map((section) => ({
          ...section,
          body: `${section.body}, please`,
        })),
      }))
    },
  })
  const { session } = await agent.say('go')
  expect(agent.model.asked[0]).toMatchObject({
    tools: ['look'],
    prompt: [{ role: 'system', content: 'be brief, please' }, { role: 'user' }],
  })
  expect(only(await agent.journal(session), 'tool_outcome')).toMatchObject([
    { status: 'error', code: 'TOOL_UNKNOWN' },
  ])
})
