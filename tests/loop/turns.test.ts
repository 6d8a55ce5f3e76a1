import assets from '@amodal/plugin-assets'
import { sessionId, use } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { gate, startTestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { eventsOf } from './support/frames.ts'
import { reads, success, writes } from './support/tools.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('a message gets its answer, and both are kept', async () => {
  const agent = await startTestAgent({ script: [{ text: ['Hello ', 'there'] }] })
  const turn = await agent.say('hi')
  expect(turn.events).toEqual([
    { type: 'init', session_id: turn.session },
    { type: 'text_delta', content: 'Hello ' },
    { type: 'text_delta', content: 'there' },
    {
      type: 'done',
      reason: 'model_stop',
      usage: expect.objectContaining({ input_tokens: 10, output_tokens: 10 }),
      last_call_usage: expect.objectContaining({ total_tokens: 20 }),
    },
  ])
  expect(await agent.journal(turn.session)).toMatchObject([
    { seq: 1, kind: 'user_message', text: 'hi' },
    { seq: 2, kind: 'model_reply', text: 'Hello there', calls: [] },
    { seq: 3, kind: 'run_ended', reason: 'model_stop', steps: 1 },
  ])
})

test('the next message is answered with what was said before', async () => {
  const agent = await startTestAgent({
    script: ({ prompt }) => ({ text: `${prompt.length} messages` }),
  })
  const { session } = await agent.say('one')
  expect((await agent.say('two', session)).text).toBe('3 messages')
})

test('context and files go along with the message', async () => {
  const agent = await startTestAgent({ plugins: [use(assets)] })
  await agent.say('look', undefined, {
    context: { page: '/deals/5' },
    assets: [{ mediaType: 'image/png', data: PIXEL }],
  })
  expect(agent.model.asked[0]?.prompt).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look\n\n<context>\npage: /deals/5\n</context>' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } },
      ],
    },
  ])
})

describe('read-only calls', () => {
  test('run side by side, and their outcomes stand in the order of the calls', async () => {
    const slow = gate()
    const began: string[] = []
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'slow', id: 'a' },
            { name: 'quick', id: 'b' },
          ],
        },
        { text: 'both' },
      ],
      tools: [
        reads('slow', async () => {
          began.push('slow')
          await slow.opened
          return success('late')
        }),
        reads('quick', () => {
          began.push('quick')
          slow.open()
          return success('soon')
        }),
      ],
    })
    const turn = await agent.say('look')
    expect(began).toEqual(['slow', 'quick'])
    expect(
      only(await agent.journal(turn.session), 'tool_outcome').map(({ call, output }) => [
        call,
        output,
      ]),
    ).toEqual([
      ['a', 'late'],
      ['b', 'soon'],
    ])
    expect(eventsOf(turn, 'tool_call_result').map(({ tool_id }) => tool_id)).toEqual(['a', 'b'])
    expect(turn.text).toBe('both')
  })

  test('are no more at once than the settings allow', async () => {
    let now = 0
    let most = 0
    const agent = await startTestAgent({
      settings: { parallelCalls: 3 },
      script: [{ calls: Array.from({ length: 8 }, () => ({ name: 'look' })) }, { text: 'seen' }],
      tools: [
        reads('look', async () => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => {
            setTimeout(resolve, 2)
          })
          now--
          return success(1)
        }),
      ],
    })
    const turn = await agent.say('look')
    expect(most).toBe(3)
    expect(Object.keys(outcomes(await agent.journal(turn.session)))).toHaveLength(8)
  })

  test('one that fails costs its siblings nothing', async () => {
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'look', id: 'a' },
            { name: 'fails', id: 'b' },
            { name: 'look', id: 'c' },
          ],
        },
        { text: 'so be it' },
      ],
      tools: [
        reads('look'),
        reads('fails', () => {
          throw new Error('no such table')
        }),
      ],
    })
    const turn = await agent.say('look')
    expect(outcomes(await agent.journal(turn.session))).toEqual({
      a: 'success',
      b: 'error',
      c: 'success',
    })
    expect(agent.model.asked[1]?.results).toMatchObject({ b: '"fails" failed: no such table' })
    expect(turn.text).toBe('so be it')
  })
})

