import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../src/agent-event.ts'
import {
  askOfPending,
  historyItems,
  messagesOf,
  turnItems,
  type Item,
} from '../src/client/timeline/index.ts'
import { Transcript } from '../src/client/transcript.ts'

/** The items of events as a stream has them: the last one of an entry has its number alone. */
function itemsOf(...entries: readonly (readonly AgentEvent[])[]): readonly Item[] {
  const transcript = new Transcript()
  entries.forEach((events, entry) =>
    events.forEach((event, at) => {
      const isLast = at === events.length - 1
      transcript.push({
        ...event,
        timestamp: '2026-11-22T10:00:00.000Z',
        frame: {
          seq: isLast ? entry + 1 : entry,
          fencingToken: 0,
          attempt: 0,
          n: isLast ? 0 : at + 1,
        },
      })
    }),
  )
  return turnItems('t', transcript.events)
}

const text = (content: string): AgentEvent => ({ type: 'text_delta', content })
const call = (tool_id: string, tool_name = 'pay'): AgentEvent => ({
  type: 'tool_call_start',
  tool_id,
  tool_name,
  parameters: { amount: 1 },
  running_label: 'Paying',
  completed_label: 'Paid',
})
const result = (tool_id: string): AgentEvent => ({
  type: 'tool_call_result',
  tool_id,
  status: 'success',
  result: 'ok',
  duration_ms: 12,
})
const done: AgentEvent = { type: 'done', reason: 'model_stop' }
const confirm = (
  id: string,
  tool_id: string,
  more: Partial<Extract<AgentEvent, { readonly type: 'confirmation_required' }>> = {},
): AgentEvent => ({
  type: 'confirmation_required',
  id,
  correlation_id: id,
  tool_id,
  tool_name: 'pay',
  endpoint: 'pay',
  method: 'CALL',
  reason: 'It costs money',
  escalated: false,
  tier: 'confirm',
  params: { amount: 1 },
  connection_name: '',
  pending_input_type: 'approval',
  pending_input_schema: {},
  pending_input_context: {},
  ...more,
})
const open = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => (item.kind === 'ask' && item.open ? [item.key] : []))
const states = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => (item.kind === 'call' ? [item.status] : []))

describe('a turn', () => {
  test('is text, calls and what they came to, in the order in which they happened', () => {
    const items = itemsOf(
      [text('One '), text('moment.'), call('c1')],
      [result('c1'), { type: 'widget', widget_type: 'metric', data: { label: 'Paid', value: 1 } }],
      [text('Done.')],
      [done],
    )
    expect(items.map(({ kind }) => kind)).toEqual(['text', 'call', 'widget', 'text', 'end'])
    expect(items[0]).toMatchObject({ text: 'One moment.' })
    expect(items[1]).toMatchObject({ label: 'Paid', status: 'success', ms: 12, result: 'ok' })
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
  })

  test('forgets what a reset takes back', () => {
    const items = itemsOf(
      [text('The first'), { type: 'reset', after_seq: 0 }, text('The second')],
      [done],
    )
    expect(items.flatMap((item) => (item.kind === 'text' ? [item.text] : []))).toEqual([
      'The second',
    ])
  })

  test('of which a call is never answered ends with that call unfinished', () => {
    expect(states(itemsOf([call('c1')], [{ type: 'done', reason: 'user_abort' }]))).toEqual([
      'stopped',
    ])
  })

  test('shows progress with the call that makes it', () => {
    const [first] = itemsOf([
      call('c1'),
      { type: 'tool_log', tool_name: 'pay', message: 'half' },
      {
        type: 'subagent_event',
        parent_tool_id: 'c1',
        agent_name: 'scout',
        event_type: 'thought',
        text: 'hm',
      },
    ])
    expect(first).toMatchObject({ log: ['half', 'scout · hm'] })
  })
})

describe('what waits for a person', () => {
  test('is each approval for itself, until it is given, its call has come to something, or the turn goes on', () => {
    const both = [call('c1'), call('c2'), confirm('a1', 'c1'), confirm('a2', 'c2')]
    expect([open(itemsOf(both)), states(itemsOf(both))]).toEqual([
      ['a1', 'a2'],
      ['waiting', 'waiting'],
    ])
    const approved = itemsOf(both, [
      { type: 'approved', resource_type: 'tool_call', preview_id: 'a1' },
    ])
    expect([open(approved), states(approved)]).toEqual([['a2'], ['running', 'waiting']])
    expect(open(itemsOf(both, [result('c2')]))).toEqual(['a1'])
    expect(open(itemsOf(both, [text('Well.')]))).toEqual([])
  })

  test('is a question, or whether to go on at a limit', () => {
    const question = itemsOf(
      [call('c1', 'ask_user')],
      [{ type: 'ask_user', ask_id: 'q', questions: [{ id: 'q1', text: 'Where?' }] }],
    )
    expect([open(question), states(question)]).toEqual([['q'], ['waiting']])
    const limit = itemsOf([
      confirm('l', '', {
        pending_input_type: 'continue_or_finish',
        pending_input_context: { reason: 'max_turns', limit: 15, used: 15 },
      }),
    ])
    expect(limit).toMatchObject([
      { ask: { kind: 'limit', reason: 'max_turns', limit: '15', used: '15' }, open: true },
    ])
  })
})

