import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { desk, given, handler, said, type DeskOptions } from './support.ts'

interface GuardParts {
  readonly manifest?: JsonObject
  readonly run?: string
  readonly code?: string
}

const MANIFEST = {
  name: 'dry',
  points: ['preToolUse'],
  capabilities: ['gates_tools', 'reads_tool_io'],
}

/** The files of a guard whose `run` has this body. */
const guard = (
  folder: string,
  { manifest = {}, run = "return { action: 'allow' }", code }: GuardParts = {},
): Readonly<Record<string, string>> => ({
  [`hooks/${folder}/hook.json`]: JSON.stringify({ ...MANIFEST, ...manifest }, null, 2),
  [`hooks/${folder}/index.mjs`]:
    code ?? `export const createHook = (config) => ({ async run(point, payload, ctx) { ${run} } })`,
})
const BLOCK = "return { action: 'block', reason: 'This bed stays dry.' }"
const WATER = handler('water', 'export default ({ bed }) => ({ watered: bed })', {
  parameters: { type: 'object', properties: { bed: { type: 'string' } } },
})
const STORE = {
  'stores/beds.json': JSON.stringify({
    entity: {
      name: 'bed',
      key: '{id}',
      schema: { id: { type: 'string' }, crop: { type: 'string' } },
    },
  }),
  'stores/beds.seed.json': JSON.stringify([
    { id: 'b1', crop: 'thyme' },
    { id: 'b2', crop: 'mint' },
  ]),
}
const open = (files: Readonly<Record<string, string>>, options: DeskOptions = {}) =>
  desk({ ...WATER, ...files }, options)

describe('a guard before a tool call', () => {
  test('sees the call, and blocks it with its reason', async () => {
    await using it = await open(
      guard('dry', {
        manifest: { config: { dry: 'b1' } },
        run: `return payload.args.bed === config.dry && payload.toolName === 'water' && point === 'preToolUse'
          ? { action: 'block', reason: 'This bed stays dry.' } : { action: 'allow' }`,
      }),
    )
    const blocked = await it.call('water', { bed: 'b1' })
    expect(blocked).toMatchObject({ status: 'error', code: 'TOOL_DENIED' })
    expect(said(blocked)).toContain('This bed stays dry.')
    expect(said(await it.call('water', { bed: 'b2' }))).toBe('{"watered":"b2"}')
  })

  test('is asked in the order of folders, and the first block ends it', async () => {
    const name = (reason: string) => `return { action: 'block', reason: '${reason}' }`
    await using it = await open({
      ...guard('20-second', { run: name('second') }),
      ...guard('10-first', { run: name('first') }),
    })
    const output = said(await it.call('water', { bed: 'b1' }))
    expect(output).toContain('first')
    expect(output).not.toContain('second')
  })

  test('blocks before anything of the call has run, also one that a person approves', async () => {
    await using it = await open({
      ...guard('dry', { run: BLOCK }),
      ...handler('drain', 'export default () => { throw new Error("it ran") }', { confirm: true }),
    })
    const called = await it.call('drain')
    expect(called.pending).toEqual([])
    expect(said(called)).toContain('stays dry')
  })

  test('lets approvals stand', async () => {
    await using it = await open({
      ...guard('open'),
      ...handler('drain', 'export default () => 1', { confirm: true }),
    })
    expect((await it.call('drain')).status).toBe('waits')
  })

  test('is not asked about calls of a tool', async () => {
    await using it = await open({
      ...guard('dry', {
        run: `return payload.toolName === 'water' ? { action: 'block', reason: 'dry' } : { action: 'allow' }`,
      }),
      ...handler('all', "export default (_, ctx) => ctx.tool('water', { bed: 'b1' })"),
    })
    expect(said(await it.call('all'))).toBe('{"watered":"b1"}')
  })

  test('has arguments only with `reads_tool_io`, and documents only with `store:read`', async () => {
    const run = `return { action: 'block', reason: JSON.stringify([Object.keys(payload), typeof ctx.store, ctx.caller]) }`
    const seen = async (capabilities: readonly string[]) => {
      await using it = await open({
        ...STORE,
        ...guard('a', { manifest: { capabilities: ['gates_tools', ...capabilities] }, run }),
      })
      return said(await it.call('water', { bed: 'b1' }))
    }
    expect(await seen([])).toContain('[["toolName"],"undefined",{"source":"user"}]')
    expect(await seen(['reads_tool_io', 'store:read'])).toContain('[["toolName","args"],"object"')
  })

  test('reads documents of the caller', async () => {
    await using it = await open({
      ...STORE,
      ...guard('dry', {
        manifest: { capabilities: ['gates_tools', 'reads_tool_io', 'store:read'] },
        run: `
          const bed = await ctx.store.get('beds', payload.args.bed)
          const thyme = await ctx.store.query('beds', { crop: 'thyme' })
          return { action: 'block', reason: JSON.stringify([bed, thyme]) }`,
      }),
    })
    expect(said(await it.call('water', { bed: 'b9' }))).toContain(
      '[null,[{"id":"b1","crop":"thyme"}]]',
    )
  })

  test('reaches nothing else', async () => {
    await using it = await open(
      guard('a', {
        run: `const all = []
          for (const work of [() => fetch('https://example.com'), () => ctx.tool('water', {})])
            await Promise.resolve().then(work).then(() => all.push('done'), (error) => all.push(error.message))
          return { action: 'block', reason: all.join('|') }`,
      }),
    )
    expect(said(await it.call('water'))).toMatch(/reaches nothing but.*not a function/)
  })
})

