import type { RunProgress, RunQuestion } from '@amodal/sdk/client'
import { expect, test } from 'vitest'
import { cutAt, excerptOf } from '../ui/model/citation-source.ts'
import { askOf, extensionsOf, inputOf, misfitIn } from '../ui/model/run-asks.ts'
import { figuresOf, stepsOf } from '../ui/model/run-events.ts'
import { formFields, typedValue } from '../ui/model/run-form.ts'
import { durationOf } from '../ui/model/run-duration.ts'

const timestamp = '2026-05-01T10:00:00.000Z'
const tokens = { input: 10, output: 2, cacheRead: 4, cacheCreate: 0 }
const EVENTS: readonly RunProgress[] = [
  { type: 'thinking', text: 'First the notes.', timestamp },
  { type: 'tool_start', toolId: 'notes', callId: 'a', inputSummary: '{}', timestamp },
  { type: 'tool_start', toolId: 'pay', callId: 'b', inputSummary: '{"amount":7}', timestamp },
  {
    type: 'tool_complete',
    toolId: 'notes',
    callId: 'a',
    durationMs: 12,
    resultSummary: 'read',
    timestamp,
  },
  {
    type: 'paused',
    ask_id: 'ask_1',
    pending_input_type: 'approval',
    pending_input_context: { reason: 'asks_before_it_runs', tool_use_id: 'b' },
    timestamp,
  },
]
const PAID: RunProgress = {
  type: 'tool_error',
  toolId: 'pay',
  callId: 'b',
  durationMs: 5,
  error: 'declined',
  timestamp,
}

test('a call is one step, from its start over a question to its outcome', () => {
  const callsIn = (events: readonly RunProgress[]) =>
    stepsOf(events).flatMap((step) =>
      step.kind === 'call' ? [[step.tool, step.status, step.outcome]] : [],
    )
  expect(callsIn(EVENTS)).toEqual([
    ['notes', 'done', 'read'],
    ['pay', 'waiting', undefined],
  ])
  expect(callsIn([...EVENTS, PAID])[1]).toEqual(['pay', 'failed', 'declined'])
  expect(stepsOf(EVENTS).at(-1)).toMatchObject({ kind: 'pause', question: 'asks before it runs' })
})

test('turns, tools and tokens are counted from the events', () => {
  const turn = (number: number): RunProgress => ({
    type: 'turn_complete',
    turn: number,
    tokensUsed: tokens,
    timestamp,
  })
  expect(figuresOf([...EVENTS, PAID, turn(1), turn(2)])).toEqual({
    turns: 2,
    tools: [
      ['notes', 1],
      ['pay', 1],
    ],
    tokens: { input: 20, output: 4, cacheRead: 8, cacheCreate: 0 },
  })
})

const pendingOf = (
  type: RunQuestion['pending_input_type'],
  properties: RunQuestion['pending_input_schema'],
  context: RunQuestion['pending_input_context'] = {},
): RunQuestion => ({
  ask_id: 'ask_1',
  pending_input_type: type,
  pending_input_schema: { type: 'object', properties, required: Object.keys(properties) },
  pending_input_context: context,
})

test('questions have the controls of a conversation, and their answers fit the schema', () => {
  const choice = pendingOf(
    'question',
    {
      response: {
        type: 'string',
        enum: ['a', 'b'],
        oneOf: [
          { const: 'a', title: 'The first' },
          { const: 'b', title: 'The second' },
        ],
      },
    },
    { question: 'Which?' },
  )
  expect(askOf(choice)).toMatchObject({
    kind: 'question',
    questions: [
      { text: 'Which?', type: 'choice', options: [{ label: 'The first', value: 'a' }, {}] },
    ],
  })
  expect(inputOf(choice, { id: 'ask_1', answers: { response: 'a' } })).toEqual({ response: 'a' })
  const several = pendingOf(
    'form',
    {
      answers: {
        type: 'object',
        properties: { q1: { type: 'string' }, q2: { type: 'boolean' } },
      },
    },
    { question: 'Who?\nReally?' },
  )
  expect(askOf(several)).toMatchObject({
    questions: [
      { id: 'q1', text: 'Who?', type: 'text' },
      { id: 'q2', text: 'Really?', type: 'boolean' },
    ],
  })
  const answers = { q1: 'Ann', q2: true }
  expect(inputOf(several, { id: 'ask_1', answers })).toEqual({ answers })
  expect(askOf(pendingOf('form', { copies: { type: 'integer' } }))).toBeUndefined()
})

