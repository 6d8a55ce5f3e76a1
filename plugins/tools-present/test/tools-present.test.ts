import {
  askId,
  definePlugin,
  use,
  Widgets,
  type AgentEvent,
  type JsonObject,
  type PendingAsk,
} from '@amodal/sdk'
import { pluginContract, reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { toolsPresent } from '../src/index.ts'
import { scene, twice } from './support.ts'

const present = (widget_type: string, data: object) => ({
  name: 'present',
  arguments: { widget_type, data },
})
const card = { title: 'Disk full', severity: 'error' }
const of = <K extends AgentEvent['type']>(events: readonly AgentEvent[], type: K) =>
  events.filter((event): event is Extract<AgentEvent, { type: K }> => event.type === type)

pluginContract(toolsPresent, { config: { questionSeconds: 60 } })

describe('present', () => {
  test('shows a widget after its result, and again whenever the session is read', async () => {
    await using desk = await scene(reply.toolsThenText(present('info-card', card), 'There it is.'))
    const { live, again } = await twice(desk.face, 'Show me')
    expect(of(live, 'widget')).toEqual([{ type: 'widget', widget_type: 'info-card', data: card }])
    const types = live.map(({ type }) => type)
    expect(types.indexOf('widget')).toBeGreaterThan(types.indexOf('tool_call_result'))
    expect(of(again, 'widget')).toEqual(of(live, 'widget'))
    expect(desk.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: '{"shown":"info-card"}',
    })
  })

  test.each([
    ['info-card', card],
    ['data-table', { columns: ['a', 'b'], rows: [['x', 1], { a: 'y', b: null }] }],
    ['metric', { label: 'Users', value: 7, change: '+2' }],
    ['entity-card', { title: 'Ann', fields: { team: 'Ops', since: 2020 } }],
    [
      'timeline',
      {
        title: 'Outage',
        events: [{ time: '09:00', title: 'Began', status: 'error' }, { title: 'Over' }],
      },
    ],
  ])('knows the kind %s', async (kind, data) => {
    await using desk = await scene(reply.toolsThenText(present(kind, data), 'There it is.'))
    expect(of((await twice(desk.face, 'Show me')).live, 'widget')).toEqual([
      { type: 'widget', widget_type: kind, data },
    ])
  })

  test('shows several in one step', async () => {
    await using desk = await scene(
      reply.toolsThenText(
        [
          present('metric', { label: 'Users', value: 7 }),
          present('metric', { label: 'Errors', value: null }),
        ],
        'Two.',
      ),
    )
    expect(of((await twice(desk.face, 'Show me')).again, 'widget').map(({ data }) => data)).toEqual(
      [
        { label: 'Users', value: 7 },
        { label: 'Errors', value: null },
      ],
    )
  })

  test.each([
    [
      present('info-card', { body: 'no title' }),
      'info-card: data.title: Invalid input: expected string',
    ],
    [present('data-table', {}), /data-table: data\.columns: .*; data\.rows: /],
    [
      present('pie-chart', { title: 'x' }),
      'widget_type: Invalid option: expected one of "info-card"|"data-table"|"metric"|"entity-card"|"timeline"',
    ],
    [present('info-card', { title: 'x', severity: 'bad' }), /^info-card: data\.severity: /],
    [present('data-table', { columns: ['a'], rows: ['b'] }), /^data-table: data\.rows\.0: /],
    [present('metric', { label: 'Users', value: { n: 7 } }), /^metric: data\.value: /],
    [present('entity-card', { title: 'Ann', fields: [] }), /^entity-card: data\.fields: /],
    [present('timeline', { events: [{ time: '09:00' }] }), /^timeline: data\.events\.0\.title: /],
    [
      { name: 'present', arguments: { widget_type: 'metric', data: 'many' } },
      'data: Invalid input: expected record, received string',
    ],
  ])('tells the model what is missing, and shows nothing: %j', async (call, message) => {
    await using desk = await scene(reply.toolsThenText(call, 'Sorry.'))
    const { live } = await twice(desk.face, 'Show me')
    expect(of(live, 'widget')).toEqual([])
    expect(of(live, 'tool_call_result')).toMatchObject([
      {
        status: 'error',
        error: (typeof message === 'string'
          ? expect.stringContaining(message)
          : expect.stringMatching(message)) as string,
      },
    ])
  })

  test('offers what other plugins add', async () => {
    const gauge = {
      type: 'gauge',
      schema: { type: 'object', properties: { steps: { type: 'array' } }, required: ['steps'] },
    }
    const more = definePlugin({
      name: 'more',
      version: '1.0.0',
      setup: ({ add }) => add(Widgets, 'gauge', gauge),
    })
    await using desk = await scene(
      reply.toolsThenText(present('gauge', { steps: [1, 2] }), 'There.'),
      {},
      [use(more)],
    )
    expect(of((await twice(desk.face, 'Show me')).live, 'widget')).toMatchObject([
      { widget_type: 'gauge' },
    ])
    const tool = desk.model.requests[0]?.body.tools?.find(
      ({ function: { name } }) => name === 'present',
    )
    expect(tool?.function.description).toContain(`gauge: ${JSON.stringify(gauge.schema)}`)
    expect(JSON.stringify(tool?.function.parameters)).toContain('"gauge"')
  })
})