describe('a guard that fails', () => {
  const ways: readonly (readonly [string, GuardParts])[] = [
    ['throws', { run: "throw new Error('dust')" }],
    ['crashes', { run: 'process.kill(process.pid, "SIGKILL")' }],
    ['gives no answer in time', { run: 'await new Promise(() => {})' }],
    ['spins', { run: 'for (;;);' }],
    ['answers with nothing', { run: 'return undefined' }],
    ['answers with another action', { run: "return { action: 'warn' }" }],
    ['blocks without a reason', { run: "return { action: 'block' }" }],
    ['blocks without `gates_tools`', { run: BLOCK, manifest: { capabilities: ['reads_tool_io'] } }],
  ]
  test.each(ways)('blocks where it is closed: it %s', async (_what, parts) => {
    await using it = await open(guard('a', parts), { config: { guardMs: 300 } })
    const called = await it.call('water', { bed: 'b1' })
    expect(called.status).toBe('error')
    expect(said(called)).toMatch(/the guard \\?"dry\\?" failed/)
  })

  test.each(ways)('allows where it is open: it %s', async (_what, { manifest, ...parts }) => {
    const open_ = { ...manifest, failPolicy: 'open' }
    await using it = await open(guard('a', { ...parts, manifest: open_ }), {
      config: { guardMs: 300 },
    })
    expect(said(await it.call('water', { bed: 'b1' }))).toBe('{"watered":"b1"}')
  })

  test('runs as it was loaded, whatever stands in its folder since', async () => {
    await using it = await open(guard('a', { run: BLOCK, manifest: { failPolicy: 'open' } }))
    await unlink(join(it.dir, 'hooks/a/index.mjs'))
    expect(said(await it.call('water', { bed: 'b1' }))).toContain('stays dry')
  })
})

describe('guards around a turn', () => {
  test('block a message before a model is asked', async () => {
    await using it = await open(
      guard('a', {
        manifest: { points: ['preInput'] },
        run: `return payload.text.includes('flood') ? { action: 'block', reason: 'No floods.' } : { action: 'allow' }`,
      }),
    )
    const { events } = given(await it.face.ask({ text: 'flood it' }))
    expect(JSON.stringify(events)).toContain('No floods.')
    expect(it.model.requests).toHaveLength(0)
    given(await it.face.ask({ text: 'hello' }))
    expect(it.model.requests).toHaveLength(1)
  })

  test('withhold a result, and an answer', async () => {
    await using it = await open({
      ...guard('a', {
        manifest: { points: ['postToolUse', 'preOutput'] },
        run: `const text = payload.text ?? JSON.stringify(payload.result)
          return /b7|Done/.test(text) ? { action: 'block', reason: 'Nobody reads this.' } : { action: 'allow' }`,
      }),
    })
    const called = await it.call('water', { bed: 'b7' })
    expect(said(called)).toContain('its result is withheld: Nobody reads this.')
    const text = called.events.flatMap((event) =>
      event.type === 'text_delta' ? [event.content] : [],
    )
    expect(text.join('')).toBe('Nobody reads this.')
    expect(JSON.stringify(called.events)).not.toContain('Done.')
    expect(said(await it.call('water', { bed: 'b8' }))).toBe('{"watered":"b8"}')
  })
})

describe('a start', () => {
  test.each<readonly [string, Readonly<Record<string, string>>, string]>([
    [
      'an unknown field',
      guard('a', { manifest: { failPolicy: 'open', retries: 1 } }),
      '`retries` is not a known field',
    ],
    [
      'an unknown point',
      guard('a', { manifest: { failPolicy: 'open', points: ['preFlight'] } }),
      'preFlight',
    ],
    ['no point', guard('a', { manifest: { failPolicy: 'open', points: [] } }), '`points`'],
    [
      'an unknown capability',
      guard('a', { manifest: { failPolicy: 'open', capabilities: ['net'] } }),
      'store:read',
    ],
    ['an unknown policy', guard('a', { manifest: { failPolicy: 'ask' } }), 'use one of'],
    ['no name', guard('a', { manifest: { failPolicy: 'open', name: '' } }), '`name`'],
    ['JSON that is none', { ...guard('a'), 'hooks/a/hook.json': '{' }, 'hooks/a/hook.json'],
    ['no manifest', { 'hooks/a/index.mjs': 'x' }, 'no hook.json'],
    ['no code', { 'hooks/a/hook.json': JSON.stringify(MANIFEST) }, 'no index.mjs'],
    ['code that throws', guard('a', { code: 'throw new Error("dust")' }), 'dust'],
    ['code without `createHook`', guard('a', { code: 'export default 1' }), 'createHook'],
    ['a hook without `run`', guard('a', { code: 'export const createHook = () => 1' }), '{ run('],
    ['a file that is no guard', { 'hooks/dry.mjs': 'x' }, 'this is no guard'],
    ['notes alone', { 'hooks/README.md': 'x' }, 'nothing of hooks/ is a guard'],
  ])('is stopped by %s', async (_what, files, message) => {
    const refused = await open(files).then(
      () => 'it started',
      (cause: unknown) => String(cause),
    )
    expect(refused).toContain('the agent is not started without its guards: hooks')
    expect(refused).toContain(message)
  })
})
