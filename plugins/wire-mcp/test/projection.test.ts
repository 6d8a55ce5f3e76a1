import { askId, type AgentEvent, type JsonObject, type PendingAsk } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { declinedAnswer } from '@amodal/sdk/wire'
import { answerOf, formOf } from '../src/ask-form.ts'
import { toldOf } from '../src/progress.ts'

test('events become progress and messages of the log', () => {
  const events: readonly AgentEvent[] = [
    { type: 'init', session_id: 's' },
    { type: 'text_delta', content: 'One ' },
    { type: 'text_delta', content: 'moment.' },
    { type: 'reasoning_delta', content: 'hm' },
    { type: 'tool_call_start', tool_name: 'find', tool_id: 't', parameters: {} },
    { type: 'tool_log', tool_name: 'find', message: 'looking' },
    { type: 'tool_call_result', tool_id: 't', status: 'error', error: 'gone' },
    { type: 'warning', message: 'careful' },
    { type: 'plugin.event', data: null },
    { type: 'text_delta', content: 'No.' },
    { type: 'done', reason: 'model_stop' },
  ]
  expect(toldOf(events)).toEqual([
    { kind: 'progress', message: 'One moment.' },
    { kind: 'progress', message: 'Calling (find)' },
    { kind: 'log', level: 'info', logger: 'find', data: 'looking' },
    { kind: 'progress', message: 'A tool failed: gone' },
    { kind: 'log', level: 'warning', logger: 'agent', data: 'careful' },
    { kind: 'progress', message: 'No.' },
  ])
})

const asked = (schema: JsonObject, type: PendingAsk['type'] = 'question'): PendingAsk => ({
  id: askId('a'),
  type,
  schema,
  context: { question: 'Which?' },
})

test('several answers are one flat form, and go back into their places', () => {
  const ask = asked({
    type: 'object',
    properties: {
      answers: {
        type: 'object',
        properties: {
          q1: { type: 'string', maxLength: 10 },
          q2: { type: 'array', items: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] } },
          q3: { type: 'object' },
        },
        required: ['q1'],
      },
    },
    required: ['answers'],
  })
  expect(formOf(ask)).toEqual({
    message: 'Which?',
    requestedSchema: {
      type: 'object',
      properties: {
        q1: { type: 'string', maxLength: 10 },
        q2: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
        q3: { type: 'string', description: '(JSON)' },
      },
      required: ['q1'],
    },
  })
  expect(answerOf(ask, { q1: 'x', q2: ['a'], q3: '{"b":1}' })).toEqual({
    answers: { q1: 'x', q2: ['a'], q3: { b: 1 } },
  })
})

test('who declines says no to an approval, ends a run, and leaves a question open', () => {
  expect(declinedAnswer(asked({}, 'approval').type)).toEqual({ approved: false })
  expect(declinedAnswer(asked({}, 'continue_or_finish').type)).toEqual({ action: 'finish' })
  expect(declinedAnswer(asked({}).type)).toBeUndefined()
})