describe('calls with an effect', () => {
  test('run one by one, in order, each with its intent committed before', async () => {
    const order: string[] = []
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'write', id: 'a', args: { v: 1 } },
            { name: 'write', id: 'b', args: { v: 2 } },
          ],
        },
        { text: 'written' },
      ],
      tools: [
        writes('write', async ({ v = 0 }, ctx) => {
          order.push(
            `${JSON.stringify(v)} begins with ${(await agent.kinds(ctx.session)).at(-1)} kept`,
          )
          await new Promise((resolve) => {
            setTimeout(resolve, 1)
          })
          order.push(`${JSON.stringify(v)} ends`)
          return success(v)
        }),
      ],
    })
    const turn = await agent.say('write')
    expect(order).toEqual([
      '1 begins with tool_intent kept',
      '1 ends',
      '2 begins with tool_intent kept',
      '2 ends',
    ])
    expect(await agent.kinds(turn.session)).toEqual([
      'user_message',
      'model_reply',
      'tool_intent',
      'tool_outcome',
      'tool_intent',
      'tool_outcome',
      'model_reply',
      'run_ended',
    ])
  })

  test('wait for the reads before them, and reads after them see their effect', async () => {
    let value = 'old'
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'read', id: 'a' },
            { name: 'write', id: 'b' },
            { name: 'read', id: 'c' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [
        reads('read', () => success(value)),
        writes('write', () => {
          value = 'new'
          return success(null)
        }),
      ],
    })
    const { session } = await agent.say('go')
    expect(only(await agent.journal(session), 'tool_outcome').map(({ output }) => output)).toEqual([
      'old',
      null,
      'new',
    ])
  })

  test('have a key that is the same on every try and different for every call', async () => {
    const keys: string[] = []
    const agent = await startTestAgent({
      // The model uses one id for everything it ever calls.
      script: ({ n }) =>
        n < 4
          ? {
              calls: [
                { name: 'write', id: 'same' },
                { name: 'write', id: 'same' },
              ],
            }
          : { text: 'done' },
      tools: [
        writes('write', (_args, { key, run, callId }) => {
          keys.push(key)
          expect(key).toBe(`${run}:${callId}`)
          return success(1)
        }),
      ],
    })
    const { session } = await agent.say('go')
    expect(keys).toHaveLength(8)
    expect(new Set(keys).size).toBe(8)
    await agent.say('again', session)
    expect(Object.keys(outcomes(await agent.journal(session)))).toHaveLength(8)
  })

  test('keep their ids apart over several turns of a session', async () => {
    const agent = await startTestAgent({
      script: ({ n }) =>
        n % 2 === 0 ? { calls: [{ name: 'write', id: 'same' }] } : { text: 'done' },
      tools: [writes('write')],
    })
    const { session } = await agent.say('one')
    await agent.say('two', session)
    await agent.say('three', session)
    expect(Object.keys(outcomes(await agent.journal(session)))).toHaveLength(3)
  })
})

