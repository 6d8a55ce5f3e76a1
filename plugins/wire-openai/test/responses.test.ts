import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serving } from './support/serving.ts'

const model = 'helper'
const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  readOnly: true,
  input: z.object({ api_key: z.string().optional() }),
  execute: () => Promise.resolve({ status: 'success', output: 'noon' }),
})
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  readOnly: false,
  tier: 'confirm',
  input: z.object({ amount: z.number() }),
  execute: () => Promise.resolve({ status: 'success', output: 'paid' }),
})
const locate: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'locate',
  description: 'Where the person is.',
  parameters: { type: 'object', properties: {} },
  strict: false,
}
const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a response, whole, in a stream, and read again', async () => {
  const { client } = await serving({
    script: reply.text(['Hel', 'lo.'], {
      thought: { text: 'Be kind.' },
      usage: { promptTokens: 7, completionTokens: 2 },
    }),
  })
  const whole = await client().responses.create({ model, input: 'Hi', instructions: 'Be brief.' })
  expect(whole).toMatchObject({ status: 'completed', output_text: 'Hello.', error: null })
  expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  expect(whole.usage).toMatchObject({ input_tokens: 7, output_tokens: 2, total_tokens: 9 })
  const read = await client().responses.retrieve(whole.id)
  expect(read.output).toEqual(whole.output)
  expect(read.usage).toEqual(whole.usage)
  const stream = client().responses.stream({ model, input: 'Hi' })
  const types: string[] = []
  for await (const { type } of stream) if (types.at(-1) !== type) types.push(type)
  expect(await stream.finalResponse()).toMatchObject({ output_text: 'Hello.' })
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  const { data } = await client().responses.inputItems.list(whole.id)
  expect(data[0]).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] })
})

test('tools of the agent are items that the server has executed, without secrets', async () => {
  const { client } = await serving({
    tools: [clock],
    script: reply.toolsThenText({ name: 'clock', arguments: { api_key: 'hidden' } }, 'Noon.'),
  })
  const live = await client().responses.stream({ model, input: 'Hi' }).finalResponse()
  expect(live.output[0]).toMatchObject({ type: 'mcp_call', name: 'clock', output: 'noon' })
  expect(JSON.stringify(live)).not.toContain('hidden')
  const read = await client().responses.retrieve(live.id)
  expect(JSON.stringify(read)).not.toContain('hidden')
  expect(read.output.map(({ id }) => id)).toEqual(live.output.map(({ id }) => id))
})

test('calls of the client are handed to it, survive, and go on with its results', async () => {
  const { client, model: scripted } = await serving({
    script: reply.toolsThenText({ name: 'locate', arguments: {} }, 'In Bern.', {
      usage: { promptTokens: 5, completionTokens: 1 },
    }),
  })
  const first = await client()
    .responses.stream({ model, input: 'Where?', tools: [locate] })
    .finalResponse()
  const call = first.output.find((item) => item.type === 'function_call')
  expect(first.status).toBe('completed')
  expect(call).toMatchObject({ name: 'locate', arguments: '{}' })
  expect(first.usage?.input_tokens).toBe(5)
  const output = {
    type: 'function_call_output' as const,
    call_id: call?.call_id ?? '',
    output: 'Bern',
  }
  await expect(
    client().responses.create({ model, input: 'And?', previous_response_id: first.id }),
  ).rejects.toMatchObject({ status: 409, code: 'RUN_ACTIVE' })
  const next = await client().responses.create({
    model,
    input: [output],
    previous_response_id: first.id,
  })
  expect(next).toMatchObject({ status: 'completed', output_text: 'In Bern.' })
  expect(next.usage?.input_tokens).toBe(5)
  expect(next.id).not.toBe(first.id)
  const kept = (await client().responses.retrieve(first.id)).output
  expect(kept).toMatchObject([{ type: 'function_call', call_id: call?.call_id }])
  expect((await client().responses.retrieve(next.id)).output).toEqual(next.output)
  expect(JSON.stringify(scripted.requests[0]?.body.tools)).toContain('locate')
  // A message that brings no tools has none.
  await client().responses.create({ model, input: 'And?', previous_response_id: next.id })
  expect(JSON.stringify(scripted.requests.at(-1)?.body.tools ?? [])).not.toContain('locate')
})

