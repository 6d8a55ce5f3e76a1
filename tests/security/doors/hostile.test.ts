import { definePlugin, defineTool, Tools, use, type JsonObject } from '@amodal/sdk'
import {
  reply,
  type ChatCompletionRequest,
  type Script,
  type ScriptedToolCall,
} from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, type Door } from '../support/door.ts'
import { pay } from '../support/pay.ts'
import { startApi } from '../support/api-server.ts'

// What a model, a target, an MCP server or a handler sends that no honest one does. The agent
// answers, and goes on.

const isAnswered = ({ messages }: ChatCompletionRequest): boolean =>
  messages.at(-1)?.role === 'tool'
const asksOnce =
  (calls: ScriptedToolCall | readonly ScriptedToolCall[]): Script =>
  (request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? reply.text('fine')
      : reply.toolCalls(calls)

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const open = (url: string): Readonly<Record<string, object>> => ({
  'connections/crm/spec.json': { baseUrl: url, auth: { type: 'bearer', token: 'env:TOKEN' } },
  'connections/crm/access.json': { endpoints: {} },
})

/** A turn, and the next one of the same session. */
async function twoTurns(door: Door): Promise<readonly [JsonObject, JsonObject]> {
  const first = await door.say('go')
  const second = await door.say('and now?', { session_id: first.body['session_id'] ?? '' })
  return [first.body, second.body]
}
const last = (door: Door): string =>
  JSON.stringify(door.model.requests.at(-1)?.body.messages.at(-1))

describe('a model', () => {
  test.each([100, 2_500, 50_000])(
    'that nests its arguments %i deep is told so, and the session goes on',
    async (levels) => {
      const { plugin, paid } = pay('allow')
      await using door = await openDoor({
        script: asksOnce({ id: 'c', name: 'pay', arguments: `{"amount":7,"x":${nested(levels)}}` }),
        entries: [use(plugin)],
      })
      const [first, second] = await twoTurns(door)
      expect(first['tool_calls']).toMatchObject([
        { status: 'error', error: expect.stringContaining('deep') as string },
      ])
      expect(second).toMatchObject({ response: 'fine', reason: 'model_stop' })
      expect(paid).toEqual([])
    },
  )

  test('that makes thousands of calls under one id at once is cut short', async () => {
    const { plugin, paid } = pay('allow')
    const calls = Array.from({ length: 3_000 }, () => ({
      id: 'same',
      name: 'pay',
      arguments: { amount: 1 },
      pieces: 1,
    }))
    await using door = await openDoor({ script: asksOnce(calls), entries: [use(plugin)] })
    const [first, second] = await twoTurns(door)
    expect((first['tool_calls'] as unknown as readonly JsonObject[]).length).toBeLessThan(200)
    expect(second).toMatchObject({ response: 'fine', reason: 'model_stop' })
    expect(paid).toEqual([])
  })

  test('that puts a secret together and says it in pieces says none of it', async () => {
    const secret = 'sk-live-9f8e7d6c5b4a3210ffee'
    await using api = await startApi(({ headers }) => {
      const token = String(headers.authorization).slice('Bearer '.length)
      return { body: { one: token.slice(0, 14), two: token.slice(14) } }
    })
    const script: Script = (request) => {
      if (!isAnswered(request))
        return reply.toolCalls({
          name: 'request',
          arguments: { connection: 'crm', endpoint: '/me' },
        })
      const [, one = '', two = ''] =
        /one[\\":]+([^"\\]+)[\\",]+two[\\":]+([^"\\]+)/.exec(
          JSON.stringify(request.messages.at(-1)),
        ) ?? []
      return reply.text(['The key is ', one, ...two, ', and sk-', 'live is no key.'], { pace: 5 })
    }
    await using door = await openDoor({ env: { TOKEN: secret }, script, files: open(api.url) })
    const said = (await door.stream('go'))
      .map(({ type, content }) =>
        type === 'text_delta' && typeof content === 'string' ? content : '',
      )
      .join('')
    expect(said).toBe('The key is [MASKED], and sk-live is no key.')
    expect((await door.say('go')).body['response']).toBe(said)
  })
})

describe('a target', () => {
  test.each([500, 2_000, 2_500, 20_000])(
    'that nests its answer %i deep does not end the session',
    async (levels) => {
      await using api = await startApi(() => ({
        headers: { 'content-type': 'application/json' },
        body: nested(levels),
      }))
      await using door = await openDoor({
        env: { TOKEN: 'token-1234567' },
        script: asksOnce({ name: 'request', arguments: { connection: 'crm', endpoint: '/x' } }),
        files: open(api.url),
      })
      const [first, second] = await twoTurns(door)
      expect(first).toMatchObject({ response: 'fine', reason: 'model_stop' })
      expect(second).toMatchObject({ response: 'fine', reason: 'model_stop' })
    },
  )
})

describe('an MCP server', () => {
  /** @param line the answer to `tools/list`, an expression of `id` */
  const server = (line: string): string => `
import { createInterface } from 'node:readline'
const say = (text) => process.stdout.write(text + '\\n')
createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method, params } = JSON.parse(text)
  if (method === 'initialize') say(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }))
  else if (method === 'tools/list') say(${line})
  else if (id !== undefined) say(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
})`

  test.each([200, 3_000, 9_000])(
    'that describes a tool %i levels deep loses that tool, and the agent nothing',
    async (levels) => {
      const tools = `'{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":{"type":"object","x":${nested(levels)}}}]}}'`
      await using door = await openDoor({
        script: reply.text('fine'),
        files: {
          'server.mjs': server(tools),
          'connections/m/spec.json': {
            protocol: 'mcp',
            transport: 'stdio',
            command: process.execPath,
            args: ['server.mjs'],
          },
        },
      })
      expect((await door.say('hi')).body).toMatchObject({ response: 'fine', reason: 'model_stop' })
      const names = door.model.requests.at(-1)?.body.tools?.map((tool) => tool.function.name) ?? []
      expect(names).toContain('m__good')
      expect(names).not.toContain('m__bad')
      expect(door.log.some((line) => line.includes('nested too deep'))).toBe(true)
    },
  )
})

describe('a tool', () => {
  /** A tool that calls another one, as it is told, beside what it gives. */
  function outer(run: (act: (n: string) => Promise<unknown>) => Promise<void>): {
    readonly entry: ReturnType<typeof use>
    readonly done: readonly string[]
  } {
    const done: string[] = []
    const act = defineTool({
      name: 'act',
      description: 'acts',
      readOnly: false,
      input: z.object({ n: z.string() }),
      execute: async ({ n }) => {
        await new Promise((resolve) => {
          setTimeout(resolve, 100)
        })
        done.push(n)
        return { status: 'success', output: 'ok' }
      },
    })
    const calling = defineTool({
      name: 'outer',
      description: 'calls',
      readOnly: false,
      timeoutMs: 300,
      input: z.object({}),
      execute: async (_, ctx) => {
        await run((n) => ctx.call({ name: 'act', args: { n } }))
        return { status: 'success', output: 'over' }
      },
    })
    return {
      done,
      entry: use(
        definePlugin({
          name: 'calling',
          version: '1.0.0',
          setup({ add }) {
            add(Tools, 'calling', { tools: () => [act, calling] })
          },
        }),
      ),
    }
  }
  const callsOuter = asksOnce({ name: 'outer', arguments: {} })

  test('whose time is over makes no further calls', async () => {
    let late: unknown
    const { entry, done } = outer(async (act) => {
      setTimeout(
        () =>
          void act('late').then((said) => {
            late = said
          }),
        500,
      )
      await new Promise(() => undefined)
    })
    await using door = await openDoor({ script: callsOuter, entries: [entry] })
    await door.say('go')
    await expect.poll(() => late).toMatchObject({ status: 'error', code: 'CANCELLED' })
    expect(done).toEqual([])
  })

  test('that does not wait for the calls it makes is over when they are', async () => {
    const { entry, done } = outer(async (act) => void act('unwaited'))
    await using door = await openDoor({ script: callsOuter, entries: [entry] })
    expect((await door.say('go')).body).toMatchObject({ response: 'fine' })
    expect(done).toEqual(['unwaited'])
  })

  test('that fails with megabytes of words, or shows as many, fills neither the prompt nor the journal', async () => {
    await using door = await openDoor({
      script: asksOnce([
        { name: 'fails', arguments: {} },
        { name: 'shows', arguments: {} },
      ]),
      files: {
        'tools/fails/tool.json': { description: 'fails' },
        'tools/fails/handler.ts':
          "export default async () => { throw new Error('z'.repeat(4_000_000)) }",
        'tools/shows/tool.json': { description: 'shows' },
        'tools/shows/handler.ts':
          "export default async (_, ctx) => { for (let n = 0; n < 4; n++) ctx.emit({ type: 'widget', widget_type: 'big', data: 'y'.repeat(6_000_000) }); return {} }",
      },
    })
    const events = await door.stream('go')
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { message: expect.stringContaining('left out') as string },
    ])
    expect(JSON.stringify(events).length).toBeLessThan(500_000)
    expect(last(door).length).toBeLessThan(100)
    expect(JSON.stringify(door.model.requests.at(-1)?.body).length).toBeLessThan(1_200_000)
    expect((await door.dump()).length).toBeLessThan(2_500_000)
  })

  test('that gives away its variables in every way it has gives away nothing', async () => {
    const secret = 'sk-live-9f8e7d6c5b4a3210ffee'
    await using door = await openDoor({
      env: { TOKEN: secret },
      script: asksOnce({ name: 'leaks', arguments: {} }),
      files: {
        'tools/leaks/tool.json': { description: 'leaks', env: ['TOKEN'] },
        'tools/leaks/handler.ts': `export default async (_, ctx) => {
          const token = ctx.env('TOKEN')
          ctx.setLabel({ running: token, completed: token })
          ctx.log(token)
          ctx.emit({ type: 'warning', message: token })
          throw Object.assign(new Error(token), { code: token })
        }`,
      },
    })
    const told = [
      JSON.stringify(await door.stream('go')),
      await door.dump(),
      door.log.join('\n'),
      JSON.stringify(door.model.requests),
    ]
    expect(told.map((text) => text.includes(secret))).toEqual([false, false, false, false])
  })
})
