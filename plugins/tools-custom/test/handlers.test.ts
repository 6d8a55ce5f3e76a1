import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { desk, handler, startApi } from './support.ts'

const DEAL_STORE = JSON.stringify({
  name: 'scored-deals',
  entity: {
    name: 'Deal',
    key: '{id}',
    schema: { id: { type: 'string' }, score: { type: 'number' } },
  },
})

describe('ctx', () => {
  test('request goes through the tool of that name, and gives the body', async () => {
    await using api = await startApi(({ method, url, body }) => ({ method, url, body }))
    await using it = await desk(
      handler(
        'tried',
        `
      export default async (params, ctx) => ({
        read: await ctx.request('jira', '/search', { params: { q: params.q } }),
        wrote: await ctx.request('jira', '/issue', { method: 'POST', data: { fields: { summary: params.q, at: new Date(0) } } }),
      })`,
      ),
      { api: api.url },
    )
    expect((await it.call('tried', { q: 'a b' })).output).toEqual({
      read: { method: 'GET', url: '/search?q=a+b', body: '' },
      wrote: {
        method: 'POST',
        url: '/issue',
        body: '{"fields":{"summary":"a b","at":"1970-01-01T00:00:00.000Z"}}',
      },
    })
    expect(new Set(api.seen.map(({ key }) => key)).size).toBe(2)
  })

  test('request that was not approved throws an error with its code; what the tool was approved for goes through', async () => {
    await using api = await startApi(() => ({ done: true }))
    const guard = definePlugin({
      name: 'guard',
      version: '1.0.0',
      setup: ({ hooks }) =>
        hooks.tool.guard.tap(
          (verdict, { action }) =>
            action?.effect === 'write' ? verdict.raise('confirm', 'a write') : undefined,
          { stage: 'guard' },
        ),
    })
    const code = `
      export default async (_, ctx) => {
        try { return await ctx.request('jira', '/issue', { method: 'POST', data: {} }) } catch (error) { return { code: error.code, message: error.message } }
      }`
    await using it = await desk(
      {
        ...handler('quiet', code),
        ...handler('loud', code, { confirm: true }),
        ...handler('reader', code, { readOnly: true }),
      },
      { api: api.url, plugins: [use(guard)] },
    )
    expect((await it.call('quiet')).output).toEqual({
      code: 'APPROVAL_REQUIRED',
      message: expect.stringContaining('needs an approval') as string,
    })
    expect((await it.call('reader')).output).toMatchObject({ code: 'TOOL_DENIED' })
    expect(api.seen).toEqual([])
    const waits = await it.call('loud')
    expect((await it.approve(waits)).output).toEqual({ done: true })
    expect(api.seen).toHaveLength(1)
  })

  test('store writes a document', async () => {
    await using it = await desk({
      ...handler(
        'tried',
        "export default async (_, ctx) => ctx.store('scored-deals', { id: 'D-1', score: 7 })",
      ),
      'stores/scored-deals.json': DEAL_STORE,
    })
    expect((await it.call('tried')).output).toMatchObject({ key: 'D-1', version: 1 })
    expect(
      (await it.call('query_store', { store: 'scored-deals', key: 'D-1' })).output,
    ).toMatchObject({ payload: { score: 7 } })
  })

  test('tool calls another one; what that shows is shown', async () => {
    const shower = definePlugin({
      name: 'shower',
      version: '1.0.0',
      setup: ({ add }) =>
        add(Tools, 'shower', {
          tools: () => [
            defineTool({
              name: 'show',
              description: 'x',
              readOnly: true,
              input: z.object({ n: z.number() }),
              execute: async ({ n }) => ({
                status: 'success',
                output: n * 2,
                events: [{ type: 'widget', widget_type: 'metric', data: { n } }],
              }),
            }),
          ],
        }),
    })
    await using it = await desk(
      handler(
        'tried',
        "export default async (_, ctx) => ({ twice: await ctx.tool('show', { n: 21 }) })",
      ),
      { plugins: [use(shower)] },
    )
    const { output, events } = await it.call('tried')
    expect(output).toEqual({ twice: 42 })
    expect(events).toContainEqual({ type: 'widget', widget_type: 'metric', data: { n: 21 } })
  })

  test('env gives declared variables only, and nothing of ours is in the process', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      export default async (_, ctx) => ({ mine: ctx.env('MINE') === 'mine-1', theirs: ctx.env('THEIRS') ?? null, proto: ctx.env('constructor') ?? null, all: Object.entries(process.env).map(([name, value]) => name + value.length) })`,
        { env: ['MINE', 'UNSET'] },
      ),
      { env: { MINE: 'mine-1', THEIRS: 'theirs-1' } },
    )
    expect((await it.call('tried')).output).toEqual({
      mine: true,
      theirs: null,
      proto: null,
      all: ['MINE6'],
    })
  })

  test('env that a handler returns, or shows, is masked', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      export default async (_, ctx) => {
        const token = ctx.env('API_TOKEN')
        ctx.emit({ type: 'widget', widget_type: 'metric', data: { token } })
        return { plain: token, inside: 'Bearer ' + token, list: [{ [token]: 1 }], encoded: btoa(token) }
      }`,
        { env: ['API_TOKEN'] },
      ),
      { env: { API_TOKEN: 'tok-9a8b7c6d5e' } },
    )
    const { output, events } = await it.call('tried')
    expect(output).toEqual({
      plain: '[MASKED]',
      inside: 'Bearer [MASKED]',
      list: [{ '[MASKED]': 1 }],
      encoded: expect.stringMatching(/^\[MASKED\]/) as string,
    })
    expect(JSON.stringify([events, it.model.requests.map(({ body }) => body)])).not.toMatch(
      /tok-9a8b7c6d5e|dG9rLTlhOGI3YzZkNWU/,
    )
  })

  test('log, setLabel and emit reach the client; a value of a secret does not', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      export default async (_, ctx) => {
        ctx.log('looking'); ctx.log({ n: 1 }); ctx.log('key ' + ctx.env('API_TOKEN'))
        ctx.setLabel({ running: 'Half way' })
        ctx.emit({ type: 'widget', widget_type: 'metric', data: { label: 'n', value: 1 } })
        ctx.emit({ type: 'done', reason: 'model_stop' })
        ctx.emit({ type: 'confirmation_required', id: 'x' })
        return {}
      }`,
        { env: ['API_TOKEN'] },
      ),
      { env: { API_TOKEN: 'tok-9a8b7c6d5e' } },
    )
    const { events } = await it.call('tried')
    const id = events.find((event) => event.type === 'tool_call_start')?.tool_id
    expect(
      events
        .filter(({ type }) => type === 'tool_log')
        .map((event) => ('message' in event ? event.message : '')),
    ).toEqual([
      'looking',
      '{"n":1}',
      'key [MASKED]',
      expect.stringContaining('cannot emit "done"'),
      expect.stringContaining('cannot emit "confirmation_required"'),
    ])
    expect(events).toContainEqual({
      type: 'tool_label_update',
      tool_id: id,
      running_label: 'Half way',
    })
    expect(events.filter(({ type }) => type === 'widget')).toEqual([
      { type: 'widget', widget_type: 'metric', data: { label: 'n', value: 1 } },
    ])
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
  })

  test('user, agentId, scopeId and sessionId say whose call it is', async () => {
    await using it = await desk(
      handler(
        'tried',
        'export default (_, { user, agentId, scopeId, sessionId }) => ({ user, agentId, scopeId, sessionId })',
      ),
    )
    const { output, session } = await it.call('tried')
    expect(output).toEqual({
      user: { roles: ['ops'] },
      agentId: 'desk',
      scopeId: 'local',
      sessionId: session,
    })
  })

  test('fetch goes out through the server, with its rules for addresses', async () => {
    await using api = await startApi(({ method, body }) => ({ method, body }))
    await using hidden = await startApi(() => ({ inner: true }))
    await using it = await desk(
      {
        ...handler(
          'tried',
          `
        export default async (params) => {
          const response = await fetch(params.url, { method: params.method ?? 'POST', body: params.method ? undefined : JSON.stringify({ a: 1 }), headers: { 'content-type': 'application/json' } })
          return { ok: response.ok, type: response.headers.get('content-type'), ...await response.json() }
        }`,
        ),
        ...handler(
          'reader',
          "export default async (params) => { await fetch(params.url, { method: 'DELETE' }); return {} }",
          { readOnly: true },
        ),
      },
      { api: api.url },
    )
    expect((await it.call('tried', { url: `${api.url}/hook` })).output).toEqual({
      ok: true,
      type: 'application/json',
      method: 'POST',
      body: '{"a":1}',
    })
    expect(await it.call('tried', { url: `${hidden.url}/meta`, method: 'GET' })).toMatchObject({
      status: 'error',
      output: expect.stringMatching(/fetch failed: .*private network/) as string,
    })
    expect(hidden.seen).toEqual([])
    expect(await it.call('reader', { url: api.url })).toMatchObject({
      status: 'error',
      output: expect.stringContaining('read-only') as string,
    })
    expect(api.seen).toHaveLength(1)
  })

  test('exec needs the manifest to allow it', async () => {
    await using it = await desk(handler('tried', "export default (_, ctx) => ctx.exec('echo hi')"))
    expect(await it.call('tried')).toMatchObject({
      status: 'error',
      code: 'TOOL_DENIED',
      output: expect.stringContaining('"shellExec": true') as string,
    })
  })

  test('exec runs a line or a program, with nothing of our environment', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      export default async (params, ctx) => ({
        line: await ctx.exec('echo "a b" | tr a-z A-Z; echo no >&2; exit 3'),
        program: await ctx.exec(['printf', '%s', '$HOME; rm']),
        env: (await ctx.exec(['env'])).stdout.split('\\n').map((line) => line.split('=')[0]).filter(Boolean).sort(),
        where: (await ctx.exec('pwd')).stdout,
        late: await ctx.exec('sleep 10', { timeout: 150 }).catch((error) => error.code),
        flood: await ctx.exec('yes').catch((error) => error.code),
        none: await ctx.exec(['no-such-program-here']).then((done) => done.exitCode, (error) => error.code),
      })`,
        { env: ['MINE'] },
      ),
      { env: { MINE: 'x' }, manifest: { sandbox: { shellExec: true } } },
    )
    const { output, ms } = await it.call('tried')
    expect(output).toEqual({
      line: { stdout: 'A B\n', stderr: 'no\n', exitCode: 3 },
      program: { stdout: '$HOME; rm', stderr: '', exitCode: 0 },
      env: expect.not.arrayContaining(['MINE', 'HOME', 'NODE_OPTIONS']),
      where: `${it.dir}/tools/tried\n`,
      late: 'TIMEOUT',
      flood: 'TOO_LARGE',
      none: 127,
    })
    expect(ms).toBeLessThan(30_000)
  })
})