describe('a call that cannot run', () => {
  const cases = [
    [
      'a tool there is not',
      { name: 'nope', id: 'x' },
      'There is no tool "nope". There are: write.',
    ],
    [
      'arguments that are no JSON',
      { name: 'write', id: 'x', input: '{"v":' },
      expect.stringMatching(/^The arguments are no valid JSON/),
    ],
    [
      'arguments that are no object',
      { name: 'write', id: 'x', input: '[1]' },
      'The arguments are no JSON object.',
    ],
  ] as const
  test.each(cases)('%s: its outcome says why, its siblings run', async (_, call, reason) => {
    const agent = await startTestAgent({
      script: [{ calls: [call, { name: 'write', id: 'y' }] }, { text: 'I see' }],
      tools: [writes('write')],
    })
    const turn = await agent.say('go')
    expect(outcomes(await agent.journal(turn.session))).toEqual({ x: 'error', y: 'success' })
    expect(agent.model.asked[1]?.results).toMatchObject({ x: reason })
    expect(
      eventsOf(turn, 'tool_call_start')
        .map(({ tool_id }) => tool_id)
        .sort(),
    ).toEqual(['x', 'y'])
    expect(turn.text).toBe('I see')
  })

  test('arguments that do not fit the schema', async () => {
    const agent = await startTestAgent({
      script: [{ calls: [{ name: 'write', id: 'x', args: { v: 'text' } }] }, { text: 'I see' }],
      tools: [
        writes('write', undefined, { parse: () => ({ ok: false, error: 'v: must be a number' }) }),
      ],
    })
    await agent.say('go')
    expect(agent.model.asked[1]?.results).toEqual({
      x: 'The arguments do not fit: v: must be a number',
    })
  })

  test('a schema that throws is the fault of that call alone', async () => {
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'odd', id: 'x' },
            { name: 'read', id: 'y' },
          ],
        },
        { text: 'I see' },
      ],
      tools: [
        reads('odd', undefined, {
          parse: () => {
            throw new Error('no parser')
          },
        }),
        reads('read'),
      ],
    })
    const turn = await agent.say('go')
    expect(outcomes(await agent.journal(turn.session))).toEqual({ x: 'error', y: 'success' })
    expect(turn.text).toBe('I see')
  })

  test('calls of a reply that the token limit cut off never run', async () => {
    let ran = 0
    const agent = await startTestAgent({
      script: [
        {
          text: 'I will',
          calls: [
            { name: 'write', id: 'x' },
            { name: 'write', id: 'y' },
          ],
          finish: 'length',
        },
        { text: 'shorter now' },
      ],
      tools: [
        writes('write', () => {
          ran++
          return success(1)
        }),
      ],
    })
    const turn = await agent.say('go')
    expect(ran).toBe(0)
    expect(outcomes(await agent.journal(turn.session))).toEqual({ x: 'error', y: 'error' })
    expect(turn.text).toBe('I willshorter now')
  })

  test('names and ids that no provider would take back are made harmless', async () => {
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'rm -rf "x"', id: 'a b/c' },
            { name: 'write', id: '' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [writes('write')],
    })
    const { session } = await agent.say('go')
    await agent.say('again', session)
    expect(
      only(await agent.journal(session), 'model_reply')[0]?.calls.map(({ name }) => name),
    ).toEqual(['rm_-rf__x_', 'write'])
  })
})

describe('what a tool gives back', () => {
  test('no result at all is an error the model can read', async () => {
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'odd', id: 'x' },
            { name: 'fine', id: 'y' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [reads('odd', () => undefined as never), reads('fine')],
    })
    const turn = await agent.say('go')
    expect(outcomes(await agent.journal(turn.session))).toEqual({ x: 'error', y: 'success' })
    expect(agent.model.asked[1]?.results['x']).toBe('"odd" failed: it gave no result')
  })

  test('a value that is no JSON is an error the model can read', async () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'circle', id: 'x' },
            { name: 'big', id: 'y' },
            { name: 'fine', id: 'z' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [
        reads('circle', () => success(circle as never)),
        reads('big', () => success(1n as never)),
        reads('fine'),
      ],
    })
    const turn = await agent.say('go')
    expect(outcomes(await agent.journal(turn.session))).toEqual({
      x: 'error',
      y: 'error',
      z: 'success',
    })
    expect(turn.text).toBe('ok')
  })

  test('nothing is kept as null, and values are kept as JSON has them', async () => {
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'nothing', id: 'x' },
            { name: 'date', id: 'y' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [
        reads('nothing', () => success(undefined as never)),
        reads('date', () => success({ at: new Date(0), not: undefined } as never)),
      ],
    })
    const { session } = await agent.say('go')
    expect(only(await agent.journal(session), 'tool_outcome').map(({ output }) => output)).toEqual([
      null,
      { at: '1970-01-01T00:00:00.000Z' },
    ])
    expect(agent.model.asked[1]?.results).toEqual({
      x: 'null',
      y: '{"at":"1970-01-01T00:00:00.000Z"}',
    })
  })

  test('an output past the limit is cut and says so', async () => {
    const agent = await startTestAgent({
      settings: { outputChars: 20 },
      script: [{ calls: [{ name: 'long', id: 'x' }] }, { text: 'ok' }],
      tools: [reads('long', () => success('x'.repeat(1_000)))],
    })
    await agent.say('go')
    expect(agent.model.asked[1]?.results['x']).toBe(
      `${'x'.repeat(20)}\n… [cut: 1000 characters, 20 kept]`,
    )
  })

  test('characters that a database refuses do not reach it', async () => {
    const agent = await startTestAgent({
      script: [
        { text: 'nul\0 and \ud800 half', calls: [{ name: 'dirty', id: 'x' }] },
        { text: 'ok' },
      ],
      tools: [reads('dirty', () => success({ 'k\0ey': 'a\0b\udc00' }))],
    })
    const turn = await agent.say('say \0 this')
    const entries = await agent.journal(turn.session)
    expect(JSON.stringify(entries)).not.toMatch(/\\u0000|\\ud[89a-f]/i)
    expect(entries).toMatchObject([
      { text: 'say  this' },
      { text: 'nul and \ufffd half' },
      { output: { key: 'ab\ufffd' } },
      {},
      {},
    ])
    expect(agent.model.asked[1]?.results['x']).toBe('{"key":"ab\ufffd"}')
  })

  test('a tool that hangs is given up at its deadline; an effect may have happened', async () => {
    const hangs = { timeoutMs: 20 }
    const agent = await startTestAgent({
      script: [
        {
          calls: [
            { name: 'look', id: 'x' },
            { name: 'write', id: 'y' },
          ],
        },
        { text: 'ok' },
      ],
      tools: [
        reads('look', () => new Promise(() => undefined), hangs),
        writes('write', () => new Promise(() => undefined), hangs),
      ],
    })
    const { session } = await agent.say('go')
    expect(outcomes(await agent.journal(session))).toEqual({ x: 'error', y: 'unknown' })
    expect(agent.model.asked[1]?.results).toMatchObject({
      x: '"look" did not answer within 20 ms.',
      y: expect.stringContaining('Whether it took effect is unknown'),
    })
  })
})