test('a tool of the client cannot take the name of one of the agent', async () => {
  const { client } = await serving({ tools: [clock], script: reply.text('Hello.') })
  await expect(
    client().responses.create({ model, input: 'Hi', tools: [{ ...locate, name: 'clock' }] }),
  ).rejects.toMatchObject({ status: 400, param: 'tools' })
})

test('a conversation goes on, and forks from an older response', async () => {
  const { client, model: scripted } = await serving({ script: reply.text('Yes.') })
  const say = (input: string, previous?: string) =>
    client().responses.create({ model, input, previous_response_id: previous ?? null })
  const one = await say('one')
  const two = await say('two', one.id)
  expect(two.conversation).toEqual(one.conversation)
  const other = await say('other', one.id)
  expect(other.conversation).not.toEqual(one.conversation)
  const sent = JSON.stringify(scripted.requests.at(-1)?.body.messages)
  expect(sent).toContain('one')
  expect(sent).not.toContain('two')
})

test('conversations are sessions', async () => {
  const { client, post } = await serving({ script: reply.text('Yes.') })
  const made = await client().conversations.create({ metadata: { topic: 'demo' } })
  expect(made.metadata).toEqual({ topic: 'demo' })
  const one = await client().responses.create({ model, input: 'one', conversation: made.id })
  expect(one.conversation?.id).toBe(made.id)
  const session = made.id.slice('conv_'.length)
  expect((await post('/chat/sync', { message: 'two', session_id: session })).status).toBe(200)
  const { data } = await client().conversations.items.list(made.id, { order: 'asc' })
  expect(data.map((item) => item.type === 'message' && item.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  await client().conversations.update(made.id, { metadata: { topic: 'more' } })
  expect((await client().conversations.retrieve(made.id)).metadata).toEqual({ topic: 'more' })
  await until(async () =>
    client()
      .conversations.delete(made.id)
      .catch(() => undefined),
  )
  await expect(client().conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
})

test('a cut stream resumes in the middle of a text', async () => {
  const { client } = await serving({
    tools: [clock],
    script: reply.toolsThenText(
      { name: 'clock', arguments: {} },
      ['One ', 'two ', 'three ', 'four.'],
      { thought: { text: 'So.' } },
    ),
  })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client().responses.create({ model, input: 'Hi', stream: true }))
    events.push(event)
  const end = events.at(-1)
  if (end?.type !== 'response.completed') throw new Error('it is not complete')
  const whole = 'One two three four.'
  for (const cut of events.flatMap((event, at) =>
    event.type === 'response.output_text.delta' ? [at] : [],
  )) {
    let text = ''
    const seen = events.slice(0, cut + 1)
    for (const event of seen) if (event.type === 'response.output_text.delta') text += event.delta
    const rest = await client().responses.retrieve(end.response.id, {
      stream: true,
      starting_after: seen.at(-1)?.sequence_number ?? 0,
    })
    let last = ''
    for await (const event of rest) {
      if (event.type === 'response.output_text.delta') text += event.delta
      last = event.type
    }
    expect(text).toBe(whole)
    expect(last).toBe('response.completed')
  }
})

test('one in the background is followed, and stopped', async () => {
  const { client } = await serving({
    script: reply.text(['One ', 'two'], { ending: { kind: 'stall', after: 2 } }),
  })
  const begun = await client().responses.create({ model, input: 'Hi', background: true })
  expect(begun.status).toBe('in_progress')
  const stream = await client().responses.retrieve(begun.id, { stream: true })
  let text = ''
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta
    if (text === 'One two') break
  }
  // The reader has left, and the run goes on until it is stopped.
  expect((await client().responses.retrieve(begun.id)).status).toBe('in_progress')
  expect((await client().responses.cancel(begun.id)).status).toBe('cancelled')
  expect((await client().responses.retrieve(begun.id)).status).toBe('cancelled')
})

test('an approval is incomplete with a link, and complete once it is answered elsewhere', async () => {
  const { client, post, get } = await serving({
    tools: [pay],
    script: reply.toolsThenText({ name: 'pay', arguments: { amount: 5 } }, 'Done.'),
  })
  const asked = await client().responses.create({ model, input: 'Pay' })
  expect(asked).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'input_required' },
  })
  const { amodal } = asked as unknown as { amodal: { session_id: string; session_url: string } }
  const { pending_input: asks } = (await (await get(`/sessions/${amodal.session_id}`)).json()) as {
    pending_input: readonly { id: string }[]
  }
  await post('/ask-user-response', {
    session_id: amodal.session_id,
    id: asks[0]?.id ?? '',
    approved: true,
  })
  const done = await until(async () => {
    const read = await client().responses.retrieve(asked.id)
    return read.status === 'completed' ? read : undefined
  })
  expect(done.output_text).toBe('Done.')
})