describe('a result', () => {
  test.each<[what: string, code: string, expected: object]>([
    ['an object is itself', '({ a: 1 })', { status: 'success', output: { a: 1 } }],
    ['a text is wrapped', "'x'", { status: 'success', output: { result: 'x' } }],
    ['a list is wrapped', '[1, 2]', { status: 'success', output: { result: [1, 2] } }],
    ['nothing is null', 'undefined', { status: 'success', output: { result: null } }],
    [
      'an error as its only key is an error',
      "({ error: 'no such ticket' })",
      { status: 'error', output: 'no such ticket', code: 'TOOL_FAILED' },
    ],
    [
      'an error beside others is none',
      "({ error: 'x', id: 1 })",
      { status: 'success', output: { error: 'x', id: 1 } },
    ],
    [
      'dates, maps, sets, big integers and addresses have a plain form',
      "({ at: new Date(0), map: new Map([['a', 1n]]), set: new Set([1]), url: new URL('https://example.com/a') })",
      {
        output: {
          at: '1970-01-01T00:00:00.000Z',
          map: { a: '1' },
          set: [1],
          url: 'https://example.com/a',
        },
      },
    ],
    ['undefined fields are left out', '({ a: undefined, b: 1 })', { output: { b: 1 } }],
    [
      'a function is refused',
      '({ a: { b: () => 1 } })',
      {
        status: 'error',
        output: expect.stringContaining(
          'the result.a.b is a function, which cannot be sent',
        ) as string,
      },
    ],
    [
      'a promise is refused',
      '({ a: Promise.resolve(1) })',
      {
        status: 'error',
        output: expect.stringContaining(
          'the result.a is a promise, which cannot be sent: await it',
        ) as string,
      },
    ],
    [
      'a response is refused',
      "new Response('x')",
      { status: 'error', output: expect.stringContaining('await response.json()') as string },
    ],
    [
      'bytes are refused',
      "({ file: Buffer.from('x') })",
      { status: 'error', output: expect.stringContaining('the result.file is bytes') as string },
    ],
    [
      'a circle is refused',
      '(() => { const a = {}; a.a = a; return a })()',
      {
        status: 'error',
        output: expect.stringContaining('the result.a contains itself') as string,
      },
    ],
    [
      'what is no number is refused',
      '({ n: 0 / 0 })',
      { status: 'error', output: expect.stringContaining('the result.n is NaN') as string },
    ],
    [
      'an exception is told with its line',
      "(() => { throw new Error('no luck') })()",
      { status: 'error', output: '"tried" failed: no luck (handler.ts:1)' },
    ],
    [
      'what is thrown keeps its code',
      "(() => { throw Object.assign(new Error('gone'), { code: 'NOT_FOUND' }) })()",
      { status: 'error', code: 'NOT_FOUND' },
    ],
    [
      'a text that is thrown',
      "(() => { throw 'no' })()",
      { status: 'error', output: '"tried" failed: it threw no' },
    ],
  ])('%s', async (_what, code, expected) => {
    await using it = await desk(handler('tried', `export default async () => ${code}`))
    expect(await it.call('tried')).toMatchObject(expected)
  })

  test('is shaped, too', async () => {
    await using it = await desk(
      handler('tried', 'export default () => ({ a: { b: 1 }, c: 2 })', {
        responseShaping: { pick: ['a.b'], rename: { 'a.b': 'n' }, template: 'n is {{n}}' },
      }),
    )
    expect((await it.call('tried')).output).toBe('n is 1')
  })
})

