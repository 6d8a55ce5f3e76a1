import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serving } from './support/serving.ts'

const hello = [{ role: 'user' as const, content: 'Hello' }]
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
const locate: OpenAI.Chat.ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'locate',
    description: 'Where the person is.',
    parameters: { type: 'object', properties: { unit: { type: 'string' } } },
  },
}

test('a completion, whole and in chunks', async () => {
  const { client } = await serving({
    script: reply.text(['Hel', 'lo.'], { usage: { promptTokens: 7, completionTokens: 2 } }),
  })
  const whole = await client().chat.completions.create({ model, messages: hello })
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'Hello.' },
  })
  expect(whole.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 })
  const stream = client().chat.completions.stream({
    model,
    messages: hello,
    stream_options: { include_usage: true },
  })
  const final = await stream.finalChatCompletion()
  expect(final.choices[0]?.message.content).toBe('Hello.')
  expect(final.usage?.total_tokens).toBe(9)
})

test('reasoning and tools of the agent stay on the server', async () => {
  const { client } = await serving({
    tools: [clock],
    script: reply.toolsThenText({ name: 'clock', arguments: {} }, 'Noon.', {
      thought: { text: 'Look at the clock.' },
    }),
  })
  const { choices } = await client().chat.completions.create({ model, messages: hello })
  expect(choices[0]?.message).toMatchObject({ content: 'Noon.' })
  expect(choices[0]?.message.tool_calls).toBeUndefined()
  expect(choices[0]?.message).toHaveProperty('reasoning_content')
})

test('calls of tools that the client brought come back to it, and their results go on', async () => {
  const { client, model: scripted } = await serving({
    script: reply.toolsThenText(
      [
        { name: 'locate', arguments: { unit: 'km' } },
        { name: 'locate', arguments: {} },
      ],
      'In Bern.',
    ),
  })
  const stream = client().chat.completions.stream({ model, messages: hello, tools: [locate] })
  const first = (await stream.finalChatCompletion()).choices[0]
  expect(first?.finish_reason).toBe('tool_calls')
  const calls = first?.message.tool_calls ?? []
  expect(calls.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
    '{"unit":"km"}',
    '{}',
  ])
  const results = calls.map(({ id }) => ({
    role: 'tool' as const,
    tool_call_id: id,
    content: 'Bern',
  }))
  const messages = [
    ...hello,
    { role: 'assistant' as const, content: null, tool_calls: calls },
    ...results,
  ]
  await expect(
    client().chat.completions.create({ model, tools: [locate], messages: messages.slice(0, 3) }),
  ).rejects.toThrow(/no tool output found/)
  const whole = await client().chat.completions.create({ model, tools: [locate], messages })
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'In Bern.' },
  })
  expect(JSON.stringify(scripted.requests.at(-1)?.body.messages)).toContain('Bern')
  // The same again changes nothing.
  const again = await client().chat.completions.create({ model, tools: [locate], messages })
  expect(again.choices[0]?.message.content).toBe('In Bern.')
  expect(scripted.count).toBe(2)
})

test('a name of the client is always the same session of this caller', async () => {
  const { client, post, model: scripted } = await serving({ script: reply.text('Yes.') })
  const ask = (content: string, key?: 'bob') =>
    client(key)
      .chat.completions.create({
        model,
        user: 'anna@example.com',
        messages: [{ role: 'user', content }],
      })
      .withResponse()
  const first = await ask('one')
  const second = await ask('two')
  const session = first.response.headers.get('x-amodal-session-id')
  expect(second.response.headers.get('x-amodal-session-id')).toBe(session)
  expect(JSON.stringify(scripted.requests.at(-1)?.body.messages)).toContain('one')
  const foreign = await ask('three', 'bob')
  expect(foreign.response.headers.get('x-amodal-session-id')).not.toBe(session)
  const own = await post('/chat/sync', { message: 'four', session_id: session })
  expect(own.status).toBe(200)
  expect(JSON.stringify(scripted.requests.at(-1)?.body.messages)).toContain('two')
})

test('without one, the model is told what the client has of the conversation', async () => {
  const { client, model: scripted } = await serving({ script: reply.text('Yes.') })
  await client().chat.completions.create({
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'answer' },
      { role: 'user', content: 'two' },
    ],
  })
  const sent = JSON.stringify(scripted.requests.at(-1)?.body.messages)
  for (const words of ['Be brief.', 'user: one', 'assistant: answer', 'two'])
    expect(sent).toContain(words)
})

