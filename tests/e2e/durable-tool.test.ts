import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { write } from '../security/support/door.ts'
import { serve, type Server } from './server.ts'

/** A farm on loopback that answers `/slow` only once it is told to. */
async function farm() {
  const seen: string[] = []
  const held: ServerResponse[] = []
  let isHeld = true
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`)
    if (isHeld && request.url?.startsWith('/slow')) held.push(response)
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ count: seen.length }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    seen,
    open: () => {
      isHeld = false
    },
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const TOOL = `export default {
  id: 'irrigate',
  exposure: { kind: 'open' },
  llm_callable: false,
  base: { name: 'irrigate', description: 'Irrigates.', parametersJsonSchema: { type: 'object', properties: {} } },
  execution: 'durable',
  triggers: [{ kind: 'invoke' }],
  uses: { tools: ['pump'] },
  async handle(ctx) {
    const [now, random] = [ctx.now(), ctx.random()]
    const pumped = await ctx.callTool('pump', {})
    const later = ctx.now()
    const slow = await ctx.request('farm', '/slow?now=' + now + '&random=' + random + '&later=' + later)
    const again = await ctx.callTool('pump', {})
    return { pumped, slow, again }
  },
}
`
const run = (server: Server): Promise<Response> =>
  fetch(`${server.url}/api/tools/irrigate/run`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${server.credential}`,
      'idempotency-key': 'once',
    },
    body: '{ "input": {} }',
    signal: AbortSignal.timeout(60_000),
  })

test('a durable tool whose server is killed goes on with what it had', async () => {
  await using field = await farm()
  const model = await startModelServer({ script: reply.text('a model') })
  const dir = await mkdtemp(join(tmpdir(), 'amodal-durable-'))
  try {
    await write(dir, {
      'amodal.json': {
        name: 'farm',
        models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
      },
      'amodal/agents/default/AGENT.md': 'You keep the beds.',
      'amodal/agents/default/agent.json': { tools: [] },
      'amodal/connections/farm/spec.json': { protocol: 'rest', baseUrl: field.url },
      'amodal/connections/farm/policy.json': {
        endpoints: { 'POST /pump': { returns: [], confirm: false } },
      },
      'amodal/tools/irrigate/tool.ts': TOOL,
      'amodal/tools/pump/tool.json': { description: 'Pumps.', confirm: 'never' },
      'amodal/tools/pump/handler.ts':
        "export default (_, ctx) => ctx.request('farm', '/pump', { method: 'POST', data: {} })",
    })
    {
      await using server = await serve(dir)
      const lost = run(server).catch(() => undefined)
      await expect
        .poll(() => field.seen, { timeout: 60_000 })
        .toEqual(['POST /pump', expect.stringMatching(/^GET \/slow/)])
      await server.process.kill('SIGKILL')
      await lost
    }
    field.open()
    await using server = await serve(dir)
    await expect
      .poll(async () => (await run(server)).json() as Promise<object>, { timeout: 90_000 })
      .toMatchObject({
        outcome: { kind: 'complete' },
        result: { pumped: { count: 1 }, again: { count: 4 } },
      })
    const [first, second] = field.seen.filter((one) => one.startsWith('GET /slow'))
    expect(second).toBe(first)
    expect(field.seen.filter((one) => one === 'POST /pump')).toHaveLength(2)
  } finally {
    await model.close()
    await rm(dir, { recursive: true, force: true })
  }
})
