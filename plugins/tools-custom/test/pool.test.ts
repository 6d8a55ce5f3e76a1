import { appendFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { desk, handler, type Called } from './support.ts'

const PID = 'let calls = 0\nexport default () => ({ pid: process.pid, calls: ++calls })'
const at = ({ output }: Called): { readonly pid: number; readonly calls: number } =>
  output as { readonly pid: number; readonly calls: number }

describe('processes', () => {
  test('stay warm: calls after the first start no process, and take a part of its time', async () => {
    await using it = await desk(handler('tried', PID))
    const first = await it.call('tried')
    const later: Called[] = []
    for (let n = 0; n < 20; n++) later.push(await it.call('tried'))
    expect(new Set([first, ...later].map((one) => at(one).pid)).size).toBe(1)
    expect(later.map(({ ms }) => ms).sort((one, other) => one - other)[10]).toBeLessThan(
      first.ms / 2,
    )
  })

  test('are exchanged after so many calls', async () => {
    await using it = await desk(handler('tried', PID), { config: { callsEach: 2 } })
    const seen: { readonly pid: number; readonly calls: number }[] = []
    for (let n = 0; n < 4; n++) seen.push(at(await it.call('tried')))
    expect(seen.map(({ calls }) => calls)).toEqual([1, 2, 1, 2])
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(2)
  })

  test('go when they have waited long enough', async () => {
    await using it = await desk(handler('tried', PID), { config: { idleMs: 100 } })
    const { pid } = at(await it.call('tried'))
    await new Promise((resolve) => {
      setTimeout(resolve, 400)
    })
    expect(() => process.kill(pid, 0)).toThrow()
    expect(at(await it.call('tried')).calls).toBe(1)
  })

  test('are as many as allowed, and the rest of the calls wait in line', async () => {
    await using it = await desk(
      handler(
        'tried',
        'export default async () => { await new Promise((r) => setTimeout(r, 150)); return { pid: process.pid } }',
        { readOnly: true },
      ),
      { config: { processes: 2 } },
    )
    const begun = performance.now()
    const outputs = (
      await it.callAll(...Array.from({ length: 6 }, () => ['tried', {}] as const))
    ).map(({ status, output }) => [status, (output as { readonly pid: number }).pid])
    expect(outputs.map(([status]) => status)).toEqual(Array.from({ length: 6 }, () => 'success'))
    expect(new Set(outputs.map(([, pid]) => pid)).size).toBe(2)
    expect(performance.now() - begun).toBeGreaterThan(450)
  })

  test('make room: one that waits goes for one that is needed', async () => {
    await using it = await desk(
      { ...handler('one', PID), ...handler('two', PID) },
      { config: { processes: 1 } },
    )
    const { pid } = at(await it.call('one'))
    expect(at(await it.call('two')).calls).toBe(1)
    expect(() => process.kill(pid, 0)).toThrow()
  })

  test('of handlers that call each other do not wait for one another', async () => {
    await using it = await desk(
      {
        ...handler(
          'outer',
          "export default async (_, ctx) => ({ inner: await ctx.tool('middle') })",
          { readOnly: true },
        ),
        ...handler(
          'middle',
          "export default async (_, ctx) => ({ inner: await ctx.tool('inner') })",
          { readOnly: true },
        ),
        ...handler('inner', 'export default () => ({ reached: true })', { readOnly: true }),
      },
      { config: { processes: 1 } },
    )
    const all = await it.callAll(['outer', {}], ['outer', {}])
    expect(all.map(({ output }) => output)).toEqual(
      [1, 2].map(() => ({ inner: { inner: { reached: true } } })),
    )
  })

  test('belong to one tenant', async () => {
    await using it = await desk(
      handler(
        'tried',
        'let last = null\nexport default (params) => { const before = last; last = params.text; return { before } }',
      ),
    )
    const [ada, bob] = [it.as('ada'), it.as('bob')]
    await it.call('tried', { text: "Ada's" }, { as: ada })
    expect((await it.call('tried', { text: "Bob's" }, { as: bob })).output).toEqual({
      before: null,
    })
    expect((await it.call('tried', { text: 'x' }, { as: ada })).output).toEqual({ before: "Ada's" })
  })

  test('of changed code go, and the new code runs after a reload', async () => {
    await using it = await desk({
      ...handler('tried', 'export default () => ({ version: 1, pid: process.pid })'),
      ...handler('other', PID),
    })
    const { pid } = at(await it.call('tried'))
    const other = at(await it.call('other'))
    await it.write('tools/tried/handler.ts', 'export default () => ({ version: 2 })')
    await it.reload()
    expect((await it.call('tried')).output).toEqual({ version: 2 })
    await expect
      .poll(() => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      })
      .toBe(false)
    expect(at(await it.call('other'))).toEqual({ pid: other.pid, calls: 2 })
  })
})

