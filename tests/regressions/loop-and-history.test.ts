import { defineBundle, askId } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { outcomesOf, talk, textOf, tool, typesOf, type Talk } from './support/talk.ts'

// What went wrong in systems like this one, and must not here. The model's endpoint is strict: it
// refuses a history that is not whole.

const never = new Promise<never>(() => undefined)

describe('denying or stopping left the other calls of the step without an outcome, and the provider refused the next turn', () => {
  const both = [
    { name: 'look', arguments: {} },
    { name: 'write', arguments: {} },
    { name: 'look', arguments: {} },
  ]

  async function nextTurnWorks(
    { server, say, entries }: Talk,
    expected: readonly string[],
  ): Promise<void> {
    expect(outcomesOf(await entries())).toEqual(expected)
    server.play(reply.text('still here'))
    const next = await say('next')
    expect(textOf(next)).toBe('still here')
    expect(next.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  }

  test('denied by a guard', async () => {
    const one = await talk({
      script: reply.toolsThenText(both, 'so be it'),
      tools: [tool('look', true), tool('write', false)],
      taps: (hooks) =>
        hooks.tool.guard.tap((verdict, call) =>
          call.tool.name === 'write' ? verdict.raise('deny', 'read only today') : undefined,
        ),
    })
    expect(textOf(await one.say('go'))).toBe('so be it')
    await nextTurnWorks(one, ['write: error', 'look: success', 'look: success'])
  })

  test('declined by a person', async () => {
    const one = await talk({
      script: reply.toolsThenText(both, 'so be it'),
      tools: [tool('look', true), tool('write', false)],
      taps: (hooks) =>
        hooks.tool.guard.tap((verdict, call) =>
          call.tool.name === 'write' ? verdict.raise('confirm', 'sure?') : undefined,
        ),
    })
    await one.say('go', (event) => {
      if (event.type === 'confirmation_required')
        void one.session.session.answer(one.session.id, [
          { id: askId(event.id), answer: { approved: false } },
        ])
    })
    await nextTurnWorks(one, ['look: success', 'write: error', 'look: success'])
  })

  test('stopped by the budget of time', async () => {
    const one = await talk({
      script: reply.toolCalls(both),
      tools: [tool('look', true), tool('write', false, () => never)],
      limits: { timeoutSeconds: 3 }, // `look` has long run by then
    })
    expect((await one.say('go')).at(-1)).toMatchObject({ type: 'done', reason: 'budget_exceeded' })
    one.server.play(reply.text('x'))
    await nextTurnWorks(one, ['look: success', 'write: unknown', 'look: error'])
  })

  test('aborted', async () => {
    const one = await talk({
      script: reply.toolCalls(both),
      tools: [
        tool('look', true),
        tool('write', false, () => {
          void one.session.session.cancel(one.session.id)
          return never
        }),
      ],
    })
    expect((await one.say('go')).at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
    await nextTurnWorks(one, ['look: success', 'write: unknown', 'look: error'])
  })

  test('out of turns', async () => {
    const one = await talk({
      script: reply.toolCalls(both),
      tools: [tool('look', true), tool('write', false)],
      limits: { maxTurns: 1 },
    })
    const events = await one.say('go')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'max_turns' })
    expect(textOf(events)).not.toBe('')
    await nextTurnWorks(one, ['look: error', 'write: error', 'look: error'])
  })
})

test('repair ran over a call that was only waiting for approval', async () => {
  const ran: string[] = []
  const one = await talk({
    script: reply.toolsThenText(
      [
        { name: 'look', arguments: {} },
        { name: 'pay', arguments: {} },
      ],
      'paid',
    ),
    tools: [
      tool('look', true),
      tool('pay', false, () => {
        ran.push('pay')
        return { status: 'success', output: 'paid' }
      }),
    ],
    taps: (hooks) =>
      hooks.tool.guard.tap((verdict, call) =>
        call.tool.name === 'pay' ? verdict.raise('confirm', 'sure?') : undefined,
      ),
  })
  const events = await one.say('go', async (event) => {
    if (event.type !== 'confirmation_required') return
    // Looked at, and written to, while it waits.
    expect(outcomesOf(await one.entries())).toEqual(['look: success'])
    await one.session.session.send({ session: one.session.id, text: 'are you there?' })
    expect(outcomesOf(await one.entries())).toEqual(['look: success'])
    await one.session.session.answer(one.session.id, [
      { id: askId(event.id), answer: { approved: true } },
    ])
  })
  expect(textOf(events)).toBe('paid')
  expect(outcomesOf(await one.entries())).toEqual(['look: success', 'pay: success'])
  expect(ran).toEqual(['pay'])
})