test('an approval says where its call goes, and a refusal carries what to do instead', () => {
  const pending = pendingOf(
    'approval',
    { approved: { type: 'boolean' } },
    { connection_name: 'books', method: 'POST', endpoint: '/pay', params: { amount: 7 } },
  )
  expect(askOf(pending)).toMatchObject({ kind: 'approval', target: 'books POST /pay' })
  expect(inputOf(pending, { id: 'ask_1', approved: false, feedback: 'less' })).toEqual({
    approved: false,
    feedback: 'less',
  })
})

test('a limit is extended by what its schema allows, and by what the server proposes', () => {
  const turns = { action: {}, additional_turns: { type: 'integer', minimum: 1, maximum: 50 } }
  expect(extensionsOf(pendingOf('continue_or_finish', turns))).toEqual([
    { name: 'additional_turns', isInteger: true, least: 1, most: 50, proposed: 10 },
  ])
  const cost = { additional_cost: { type: 'number', minimum: 0 } }
  expect(
    extensionsOf(pendingOf('continue_or_finish', cost, { additional_cost: 0.25 })),
  ).toMatchObject([{ isInteger: false, proposed: 0.25 }])
})

test('what the server says of an answer stands at the field that it names', () => {
  expect(misfitIn('answer.copies: must be from 1 to 9', ['copies'])).toEqual({
    field: 'copies',
    text: 'must be from 1 to 9',
  })
  expect(misfitIn('answer.to[1].name: is missing', ['to'])).toEqual({
    field: 'to',
    text: '[1].name: is missing',
  })
  expect(misfitIn('answer.more: is not known', ['to'])).toEqual({
    field: undefined,
    text: 'answer.more: is not known',
  })
})

test('what is typed into a form becomes a value of its type, or says why it is none', () => {
  const schema = pendingOf('form', {
    copies: { type: 'integer', title: 'How many' },
    note: { type: 'string', maxLength: 5_000 },
    tags: { type: 'array' },
  }).pending_input_schema
  const [copies, note, tags] = formFields({ ...schema, required: ['copies'] })
  if (!copies || !note || !tags) throw new Error('a field is missing')
  expect([copies.label, note.kind, tags.kind]).toEqual(['How many', 'long', 'json'])
  expect(typedValue(copies, ' 2 ')).toEqual({ kind: 'value', value: 2 })
  expect(typedValue(copies, 'two')).toEqual({ kind: 'wrong', why: 'number' })
  expect(typedValue(copies, '')).toEqual({ kind: 'wrong', why: 'missing' })
  expect(typedValue(note, '')).toEqual({ kind: 'empty' })
  expect(typedValue(tags, '["a"]')).toEqual({ kind: 'value', value: ['a'] })
  expect(typedValue(tags, '[a')).toEqual({ kind: 'wrong', why: 'json' })
})

test('a quote is found at its place, or where it stands now', () => {
  const text = 'It failed. Then it failed again.'
  expect(cutAt(text, 'failed', 19)?.before).toBe('It failed. Then it ')
  expect(cutAt(text, 'failed', 400)?.before).toBe('It ')
  expect(cutAt(text, 'burned', 3)).toBeUndefined()
  const long = { before: 'word '.repeat(400), quote: 'failed', after: ' word'.repeat(400) }
  const { before, after } = excerptOf(long)
  expect(before).toMatch(/^… word (word )+$/)
  expect(after).toMatch(/^( word)+ …$/)
  expect(before.length).toBeLessThan(700)
  const short = { before: 'a ', quote: 'failed', after: ' b' }
  expect(excerptOf(short)).toEqual(short)
})

test('a run takes time from its beginning to its end', () => {
  const from = Date.parse(timestamp)
  const run = { started_at: timestamp, completed_at: null }
  expect(durationOf(run, from + 500)).toBe(500)
  expect(durationOf({ ...run, completed_at: '2026-05-01T10:00:02.000Z' }, from + 9_000)).toBe(2_000)
  expect(durationOf({ ...run, started_at: null }, from)).toBeUndefined()
})