test('a tool that ends the turn ends it once its siblings are settled; the model is not asked again', async () => {
  const agent = await startTestAgent({
    script: [
      {
        text: 'done here',
        calls: [
          { name: 'stop', id: 'a' },
          { name: 'write', id: 'b' },
        ],
      },
    ],
    tools: [
      reads('stop', () => ({ status: 'success', output: 'stopped', ends: true })),
      writes('write'),
    ],
  })
  const turn = await agent.say('go')
  expect(agent.model.asked).toHaveLength(1)
  expect(outcomes(await agent.journal(turn.session))).toEqual({ a: 'success', b: 'success' })
  expect(turn.events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
})

test('facts of a result are told after it, and again on a replay', async () => {
  const agent = await startTestAgent({
    script: [{ calls: [{ name: 'present', id: 'a' }] }, { text: 'there' }],
    tools: [
      reads('present', () => ({
        status: 'success',
        output: 'shown',
        events: [{ type: 'widget', widget_type: 'metric', data: { value: 1 } }],
      })),
    ],
  })
  const turn = await agent.say('go')
  expect(turn.events.map(({ type }) => type)).toEqual([
    'init',
    'tool_call_start',
    'tool_call_result',
    'widget',
    'text_delta',
    'done',
  ])
})

describe('a question to the person', () => {
  const question = {
    type: 'question',
    context: { question: 'Which one?' },
    schema: {
      type: 'object',
      properties: { response: { type: 'string', enum: ['red', 'blue'] } },
      required: ['response'],
      additionalProperties: false,
    },
  } as const
  const asking = () =>
    startTestAgent({
      script: ({ said, results }) =>
        said === 'paint it' && results['q'] === undefined
          ? {
              calls: [
                { name: 'ask_user', id: 'q' },
                { name: 'look', id: 'l' },
              ],
            }
          : { text: `it is ${results['q'] ?? 'so'}` },
      tools: [reads('ask_user', () => ({ status: 'asks', question })), reads('look')],
    })

  test('parks the turn; the answer is the outcome of the call, and the stream goes on', async () => {
    const agent = await asking()
    const sent = await agent.send('paint it')
    const seen: string[] = []
    for await (const { event } of sent.frames) {
      seen.push(event.type)
      if (event.type === 'ask_user')
        expect(await agent.answer(sent.session, [event.ask_id, { response: 'red' }])).toMatchObject(
          { ok: true },
        )
    }
    expect(seen).toEqual([
      'init',
      'tool_call_start',
      'tool_call_start',
      'tool_call_result',
      'ask_user',
      'tool_call_result',
      'text_delta',
      'done',
    ])
    expect(outcomes(await agent.journal(sent.session))).toEqual({ q: 'success', l: 'success' })
    expect(agent.model.asked).toHaveLength(2)
  })

  test('takes only an answer that fits its schema, and only once', async () => {
    const agent = await asking()
    const { session } = await agent.say('paint it')
    const [ask] = await agent.asks(session)
    expect(await agent.answer(session, [ask, { response: 'green' }])).toMatchObject({
      ok: false,
      error: { code: 'ANSWER_INVALID' },
    })
    expect(await agent.answer(session, [ask, { response: 'red', more: 1 }])).toMatchObject({
      ok: false,
      error: { code: 'ANSWER_INVALID' },
    })
    expect(await agent.answer(session, ['ask_other', { response: 'red' }])).toMatchObject({
      ok: false,
      error: { code: 'ASK_NOT_FOUND' },
    })
    const twice = await Promise.all([
      agent.answer(session, [ask, { response: 'red' }]),
      agent.answer(session, [ask, { response: 'blue' }]),
    ])
    expect(twice.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await agent.say('and?', session)).text).toBe('it is so')
    expect(only(await agent.journal(session), 'input_answered')).toHaveLength(1)
  })

  test('may come from a tool with an effect, which is not run again for it', async () => {
    let ran = 0
    const agent = await startTestAgent({
      script: ({ said, results }) =>
        said === 'order' && results['q'] === undefined
          ? { calls: [{ name: 'order', id: 'q' }] }
          : { text: 'ordered' },
      tools: [
        writes('order', () => {
          ran++
          return { status: 'asks', question }
        }),
      ],
    })
    const { session } = await agent.say('order')
    expect(
      await agent.answer(session, [(await agent.asks(session))[0], { response: 'red' }]),
    ).toMatchObject({ ok: true })
    await agent.say('thanks', session)
    expect(ran).toBe(1)
    expect(outcomes(await agent.journal(session))).toEqual({ q: 'success' })
  })
})

