/** Traces of runs, as an OTLP receiver gets them from the server of a preset. */
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import {
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../support/otlp-receiver.ts'

const SECRET = 'sk-canary-4711-secret'
const LOOKUP = {
  'tools/lookup/tool.json': {
    description: 'Looks an order up.',
    env: ['ORDERS_KEY'],
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
    readOnly: true,
  },
  'tools/lookup/handler.ts':
    "export default (params, ctx) => ({ id: params.id, note: 'private words', key: ctx.env('ORDERS_KEY') })",
  'tools/pay/tool.json': {
    description: 'Pays.',
    confirm: true,
    parameters: { type: 'object', properties: {} },
  },
  'tools/pay/handler.ts': 'export default () => ({ paid: true })',
  'tools/fails/tool.json': {
    description: 'Fails.',
    parameters: { type: 'object', properties: {} },
  },
  'tools/fails/handler.ts': "export default () => { throw new Error('with private words') }",
}

const isSubagent = (messages: object): boolean =>
  JSON.stringify(messages).includes('Find the order.')

const script: Script = (request) => {
  const text = JSON.stringify(request.messages)
  const last = request.messages.at(-1)
  const results = request.messages.filter(({ role }) => role === 'tool').length
  if (isSubagent(request.messages) && !text.includes('dispatch please'))
    return results === 0
      ? reply.toolCalls({ name: 'lookup', arguments: { id: '7' } })
      : reply.text('Found.')
  if (last?.role === 'tool') return reply.text('Done with private words.')
  if (text.includes('dispatch please'))
    return reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'Find the order.' } })
  if (text.includes('pay please')) return reply.toolCalls({ name: 'pay', arguments: {} })
  if (text.includes('fail please')) return reply.toolCalls({ name: 'fails', arguments: {} })
  if (text.includes('look please'))
    return reply.toolCalls({ name: 'lookup', arguments: { id: '7' } })
  return reply.text('Hello.')
}

const Line = z.looseObject({
  session: z.string().optional(),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
})

const open = (receiver: OtlpReceiver, env: Record<string, string> = {}): Promise<Door> =>
  openDoor({
    script,
    files: LOOKUP,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
      ORDERS_KEY: SECRET,
      PATH: process.env['PATH'] ?? '',
      ...env,
    },
  })

const one = (spans: readonly ReceivedSpan[]): ReceivedSpan => {
  expect(spans).toHaveLength(1)
  const [span] = spans
  if (!span) throw new Error('there is no span')
  return span
}
const arrived = (receiver: OtlpReceiver, name: string, count = 1): Promise<void> =>
  expect.poll(() => receiver.named(name).length, { timeout: 20_000 }).toBe(count)