describe('stop_execution', () => {
  const stop = { name: 'stop_execution', arguments: { reason: 'all done' } }

  test('ends the turn: the model is not asked again', async () => {
    await using desk = await scene(reply.toolCalls(stop, { before: 'Goodbye.' }))
    const { live } = await twice(desk.face, 'Finish')
    expect(live.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(
      of(live, 'text_delta')
        .map(({ content }) => content)
        .join(''),
    ).toBe('Goodbye.')
    expect(of(live, 'tool_call_start')).toMatchObject([{ internal: true }])
    expect(desk.model.count).toBe(1)
  })

  test('lets the other calls of its step run first', async () => {
    await using desk = await scene(reply.toolCalls([stop, present('info-card', card)]))
    const { live } = await twice(desk.face, 'Finish')
    expect(of(live, 'widget')).toHaveLength(1)
    expect(of(live, 'tool_call_result').map(({ status }) => status)).toEqual(['success', 'success'])
    expect(desk.model.count).toBe(1)
  })

  test('ends this turn only', async () => {
    await using desk = await scene((_request, n) =>
      n === 0 ? reply.toolCalls(stop) : reply.text('Still here.'),
    )
    const first = await desk.face.ask({ text: 'Finish' })
    const second = await desk.face.ask({
      text: 'Hello?',
      ...(first.ok && { session: first.value.session }),
    })
    expect(second).toMatchObject({ ok: true, value: { text: 'Still here.', reason: 'model_stop' } })
    // A history that a provider would refuse is refused by this one, too.
    expect(desk.model.requests.at(-1)?.body.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })
})

describe('ask_user', () => {
  const options = [
    { label: 'Europe', value: 'eu' },
    { label: 'America', value: 'us' },
  ]
  const asking = (more: object = {}) =>
    reply.toolsThenText(
      { name: 'ask_user', arguments: { question: 'Which region?', ...more } },
      'Thank you.',
    )

  test('waits for a person, whose answer is its outcome', async () => {
    await using desk = await scene(asking())
    const turn = await desk.face.ask({ text: 'Deploy' })
    const [ask] = turn.ok ? turn.value.pending : []
    expect(turn).toMatchObject({
      ok: true,
      value: {
        reason: undefined,
        pending: [{ type: 'question', context: { question: 'Which region?' } }],
      },
    })
    expect(turn.ok && of(turn.value.events, 'ask_user')).toMatchObject([
      { ask_id: ask?.id, questions: [{ id: 'q1', text: 'Which region?', type: 'text' }] },
    ])
    expect(desk.model.count).toBe(1)
    await answer(desk, turn, { response: 'The nearest one' })
    expect(desk.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'The nearest one',
    })
  })

  test('offers options, and takes nothing else', async () => {
    await using desk = await scene(asking({ options }))
    const turn = await desk.face.ask({ text: 'Deploy' })
    expect(turn.ok && of(turn.value.events, 'ask_choice')).toEqual([
      {
        type: 'ask_choice',
        ask_id: turn.ok ? turn.value.pending[0]?.id : '',
        question: 'Which region?',
        options,
      },
    ])
    const [ask] = turn.ok ? turn.value.pending : []
    const session = turn.ok ? turn.value.session : expect.fail('it was sent')
    for (const wrong of [{ response: 'asia' }, { response: 7 }, {}, { response: 'eu', more: 1 }]) {
      expect(
        await desk.face.answer(session, [{ id: askId(ask?.id ?? ''), answer: wrong }]),
      ).toMatchObject({ ok: false, error: { code: 'ANSWER_INVALID' } })
    }
    await answer(desk, turn, { response: 'eu' })
    expect(desk.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ content: 'eu' })
  })

  test.each([
    [
      { options: ['Europe', { label: 'America' }] },
      {
        question: 'Which region?',
        options: [
          { label: 'Europe', value: 'Europe' },
          { label: 'America', value: 'America' },
        ],
      },
      { response: 'America' },
      'America',
    ],
    [
      { options, type: 'multi' },
      { question: 'Which region?', options, multi: true },
      { response: ['eu', 'us'] },
      '{"response":["eu","us"]}',
    ],
    [
      { type: 'boolean' },
      { questions: [{ id: 'q1', text: 'Which region?', type: 'boolean' }] },
      { response: true },
      '{"response":true}',
    ],
    [
      {
        question: undefined,
        questions: [
          { text: 'Where?', options },
          { text: 'Now?', type: 'boolean' },
          { text: 'Why?' },
        ],
      },
      {
        questions: [
          { id: 'q1', text: 'Where?', type: 'choice', options },
          { id: 'q2', text: 'Now?', type: 'boolean' },
          { id: 'q3', text: 'Why?', type: 'text' },
        ],
      },
      { answers: { q1: 'eu', q2: false, q3: 'Because' } },
      '{"answers":{"q1":"eu","q2":false,"q3":"Because"}}',
    ],
  ])('takes questions of every kind: %j', async (more, event, given, outcome) => {
    await using desk = await scene(asking(more))
    const turn = await desk.face.ask({ text: 'Deploy' })
    expect(
      turn.ok && turn.value.events.find(({ type }) => type === 'ask_user' || type === 'ask_choice'),
    ).toMatchObject(event)
    await answer(desk, turn, given)
    expect(desk.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: outcome,
    })
  })

  test('expires where it is told to', async () => {
    await using desk = await scene(asking(), { questionSeconds: 1 })
    const turn = await desk.face.ask({ text: 'Deploy' })
    const [ask] = turn.ok ? turn.value.pending : []
    expect(ask?.expires_at).toBeGreaterThan(Date.now())
    await expect
      .poll(() => desk.model.requests.at(-1)?.body.messages.at(-1))
      .toMatchObject({ role: 'tool', content: 'Nobody answered in time.' })
    expect(
      await desk.face.answer(turn.ok ? turn.value.session : expect.fail(), [
        { id: askId(ask?.id ?? ''), answer: { response: 'late' } },
      ]),
    ).toMatchObject({ ok: false, error: { code: 'ASK_NOT_FOUND' } })
  })

  test.each([
    [{ question: '' }, 'question: Too small'],
    [{ options: [{ value: 'x' }] }, 'options.0'],
    [{ questions: [{ text: 'Where?' }] }, 'give either `question` or `questions`'],
  ])('is told what is wrong with its arguments: %j', async (more, message) => {
    await using desk = await scene(asking(more))
    const { live } = await twice(desk.face, 'Deploy')
    expect(of(live, 'tool_call_result')).toMatchObject([
      { status: 'error', error: expect.stringContaining(message) as string },
    ])
  })
})

type Asked = Awaited<ReturnType<Awaited<ReturnType<typeof scene>>['face']['ask']>>

/** Answers the one question that is open, and waits for the turn to end. */
async function answer(
  { face }: Awaited<ReturnType<typeof scene>>,
  turn: Asked,
  said: JsonObject,
): Promise<void> {
  if (!turn.ok) throw new Error(turn.error.message)
  const {
    session,
    pending: [ask],
  } = turn.value
  const open: PendingAsk = ask ?? expect.fail('nothing was asked')
  expect(await face.answer(session, [{ id: open.id, answer: said }])).toMatchObject({
    ok: true,
    value: { settled: [open.id] },
  })
  await expect
    .poll(async () => {
      const view = await face.session(session)
      return view.ok && view.value.entries.at(-1)?.kind
    })
    .toBe('run_ended')
}
