import { defineTool } from '@amodal/sdk'
import { reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { framesOf, serving } from './support/serving.ts'

/** A tool with an effect that a person has to approve. */
function payment() {
  const paid: number[] = []
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    readOnly: false,
    tier: 'confirm',
    input: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      paid.push(amount)
      return { status: 'success', output: { paid: amount } }
    },
  })
  return { tool, paid }
}
const payThen = reply.toolsThenText({ name: 'pay', arguments: { amount: 7 } }, 'Paid.')

test('an approval waits, and its answer is checked before it is kept', async () => {
  const { tool, paid } = payment()
  const server = await serving({ script: payThen, tools: [tool] })
  const id = await server.run('pay')
  const waiting = await server.until(id, 'awaiting_input')
  expect(waiting['pending_input']).toMatchObject({
    pending_input_type: 'approval',
    pending_input_schema: { required: ['approved'] },
    pending_input_context: { tool_use_id: expect.any(String) },
  })
  const wrong = await server.post(`/agents/${id}/resume`, { input: { approved: 'perhaps' } })
  expect(wrong).toMatchObject({
    status: 400,
    body: { status: 'invalid_input', validation_error: expect.stringMatching(/approved/) },
  })
  expect((await server.get(`/agents/${id}/status`)).body['status']).toBe('awaiting_input')
  const right = await server.post(`/agents/${id}/resume`, { input: { approved: true } })
  expect(right).toMatchObject({
    status: 200,
    body: { status: 'queued', session_id: id, job_id: `agent-session-${id}-resume` },
  })
  expect(await server.until(id, 'complete')).toMatchObject({ result_summary: 'Paid.' })
  expect(paid).toEqual([7])
})