describe('messages', () => {
  test('two at once are both answered, in order', async () => {
    const agent = await startTestAgent({ script: ({ said }) => ({ text: `re: ${said}` }) })
    const { session } = await agent.say('zero')
    const turns = await Promise.all(['one', 'two', 'three'].map((text) => agent.say(text, session)))
    expect(turns.map(({ text }) => text)).toEqual(['re: one', 're: two', 're: three'])
    expect(only(await agent.journal(session), 'user_message').map(({ text }) => text)).toEqual([
      'zero',
      'one',
      'two',
      'three',
    ])
  })

  test('one that comes during a turn never lands between a call and its outcome', async () => {
    const working = gate()
    const agent = await startTestAgent({
      script: ({ said, results }) =>
        said === 'first' && Object.keys(results).length === 0
          ? { calls: [{ name: 'work', id: 'w' }] }
          : { text: `re: ${said}` },
      tools: [
        writes('work', async () => {
          await working.opened
          return success(1)
        }),
      ],
    })
    const first = await agent.send('first')
    const second = agent.say('second', first.session)
    await expect.poll(() => agent.model.asked.length).toBe(1)
    working.open()
    expect((await second).text).toBe('re: second')
    expect(await agent.kinds(first.session)).toEqual([
      'user_message',
      'model_reply',
      'tool_intent',
      'tool_outcome',
      'model_reply',
      'run_ended',
      'user_message',
      'model_reply',
      'run_ended',
    ])
  })

  test('one that comes while a turn waits for a person waits too, and is told so', async () => {
    const agent = await startTestAgent({
      script: ({ said, results }) =>
        said === 'ask' && results['q'] === undefined
          ? { calls: [{ name: 'ask_user', id: 'q' }] }
          : { text: `re: ${said}` },
      tools: [
        reads('ask_user', () => ({
          status: 'asks',
          question: {
            type: 'question',
            schema: { type: 'object' },
            context: { question: 'well?' },
          },
        })),
      ],
    })
    const { session } = await agent.say('ask')
    const later = await agent.send('later', session)
    expect(later.isBehindQuestion).toBe(true)
    expect(agent.model.asked).toHaveLength(1)
    await agent.answer(session, [(await agent.asks(session))[0], { response: 'yes' }])
    const seen: string[] = []
    for await (const { event } of later.frames)
      seen.push(event.type === 'text_delta' ? event.content : event.type)
    expect(seen).toEqual(['init', 're: later', 'done'])
    expect(only(await agent.journal(session), 'run_ended')).toHaveLength(2)
  })

  test('an empty one is refused before anything is kept', async () => {
    const agent = await startTestAgent()
    expect(await agent.face.send({ text: ' \n' })).toMatchObject({
      ok: false,
      error: { code: 'VALIDATION_ERROR' },
    })
    expect(await agent.face.send({ text: 'hi', session: sessionId('sess_unknown') })).toMatchObject(
      { ok: false, error: { code: 'SESSION_NOT_FOUND' } },
    )
  })
})