test('a session that is read again shows calls with their time and what they emitted', () => {
  const at = { timestamp: '2026-11-22T10:00:00.000Z', seq: 2 }
  const items = historyItems([
    { ...at, id: 'h0', role: 'user', type: 'user', text: 'Show me', seq: 1 },
    {
      ...at,
      id: 'h1',
      role: 'assistant',
      type: 'assistant_text',
      text: '',
      toolCalls: [
        {
          toolId: 'c1',
          toolName: 'look',
          parameters: {},
          result: { deals: 2 },
          status: 'success',
          duration_ms: 7,
          events: [{ type: 'widget', widget_type: 'metric', data: {}, timestamp: at.timestamp }],
        },
        { toolId: 'c2', toolName: 'pay', parameters: {} },
      ],
    },
  ])
  expect(items.map(({ kind }) => kind)).toEqual(['user', 'call', 'widget', 'call'])
  expect(items[1]).toMatchObject({ ms: 7, status: 'success', result: '{\n  "deals": 2\n}' })
  expect(states(items)).toEqual(['success', 'stopped'])
})

test('what came of an approval is known by its outcome, and by the session when it is read again', () => {
  const at = '2026-11-22T10:00:00.000Z'
  const settled = (...events: readonly AgentEvent[]) =>
    itemsOf([call('c1'), confirm('a1', 'c1')], events).flatMap((item) =>
      item.kind === 'ask' ? [item.settled] : [],
    )
  const failed = (error: string): AgentEvent => ({
    type: 'tool_call_result',
    tool_id: 'c1',
    status: 'error',
    error,
  })
  expect(settled({ type: 'approved', resource_type: 'tool_call', preview_id: 'a1' })).toEqual([
    { decision: 'approved', at },
  ])
  expect(settled(failed('The person declined this call.'))).toEqual([{ decision: 'declined', at }])
  expect(settled(failed('The person declined this call and said: not now'))).toEqual([
    { decision: 'declined', at, feedback: 'not now' },
  ])
  expect(settled(failed('Nobody answered in time.'))).toEqual([{ decision: 'expired', at }])
  expect(settled(failed('cancelled'))).toEqual([{ decision: 'stopped', at }])

  const approval = {
    ask_id: 'a1',
    decision: 'declined' as const,
    by: 'user:ann',
    at,
    feedback: 'not now',
  }
  const items = historyItems(
    [
      {
        id: 'h1',
        role: 'assistant',
        type: 'assistant_text',
        text: '',
        timestamp: at,
        seq: 2,
        toolCalls: [
          { toolId: 'c1', toolName: 'pay', parameters: { amount: 1 }, status: 'error', approval },
        ],
      },
    ],
    {
      approvals: [
        {
          ...approval,
          ['asked']: {
            connection_name: 'bank',
            method: 'POST',
            endpoint: '/pay',
            reason: 'It is a lot',
            params: { amount: 1 },
            tool_use_id: 'c1',
            batch: 2,
          },
          asked_at: at,
        },
      ],
    },
  )
  expect(items).toMatchObject([
    { kind: 'call' },
    {
      kind: 'ask',
      key: 'a1',
      open: false,
      ask: {
        kind: 'approval',
        tool: 'pay',
        target: 'bank POST /pay',
        reason: 'It is a lot',
        params: { amount: 1 },
        details: { batch: 2 },
      },
      settled: { decision: 'declined', by: 'user:ann', feedback: 'not now' },
    },
  ])
})

test('what a session waits for is the same from its details as from its stream', () => {
  const context = {
    connection_name: 'bank',
    method: 'POST',
    endpoint: '/pay',
    reason: 'It is a lot',
    params: { amount: 1 },
    grant: { endpoint: 'POST /pay' },
    batch: 2,
  }
  const [, streamed] = itemsOf([
    call('c1'),
    confirm('a1', 'c1', {
      connection_name: 'bank',
      method: 'POST',
      endpoint: '/pay',
      reason: 'It is a lot',
      pending_input_context: context,
    }),
  ])
  const pending = { id: 'a1', pending_input_schema: {}, pending_input_context: context }
  expect(streamed).toMatchObject({
    ask: askOfPending({ ...pending, pending_input_type: 'approval', tool_id: 'c1' }, 'pay'),
  })
  expect(
    askOfPending({
      id: 'q',
      pending_input_type: 'question',
      pending_input_schema: {},
      pending_input_context: { question: 'Where?' },
    }),
  ).toEqual({ id: 'q', kind: 'question', questions: [{ id: 'q', text: 'Where?' }] })
})

test('messages hold what the agent did until the next one, and stay the same objects', () => {
  const turn = itemsOf([text('One '), call('c1')], [result('c1'), text('Done.')], [done])
  const person = (key: string): Item => ({ kind: 'user', key, text: key })
  const messages = messagesOf([person('hello'), ...turn, person('more')])
  expect(messages.map(({ role, text: words }) => [role, words])).toEqual([
    ['user', 'hello'],
    ['assistant', 'One \n\nDone.'],
    ['user', 'more'],
  ])
  const [first, second] = messages
  const [third, fourth, last] = messagesOf(
    [...messages.flatMap(({ parts }) => parts), { kind: 'text', key: 't', text: 'Well' }],
    messages,
  )
  expect([third === first, fourth === second, last === messages[2]]).toEqual([true, true, true])
})