test('a tool call cut off by the token limit was executed, or broke the log', async () => {
  let ran = 0
  const one = await talk({
    script: [
      reply.toolCalls(
        [
          { name: 'write', arguments: '{"text":"half a sen' },
          { name: 'write', arguments: {} },
        ],
        { finishReason: 'length' },
      ),
      reply.text('in short'),
    ],
    tools: [
      tool('write', false, () => {
        ran++
        return { status: 'success', output: 'ok' }
      }),
    ],
  })
  expect(textOf(await one.say('go'))).toBe('in short')
  expect(ran).toBe(0)
  expect(outcomesOf(await one.entries())).toEqual(['write: error', 'write: error'])
})

describe('maxTurns: 1 produced nothing at all', () => {
  test.each([1, 2, 3, 4])('%i turns are that many useful ones', async (maxTurns) => {
    const one = await talk({
      script: ({ tool_choice: choice }) =>
        choice === 'none'
          ? reply.text('here is what I know')
          : reply.toolCalls({ name: 'look', arguments: {} }),
      tools: [tool('look', true)],
      limits: { maxTurns },
    })
    expect(textOf(await one.say('go'))).toBe('here is what I know')
    expect(outcomesOf(await one.entries())).toHaveLength(maxTurns - 1)
  })
})

test('a provider that threw left the stream without done', async () => {
  const one = await talk({
    script: reply.httpError(500),
    config: { bundle: defineBundle({ name: 'test', failover: { retries: 0, backoffMs: 10 } }) },
  })
  expect(typesOf(await one.say('go'))).toEqual(['init', 'error', 'done'])
  one.server.play(reply.text(['half'], { ending: { kind: 'cut', after: 1 } }))
  expect(typesOf(await one.say('go'))).toEqual(['init', 'text_delta', 'error', 'done'])
})

test('parallel approvals shared one id', async () => {
  const one = await talk({
    script: reply.toolsThenText(
      [
        { name: 'pay', arguments: { v: 1 } },
        { name: 'pay', arguments: { v: 2 } },
        { name: 'pay', arguments: { v: 3 } },
      ],
      'ok',
    ),
    tools: [tool('pay', false)],
    taps: (hooks) => hooks.tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?')),
  })
  const asked: string[] = []
  await one.say('go', (event) => {
    if (event.type !== 'confirmation_required') return
    asked.push(event.id)
    void one.session.session.answer(one.session.id, [
      { id: askId(event.id), answer: { approved: JSON.stringify(event.params) !== '{"v":2}' } },
    ])
  })
  expect(new Set(asked).size).toBe(3)
  expect([...outcomesOf(await one.entries())].sort()).toEqual([
    'pay: error',
    'pay: success',
    'pay: success',
  ])
})

describe('what a tool gave back was read by nobody', () => {
  test('stop_execution really ends the turn', async () => {
    const one = await talk({
      script: [
        reply.toolCalls([{ name: 'stop_execution', arguments: { reason: 'all done' } }], {
          before: 'Done.',
        }),
        reply.text('one more thing'),
      ],
    })
    const events = await one.say('go')
    expect(textOf(events)).toBe('Done.')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(one.server.count).toBe(1)
  })

  test('present shows its widget', async () => {
    const one = await talk({
      script: reply.toolsThenText(
        {
          name: 'present',
          arguments: { widget_type: 'metric', data: { label: 'Open', value: 3 } },
        },
        'there',
      ),
    })
    const events = await one.say('go')
    expect(events.find(({ type }) => type === 'widget')).toMatchObject({
      widget_type: 'metric',
      data: { label: 'Open', value: 3 },
    })
    expect(typesOf(events).indexOf('widget')).toBe(typesOf(events).indexOf('tool_call_result') + 1)
  })
})
