/** A trace that goes on in MCP servers, over stdio and HTTP, and in an agent that is one. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { reply, type Script } from '@amodal/sdk/testing'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openDoor, type Door } from '../security/support/door.ts'
import {
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../support/otlp-receiver.ts'
import { makeServer } from '../support/tracing-mcp-server.ts'

const SERVER = join(import.meta.dirname, '../support/tracing-mcp-server.ts')
/** The older protocol; it notes whole requests. */
const OLDER_SERVER = join(import.meta.dirname, 'raw-mcp-server.ts')
const MCP_ACCESS = { default: 'allow', endpoints: {} }
const CLIENT = 3

const Waiting = z.looseObject({
  session_id: z.string(),
  pending_input: z.tuple([z.looseObject({ id: z.string() })]),
})
const Meta = z.looseObject({ traceparent: z.string() })

/** A message names the tool that the model calls. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1)
  const text = typeof last?.content === 'string' ? last.content : ''
  const [, name = ''] = /^CALL (\S+)/.exec(text) ?? []
  if (last?.role !== 'user' || name === '') return reply.text('Done.')
  const args = name.endsWith('read_resource') ? { uri: 'page://first' } : {}
  return reply.toolCalls({ name, arguments: name.endsWith('ask') ? { message: 'Hello' } : args })
}

const open = (receiver: OtlpReceiver, spec: object, env: Record<string, string> = {}) =>
  openDoor({
    script,
    manifest: { plugins: [{ without: 'guard-taint', unsafe: true }] },
    files: {
      'connections/peer/spec.json': { protocol: 'mcp', ...spec },
      'connections/peer/access.json': MCP_ACCESS,
    },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      PATH: process.env['PATH'] ?? '',
      ...env,
    },
  })

async function call(door: Door, tool: string): Promise<void> {
  const response = await door.say(`CALL ${tool}`)
  expect(response.status, response.text).toBe(200)
}

async function spanNamed(receiver: OtlpReceiver, name: string): Promise<ReceivedSpan> {
  await expect.poll(() => receiver.named(name).length, { timeout: 20_000 }).toBe(1)
  const [span] = receiver.named(name)
  if (!span) throw new Error(`there is no span ${name}`)
  return span
}

const traceparentOf = ({ traceId, spanId }: ReceivedSpan): string => `00-${traceId}-${spanId}-01`

/** The span of a request is below that of its tool call, and its `traceparent` is sent. */
async function expectTraced(
  receiver: OtlpReceiver,
  meta: unknown,
  tool: string,
  method: string,
): Promise<ReceivedSpan> {
  const execution = await spanNamed(receiver, `execute_tool ${tool}`)
  const request = await spanNamed(receiver, method)
  expect(request).toMatchObject({
    kind: CLIENT,
    traceId: execution.traceId,
    parentSpanId: execution.spanId,
  })
  expect(Meta.parse(meta).traceparent).toBe(traceparentOf(request))
  return request
}

test('of an MCP server over stdio', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, {
    command: process.execPath,
    args: [SERVER, 'notes'],
    trust: true,
  })
  await call(door, 'peer__act')
  const notes = async (): Promise<readonly unknown[]> =>
    (await readFile(join(door.dir, 'notes'), 'utf8'))
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  const [acted] = await notes()
  const act = await expectTraced(receiver, acted, 'peer__act', 'tools/call act')
  expect(act.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2026-07-28',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'act',
    'network.transport': 'pipe',
  })

  await call(door, 'peer__fail')
  const [, failed] = await notes()
  const fail = await expectTraced(receiver, failed, 'peer__fail', 'tools/call fail')
  expect(fail).toMatchObject({ attributes: { 'error.type': 'tool_error' }, status: { code: 2 } })

  await call(door, 'peer__read_resource')
  const [, , page] = await notes()
  const read = await expectTraced(receiver, page, 'peer__read_resource', 'resources/read')
  expect(read.attributes).not.toHaveProperty('gen_ai.tool.name')
  expect(receiver.text).not.toContain('private words')
  expect(receiver.text).not.toContain('page://')
})

test('of one that speaks an older protocol', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, {
    command: process.execPath,
    args: [OLDER_SERVER, 'notes'],
    trust: true,
  })
  await call(door, 'peer__read')
  const Line = z.looseObject({ params: z.looseObject({ _meta: z.unknown() }) })
  const { params } = Line.parse(JSON.parse(await readFile(join(door.dir, 'notes'), 'utf8')))
  const read = await expectTraced(receiver, params._meta, 'peer__read', 'tools/call read')
  expect(read.attributes['mcp.protocol.version']).toMatch(/^2025-/)
})

test('of one over HTTP', async () => {
  const notes: unknown[] = []
  const handler = createMcpHandler(() => makeServer((meta) => notes.push(meta)))
  const server = serve({
    fetch: (request) => handler.fetch(request),
    port: 0,
    hostname: '127.0.0.1',
  })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await using receiver = await startOtlpReceiver()
  await using door = await open(receiver, { url: `http://127.0.0.1:${port}/mcp`, trust: true })
  await call(door, 'peer__act')
  const act = await expectTraced(receiver, notes[0], 'peer__act', 'tools/call act')
  expect(act.attributes).toMatchObject({ 'network.transport': 'tcp' })
})

test('of an agent that is an MCP server: its run has the trace of the run that calls it', async () => {
  await using remoteReceiver = await startOtlpReceiver()
  await using remote = await openDoor({
    script: reply.text('Hello from afar.'),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: remoteReceiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  })
  await using receiver = await startOtlpReceiver()
  await using door = await open(
    receiver,
    { url: `${remote.url}/mcp`, headers: { authorization: 'env:REMOTE' }, trust: true },
    { REMOTE: `Bearer ${remote.token}` },
  )
  // A tool that does not say it only reads asks first.
  const response = await door.say('CALL peer__ask')
  expect(response.status, response.text).toBe(202)
  const { session_id, pending_input } = Waiting.parse(response.body)
  const [question] = pending_input
  const answer = { session_id, id: question.id, approved: true }
  expect(await door.answer(answer)).toMatchObject({ status: 200 })
  const request = await spanNamed(receiver, 'tools/call ask')
  const message = await spanNamed(remoteReceiver, 'amodal.message')
  expect(message).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId })
  const agent = await spanNamed(remoteReceiver, 'invoke_agent door')
  expect(agent).toMatchObject({ traceId: request.traceId, parentSpanId: message.spanId })
})

test('the trace in _meta comes before that of the HTTP request, where it is one', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await openDoor({
    script: reply.text('Hello.'),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  })
  const ask = async (meta: Record<string, string>): Promise<void> => {
    const params = {
      name: 'ask',
      arguments: { message: 'Hello' },
      _meta: {
        ...meta,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    const response = await door.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      {
        authorization: `Bearer ${door.token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'ask',
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
    )
    expect(response.status, response.text).toBe(200)
  }
  const traces = (): readonly string[] => receiver.named('amodal.message').map((one) => one.traceId)
  await ask({ traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` })
  await expect.poll(traces, { timeout: 20_000 }).toEqual(['c'.repeat(32)])
  await ask({ traceparent: 'nonsense' })
  await expect.poll(traces, { timeout: 20_000 }).toEqual(['c'.repeat(32), 'a'.repeat(32)])
})