test('an approval raised in the own chat cannot be passed over, and one here is answered by a call', async () => {
  const { client, post } = await serving({
    tools: [pay],
    script: reply.toolsThenText({ name: 'pay', arguments: { amount: 5 } }, 'Done.'),
  })
  const own = await post('/chat/sync', { message: 'Pay' })
  const { session_id: session } = (await own.json()) as { session_id: string }
  const raised = await client()
    .responses.create({ model, input: 'And?', conversation: `conv_${session}` })
    .catch((error: unknown) => error)
  const [, callId = ''] = /(call_\S+):/.exec(String(raised)) ?? []
  const output = {
    type: 'function_call_output' as const,
    call_id: callId,
    output: '{"approved":true}',
  }
  const done = await client().responses.create({
    model,
    input: [output],
    conversation: `conv_${session}`,
  })
  expect(done.output_text).toBe('Done.')
})

test("another tenant's response answers like an unknown one", async () => {
  const { client } = await serving({ script: reply.text('Hello.') })
  const own = await client().responses.create({ model, input: 'Hi' })
  const unknown = 'resp_maaaaaaaaaaaaaaaa_sess_unknown'
  const bytes = async (work: (id: string) => Promise<unknown>, id: string) => {
    const error: unknown = await work(id).catch((thrown: unknown) => thrown)
    if (!(error instanceof OpenAI.APIError)) throw new Error('it is found')
    return JSON.stringify([error.status, error.error])
  }
  const foreign = client('bob')
  for (const work of [
    (id: string) => foreign.responses.retrieve(id),
    (id: string) => foreign.responses.cancel(id),
    (id: string) => foreign.responses.delete(id),
    (id: string) => foreign.responses.create({ model, input: 'Hi', previous_response_id: id }),
    (id: string) => foreign.conversations.retrieve(`conv_${id.replace(/^resp_m[^_]+_/, '')}`),
  ])
    expect(await bytes(work, own.id)).toBe(await bytes(work, unknown))
  await client().responses.delete(own.id)
  await expect(client().responses.retrieve(own.id)).rejects.toMatchObject({ status: 404 })
})

test('what is not to be stored cannot be read afterwards', async () => {
  const { client } = await serving({ script: reply.text('Hello.') })
  const base = await client().responses.create({ model, input: 'one' })
  const gone = await client().responses.create({
    model,
    input: 'two',
    store: false,
    previous_response_id: base.id,
  })
  await until(async () =>
    client()
      .responses.retrieve(gone.id)
      .then(() => undefined)
      .catch(() => true),
  )
  expect((await client().responses.retrieve(base.id)).output_text).toBe('Hello.')
  await expect(
    client().responses.create({ model, input: 'Hi', text: { format: { type: 'json_object' } } }),
  ).rejects.toMatchObject({ status: 400, param: 'text' })
})