test('two answers at once are one answer and one conflict', async () => {
  const { tool, paid } = payment()
  const server = await serving({ script: payThen, tools: [tool] })
  const id = await server.run('pay')
  await server.until(id, 'awaiting_input')
  const both = await Promise.all(
    [true, true].map((approved) => server.post(`/agents/${id}/resume`, { input: { approved } })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(both.find(({ status }) => status === 409)?.body['status']).toBe('invalid_state')
  await server.until(id, 'complete')
  expect(paid).toEqual([7])
  const late = await server.post(`/agents/${id}/resume`, { input: { approved: true } })
  expect(late).toMatchObject({
    status: 409,
    body: { status: 'invalid_state', current_status: 'complete' },
  })
})

test('a declined call is not made, and the run goes on', async () => {
  const { tool, paid } = payment()
  const server = await serving({ script: payThen, tools: [tool] })
  const id = await server.run('pay')
  await server.until(id, 'awaiting_input')
  await server.post(`/agents/${id}/resume`, { input: { approved: false, feedback: 'too much' } })
  await server.until(id, 'complete')
  expect(paid).toEqual([])
  expect(JSON.stringify(server.model.requests.at(-1)?.body.messages)).toContain('too much')
})

test('a question is answered with a text', async () => {
  const server = await serving({
    script: reply.toolsThenText(
      { name: 'ask_user', arguments: { question: 'Which tone?' } },
      'Written.',
    ),
  })
  const id = await server.run('write')
  const { frames } = await framesOf(await server.open(`/agents/${id}/stream`))
  expect(frames.at(-1)).toMatchObject({ event: 'state', data: { status: 'awaiting_input' } })
  expect(frames.find(({ data }) => data['type'] === 'paused')?.data).toMatchObject({
    pending_input_type: 'question',
    pending_input_context: { question: 'Which tone?' },
  })
  expect((await server.post(`/agents/${id}/resume`, { input: { response: 1 } })).status).toBe(400)
  await server.post(`/agents/${id}/resume`, { input: { response: 'Plain' } })
  await server.until(id, 'complete')
  expect(JSON.stringify(server.model.requests.at(-1)?.body.messages)).toContain('Plain')
})

test('a form is answered with values that fit its schema', async () => {
  const schema = {
    type: 'object',
    properties: {
      to: { type: 'string', pattern: '^[a-z]+$' },
      copies: { type: 'integer', minimum: 1, maximum: 9 },
    },
    required: ['to', 'copies'],
    additionalProperties: false,
  }
  const server = await serving({
    script: reply.toolsThenText(
      { name: 'ask_form', arguments: { message: 'Where to?', schema } },
      'Sent.',
    ),
  })
  const id = await server.run('send')
  const { pending_input: pending } = await server.until(id, 'awaiting_input')
  expect(pending).toMatchObject({
    pending_input_type: 'form',
    pending_input_schema: schema,
    pending_input_context: { question: 'Where to?' },
  })
  const resume = (input: Record<string, string | number>) =>
    server.post(`/agents/${id}/resume`, { input })
  for (const bad of [
    { to: 'ann' },
    { to: 'Ann', copies: 1 },
    { to: 'ann', copies: 10 },
    { to: 'ann', copies: 1, more: 1 },
  ])
    expect(await resume(bad)).toMatchObject({ status: 400, body: { status: 'invalid_input' } })
  expect((await resume({ to: 'ann', copies: 2 })).status).toBe(200)
  await server.until(id, 'complete')
  expect(JSON.stringify(server.model.requests.at(-1)?.body.messages)).toMatch(/copies.{1,8}2/)
})

test('a run that used its turns asks for more, or ends with what it has', async () => {
  const note = defineTool({
    name: 'note',
    description: 'Notes.',
    readOnly: true,
    input: z.object({ text: z.string() }),
    execute: async () => ({ status: 'success', output: 'noted' }),
  })
  const script = ({ tools = [], tool_choice: choice }: ChatCompletionRequest) =>
    choice === 'none' || tools.length === 0
      ? reply.text('That is what I have.')
      : reply.toolCalls({ name: 'note', arguments: { text: 'x' } })
  const server = await serving({
    script,
    tools: [note],
    config: { profiles: [{ id: 'short', maxTurns: 2 }] },
  })
  const id = await server.run('work', { profile_id: 'short' })
  const asked = await server.until(id, 'awaiting_input')
  expect(asked).toMatchObject({
    turns_used: 2,
    pending_input: {
      pending_input_type: 'continue_or_finish',
      pending_input_context: { reason: 'max_turns', turns: 2 },
    },
  })
  const more = { action: 'continue', additional_turns: 1 }
  expect((await server.post(`/agents/${id}/resume`, { input: more })).status).toBe(200)
  let status = asked
  while (status['turns_used'] !== 3 || status['status'] !== 'awaiting_input')
    status = await server.until(id, 'awaiting_input', 'running', 'queued')
  await server.post(`/agents/${id}/resume`, { input: { action: 'finish' } })
  expect(await server.until(id, 'complete')).toMatchObject({
    result_summary: 'That is what I have.',
  })
})

test('a run that is cancelled stops, and cannot be cancelled again', async () => {
  const server = await serving({ script: reply.silence() })
  const id = await server.run('think')
  await server.until(id, 'running')
  const canceled = await server.post(`/agents/${id}/cancel`, { reason: 'changed my mind' })
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } })
  const after = await server.get(`/agents/${id}/status`)
  expect(after.body).toMatchObject({ status: 'canceled', reason: 'changed my mind' })
  expect(after.body['completed_at']).toBeTruthy()
  expect(await server.post(`/agents/${id}/cancel`, {})).toMatchObject({
    status: 409,
    body: { status: 'cannot_cancel', current_status: 'canceled' },
  })
  // the worker lets go of it
  while (server.agent.status().active > 0) await new Promise((resolve) => setTimeout(resolve, 20))
})

test('a run that waits for a person, or for a worker, is cancelled too', async () => {
  const { tool, paid } = payment()
  const server = await serving({ script: payThen, tools: [tool] })
  const id = await server.run('pay')
  await server.until(id, 'awaiting_input')
  expect((await server.post(`/agents/${id}/cancel`, {})).status).toBe(200)
  expect(await server.post(`/agents/${id}/resume`, { input: { approved: true } })).toMatchObject({
    status: 409,
    body: { current_status: 'canceled' },
  })
  const started = await server.post('/agents/run', { profile_id: 'agent', task: 'pay' })
  const next = String(started.body['session_id'])
  expect((await server.post(`/agents/${next}/cancel`, {})).status).toBe(200)
  expect((await server.get(`/agents/${next}/status`)).body['status']).toBe('canceled')
  expect(paid).toEqual([])
})