describe('what was approved', () => {
  const LOUD = { confirm: true }

  test('runs, once it is approved; and does not, where it is refused', async () => {
    await using it = await desk(
      handler('tried', 'export default (params) => ({ did: params.what })', LOUD),
    )
    expect((await it.approve(await it.call('tried', { what: 'a' }))).output).toEqual({ did: 'a' })
    expect(await it.approve(await it.call('tried', { what: 'a' }), false)).toMatchObject({
      status: 'error',
    })
  })

  test.each([
    ['its handler', 'tools/tried/handler.ts'],
    ['a module of it', 'tools/tried/lib.ts'],
    ['its data', 'tools/tried/data.bin'],
    ['its lock file', 'tools/tried/package-lock.json'],
    ['what all tools share', 'tools/_shared/all.ts'],
  ])('is void where %s has changed since', async (_what, path) => {
    await using it = await desk({
      ...handler(
        'tried',
        "import './lib.ts'\nimport '../_shared/all.ts'\nexport default () => ({ did: true })",
        LOUD,
      ),
      'tools/tried/lib.ts': 'export {}\n',
      'tools/tried/data.bin': '\0',
      'tools/tried/package-lock.json': '{}\n',
      'tools/_shared/all.ts': 'export {}\n',
    })
    const waits = await it.call('tried')
    await appendFile(`${it.dir}/${path}`, '\n')
    await it.reload()
    expect(await it.approve(waits)).toMatchObject({ status: 'error', code: 'TOOL_CHANGED' })
    // Asked anew, it is the new code that is approved.
    expect(await it.approve(await it.call('tried'))).toMatchObject({
      status: 'success',
      output: { did: true },
    })
  })

  test('runs, and no other code that nobody has loaded', async () => {
    await using it = await desk({
      ...handler('tried', "import { did } from './lib.ts'\nexport default () => ({ did })", LOUD),
      'tools/tried/lib.ts': 'export const did = true',
    })
    const waits = await it.call('tried')
    await it.write('tools/tried/lib.ts', "export const did = 'something else'")
    expect(await it.approve(waits)).toMatchObject({ status: 'success', output: { did: true } })
  })

  test('does not run where it cannot be told any more what it was', async () => {
    await using it = await desk({
      ...handler('tried', 'export default () => ({ did: true })', LOUD),
      'tools/tried/data.bin': '\0',
    })
    const waits = await it.call('tried')
    await it.write('tools/tried/handler.ts', "export default () => ({ did: 'something else' })")
    expect(await it.approve(waits)).toMatchObject({
      status: 'error',
      code: 'TOOL_CHANGED',
      output: expect.stringContaining('load the agent again') as string,
    })
  })

  test('is not voided by what is installed or made beside it', async () => {
    await using it = await desk(handler('tried', 'export default () => ({ did: true })', LOUD))
    const waits = await it.call('tried')
    await it.write('tools/tried/node_modules/x/index.js', '')
    await it.write(
      'tools/other_one/tool.json',
      JSON.stringify({ description: 'x', type: 'http', connection: 'a', endpoint: '/' }),
    )
    await it.reload()
    expect(await it.approve(waits)).toMatchObject({ status: 'success' })
  })
})
