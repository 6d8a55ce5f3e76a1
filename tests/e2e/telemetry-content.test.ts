/** What spans hold of messages, arguments and results where the server is set to send them. */
import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, type Door } from '../security/support/door.ts'
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts'

const SECRET = 'sk-canary-4711-secret'
const FILES = {
  'tools/lookup/tool.json': {
    description: 'Looks an order up.',
    env: ['ORDERS_KEY'],
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
    readOnly: true,
  },
  'tools/lookup/handler.ts':
    "export default (params, ctx) => ({ id: params.id, note: 'in the north hall', key: ctx.env('ORDERS_KEY') })",
  'tools/hidden/tool.json': {
    description: 'Reads what nobody is shown.',
    private: true,
    parameters: { type: 'object', properties: {} },
    readOnly: true,
  },
  'tools/hidden/handler.ts': "export default () => ({ plan: 'the words of a private tool' })",
}

const script: Script = ({ messages }) => {
  const text = JSON.stringify(messages)
  if (messages.at(-1)?.role === 'tool') return reply.text(`It is in the north hall, ${SECRET}.`)
  if (text.includes('hidden please')) return reply.toolCalls({ name: 'hidden', arguments: {} })
  return reply.toolCalls({ name: 'lookup', arguments: { id: '7' } })
}

const open = (receiver: OtlpReceiver, config: JsonObject): Promise<Door> =>
  openDoor({
    script,
    files: FILES,
    manifest: { plugins: [['telemetry-otel', { endpoint: receiver.url, ...config }]] },
    env: {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ORDERS_KEY: SECRET,
      PATH: process.env['PATH'] ?? '',
    },
  })

const ended = (receiver: OtlpReceiver): Promise<void> =>
  expect.poll(() => receiver.named('invoke_agent door').length, { timeout: 20_000 }).toBe(1)

/** After the JSON schemas of the conventions: the parts that are sent here, and no others. */
const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), content: z.string() }),
  z.strictObject({ type: z.literal('reasoning'), content: z.string() }),
  z.strictObject({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal('tool_call_response'), id: z.string(), response: z.string() }),
])
const Role = z.enum(['system', 'user', 'assistant', 'tool'])
const Input = z.array(z.strictObject({ role: Role, parts: z.array(Part) }))
const Output = z.array(
  z.strictObject({
    role: Role,
    parts: z.array(Part),
    finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_call', 'error']),
  }),
)
const parsed = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> =>
  schema.parse(JSON.parse(z.string().parse(value)))

test('contents are those that people are shown, without secrets', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, { content: 'redacted' })
  const message = `where is order 7? ${SECRET}`
  expect((await door.say(message)).status).toBe(200)
  await ended(receiver)
  const [agent] = receiver.named('invoke_agent door')
  const [first, second] = receiver.named('chat scripted')
  const [tool] = receiver.named('execute_tool lookup')
  const question = [
    { role: 'user', parts: [{ type: 'text', content: 'where is order 7? [MASKED]' }] },
  ]
  expect(parsed(Input, agent?.attributes['gen_ai.input.messages'])).toEqual(question)
  expect(parsed(Input, first?.attributes['gen_ai.input.messages'])).toEqual(question)
  expect(parsed(Output, first?.attributes['gen_ai.output.messages'])).toMatchObject([
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', name: 'lookup', arguments: '{"id":"7"}' }],
      finish_reason: 'tool_call',
    },
  ])
  expect(tool?.attributes['gen_ai.tool.call.arguments']).toBe('{"id":"7"}')
  expect(tool?.attributes['gen_ai.tool.call.result']).toContain('in the north hall')
  expect(parsed(Input, second?.attributes['gen_ai.input.messages'])).toMatchObject([
    { role: 'tool', parts: [{ type: 'tool_call_response' }] },
  ])
  const answer = parsed(Output, agent?.attributes['gen_ai.output.messages'])
  expect(answer).toEqual(parsed(Output, second?.attributes['gen_ai.output.messages']))
  expect(answer).toMatchObject([
    {
      parts: [{ type: 'text', content: 'It is in the north hall, [MASKED].' }],
      finish_reason: 'stop',
    },
  ])
  expect(receiver.text).not.toContain('canary')
})

test('the result of a private tool is not among them', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, { content: 'redacted' })
  await door.say('hidden please')
  await ended(receiver)
  expect(receiver.named('execute_tool hidden')[0]?.attributes).toMatchObject({
    'gen_ai.tool.call.result': '[private]',
  })
  expect(receiver.text).not.toContain('words of a private tool')
})

test('a long text is cut, with what was left out as a number', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, { content: 'redacted', contentChars: 100 })
  await door.say('x'.repeat(5_000))
  await ended(receiver)
  const [agent] = receiver.named('invoke_agent door')
  expect(parsed(Input, agent?.attributes['gen_ai.input.messages'])).toEqual([
    {
      role: 'user',
      parts: [{ type: 'text', content: `${'x'.repeat(100)} [4900 characters omitted]` }],
    },
  ])
})

test('contents under names that have none stop the start', async () => {
  await using receiver = await startOtlpReceiver()
  await expect(open(receiver, { content: 'redacted', semconv: '1.36' })).rejects.toThrow(
    /use `semconv` 1\.41 or `latest`/,
  )
})