describe('a run', () => {
  test('is one trace: message, agent, model calls and tool call', async () => {
    await using receiver = await startOtlpReceiver()
    await using door = await open(receiver)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const turn = await door.post(
      '/chat/sync',
      { message: 'look please, private words' },
      { authorization: `Bearer ${door.token}`, traceparent },
    )
    expect(turn.status).toBe(200)
    await arrived(receiver, 'invoke_agent door')
    const message = one(receiver.named('amodal.message'))
    const agent = one(receiver.named('invoke_agent door'))
    const tool = one(receiver.named('execute_tool lookup'))
    const chats = receiver.named('chat scripted')
    expect(message).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    })
    expect(agent.parentSpanId).toBe(message.spanId)
    expect(chats.map(({ parentSpanId }) => parentSpanId)).toEqual([agent.spanId, agent.spanId])
    expect(tool.parentSpanId).toBe(agent.spanId)
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(agent.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'door',
      'gen_ai.conversation.id': textIn(turn.body, 'session_id'),
      'amodal.run.reason': 'model_stop',
    })
    expect(chats[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.finish_reasons': ['tool_calls'],
    })
    expect(tool.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'lookup',
      'gen_ai.tool.type': 'function',
    })
    expect(tool.events.map(({ name }) => name)).toEqual(['amodal.guard'])
    // The model is sent the trace.
    expect(door.model.requests[0]?.headers['traceparent']).toContain(agent.traceId)
    expect(receiver.headers[0]).toMatchObject({ authorization: 'Basic abc' })
    expect(receiver.text).toContain('/v1/traces')
  })

  test('holds no texts, arguments, results or secrets', async () => {
    await using receiver = await startOtlpReceiver()
    await using door = await open(receiver)
    await door.say('look please, private words')
    await door.say('fail please, private words')
    await arrived(receiver, 'invoke_agent door', 2)
    const failed = one(receiver.named('execute_tool fails'))
    expect(failed).toMatchObject({ status: { code: 2 } })
    expect(typeof failed.attributes['error.type']).toBe('string')
    for (const words of ['private words', SECRET, 'canary'])
      expect(receiver.text).not.toContain(words)
  })

  test('has the run of its sub-agent below it', async () => {
    await using receiver = await startOtlpReceiver()
    await using door = await open(receiver)
    await door.say('dispatch please')
    await arrived(receiver, 'invoke_agent door', 2)
    const [child, parent] = receiver.named('invoke_agent door')
    const message = receiver
      .named('amodal.message')
      .find(({ spanId }) => spanId === child?.parentSpanId)
    expect(child?.traceId).toBe(parent?.traceId)
    expect(message).toBeDefined()
    const above = receiver.spans.find(({ spanId }) => spanId === message?.parentSpanId)
    expect([parent?.name, 'execute_tool dispatch_task']).toContain(above?.name)
  })

  test('that a person answers after a restart links to its message', async () => {
    await using receiver = await startOtlpReceiver()
    await using door = await open(receiver)
    const response = await door.say('pay please')
    const session = textIn(response.body, 'session_id')
    const [, id = ''] = /"id":"(ask_[^"]+)"/.exec(response.text) ?? []
    await arrived(receiver, 'invoke_agent door')
    const [parked] = receiver.named('invoke_agent door')
    expect(parked?.attributes).toMatchObject({ 'amodal.run.parked': true })
    await door.restart()
    const answered = await door.answer({ session_id: session, id, approved: true })
    expect(answered.status).toBe(200)
    await arrived(receiver, 'execute_tool pay', 2)
    await arrived(receiver, 'invoke_agent door', 2)
    const resumed = receiver.named('invoke_agent door').at(-1)
    const message = one(receiver.named('amodal.message'))
    expect(resumed?.attributes).toMatchObject({ 'amodal.run.resumed': true })
    expect(resumed?.traceId).not.toBe(message.traceId)
    expect(resumed?.links).toMatchObject([{ traceId: message.traceId, spanId: message.spanId }])
  })
})

test('lines of the log about a run name its trace and span', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver)
  const turn = await door.say('fail please')
  await arrived(receiver, 'invoke_agent door')
  const agent = one(receiver.named('invoke_agent door'))
  const spans = receiver.spans.map(({ spanId }) => spanId)
  const session = textIn(turn.body, 'session_id')
  const lines = door.log
    .map((line) => Line.parse(JSON.parse(line)))
    .filter((line) => line.trace_id !== undefined)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) {
    expect(line).toMatchObject({ session, trace_id: agent.traceId })
    expect(spans).toContain(line.span_id)
  }
})

test('a receiver that hangs loses no turn, and one that is gone neither', async () => {
  await using hanging = await startOtlpReceiver(false)
  await using door = await open(hanging, { OTEL_EXPORTER_OTLP_TIMEOUT: '1000' })
  for (const _ of [1, 2, 3]) expect((await door.say('hello')).status).toBe(200)
  await expect.poll(() => door.log.join('\n'), { timeout: 20_000 }).toContain('telemetry.export')
})

test('a receiver that is back gets what follows', async () => {
  const gone = await startOtlpReceiver()
  const port = Number(new URL(gone.url).port)
  await gone[Symbol.asyncDispose]()
  await using door = await open(gone)
  await door.say('hello')
  await expect.poll(() => door.log.join('\n'), { timeout: 20_000 }).toContain('telemetry.export')
  await using back = await startOtlpReceiver(true, port)
  await expect
    .poll(
      async () => {
        await door.say('hello')
        return back.named('invoke_agent door').length
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBeGreaterThan(0)
})

test('a variable that is wrong stops the start and is named', async () => {
  await using receiver = await startOtlpReceiver()
  await expect(open(receiver, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow(
    /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"/,
  )
})