describe('imports', () => {
  test('of its own folder, of what is shared, of packages in its own node_modules, and of ours', async () => {
    await using it = await desk({
      ...handler(
        'tried',
        `
        import { defineToolHandler } from '@amodal/sdk'
        import type { ToolContext } from '@amodalai/types'
        import { one } from './lib/one'
        import { two } from './lib/two.js'
        import { three } from '../_shared/three.ts'
        import four from 'four'
        import { readFile } from 'node:fs/promises'
        export default defineToolHandler({ description: 'x', handler: async () => ({ sum: one + two + three + four, own: typeof readFile }) })`,
      ),
      'tools/tried/lib/one.ts': 'export const one: number = 1',
      'tools/tried/lib/two.ts': "import { one } from './one.ts'\nexport const two = one + 1",
      'tools/_shared/three.ts': 'export const three = 3 as const',
      'tools/tried/package.json': JSON.stringify({
        type: 'module',
        dependencies: { four: '1.0.0', '@amodalai/core': '*' },
      }),
      'tools/tried/node_modules/four/package.json': JSON.stringify({
        name: 'four',
        version: '1.0.0',
        main: 'index.js',
      }),
      'tools/tried/node_modules/four/index.js': "module.exports = require('./n.js')",
      'tools/tried/node_modules/four/n.js': 'module.exports = 4',
    })
    expect(it.bundle.issues).toEqual([])
    expect((await it.call('tried')).output).toEqual({ sum: 10, own: 'function' })
  })

  test('of what is no part of the tool are refused', async () => {
    await using it = await desk({
      ...handler('one', "import '../two/handler.ts'\nexport default () => 1"),
      ...handler('two', 'export default () => 2'),
      ...handler('three', "import '../../secret.ts'\nexport default () => 1"),
      'secret.ts': 'export {}',
      ...handler('four', "import 'zod'\nexport default () => 1"),
      'node_modules/zod/package.json': '{"main":"i.js"}',
      'node_modules/zod/i.js': '',
      ...handler(
        'five',
        "export default async () => { await import('../../secret.ts'); return 1 }",
      ),
    })
    expect((await it.call('one')).output).toContain(
      "lies outside of this tool: move it into the tool's folder, or into tools/_shared",
    )
    expect((await it.call('three')).output).toContain('lies outside of this tool')
    expect((await it.call('four')).output).toContain(
      '"zod" is not installed in this tool\'s folder',
    )
    expect((await it.call('five')).output).toContain('lies outside of this tool')
  })
})