test('an image is given to the model, and no address is fetched', async () => {
  const { client, model: scripted } = await serving({ script: reply.text('Red.') })
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const ask = (url: string) =>
    client().chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    })
  await ask(`data:image/png;base64,${png}`)
  expect(JSON.stringify(scripted.requests.at(-1)?.body.messages)).toContain(png)
  await expect(ask('https://example.com/a.png')).rejects.toThrow(/nothing is fetched/)
  await expect(ask(`data:image/jpeg;base64,${png}`)).rejects.toThrow(/the file is image\/png/)
})

test('an approval is a call for a client that can answer, and a link for one that cannot', async () => {
  const { client, post } = await serving({
    tools: [pay],
    script: reply.toolsThenText({ name: 'pay', arguments: { amount: 5 } }, 'Done.'),
  })
  const respond: OpenAI.Chat.ChatCompletionFunctionTool = {
    type: 'function',
    function: { name: 'amodal_respond' },
  }
  const asked = await client().chat.completions.create({ model, messages: hello, tools: [respond] })
  const [call] = asked.choices[0]?.message.tool_calls ?? []
  if (call?.type !== 'function') throw new Error('it is not asked')
  expect(JSON.parse(call.function.arguments)).toMatchObject({
    pending_input_type: 'approval',
    pending_input_context: { tool: 'pay', params: { amount: 5 } },
  })
  const done = await client().chat.completions.create({
    model,
    messages: [
      ...hello,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: '{"approved":true}' },
    ],
  })
  expect(done.choices[0]?.message.content).toBe('Done.')

  const cannot = await client().chat.completions.create({ model, messages: hello, user: 'u' })
  expect(cannot.choices[0]?.finish_reason).toBe('length')
  const { amodal } = cannot as unknown as { amodal: { session_id: string; answer_url: string } }
  expect(cannot.choices[0]?.message.content).toContain(`/sessions/${amodal.session_id}`)
  await expect(
    client().chat.completions.create({ model, messages: hello, user: 'u' }),
  ).rejects.toMatchObject({ status: 409, code: 'RUN_ACTIVE' })
  const { pending_input: asks } = (await (
    await fetch(
      `${amodal.answer_url.replace('/ask-user-response', '')}/sessions/${amodal.session_id}`,
      {
        headers: { authorization: `Bearer ${client().apiKey}` },
      },
    )
  ).json()) as { pending_input: readonly { id: string }[] }
  const answered = await post('/ask-user-response', {
    session_id: amodal.session_id,
    id: asks[0]?.id ?? '',
    approved: true,
  })
  expect(answered.status).toBe(200)
})

test('what cannot be honoured is refused by its name', async () => {
  const { client } = await serving({ script: reply.text('Hello.') })
  const ask = (more: object) =>
    client().chat.completions.create({ model, messages: hello, ...more })
  for (const [param, value] of [
    ['n', 2],
    ['logprobs', true],
    ['response_format', { type: 'json_object' }],
    ['stop', ['x']],
    ['colour', 'red'],
    ['tool_choice', 'required'],
  ] as const)
    await expect(ask({ [param]: value })).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      param,
    })
  const fine = await ask({ n: 1, logprobs: false, temperature: 0.2, max_tokens: 100 })
  expect(fine.choices[0]?.message.content).toBe('Hello.')
  await expect(ask({ model: 'gpt-9' })).rejects.toMatchObject({ status: 404, param: 'model' })
})

test('a failed run is an error of the client, whole and streamed', async () => {
  const { client } = await serving({ script: reply.httpError(401) })
  await expect(client().chat.completions.create({ model, messages: hello })).rejects.toMatchObject({
    code: expect.any(String) as string,
    status: expect.any(Number) as number,
  })
  const stream = await client().chat.completions.create({ model, messages: hello, stream: true })
  await expect(
    (async () => {
      for await (const _chunk of stream);
    })(),
  ).rejects.toBeInstanceOf(OpenAI.APIError)
})

test('what is not to be stored is removed when the turn is over', async () => {
  const { client, get } = await serving({ script: reply.text('Hello.') })
  const { response } = await client()
    .chat.completions.create({ model, messages: hello, store: false })
    .withResponse()
  const session = response.headers.get('x-amodal-session-id') ?? ''
  while ((await get(`/sessions/${session}`)).status !== 404)
    await new Promise((resolve) => setTimeout(resolve, 20))
})

test('the agent is the one model, for those whose key is good for it', async () => {
  const { client } = await serving({ script: reply.text('Hello.') })
  const { data } = await client().models.list()
  expect(data.map(({ id }) => id)).toEqual(['helper'])
  expect(await client().models.retrieve('helper')).toMatchObject({ object: 'model' })
  await expect(client('files').models.list()).rejects.toMatchObject({ status: 403 })
})
