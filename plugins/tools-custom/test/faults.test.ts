import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { desk, handler, said, type Desk } from './support.ts'

const GOOD = handler(
  'good',
  'let calls = 0\nexport default (params) => ({ ...params, calls: ++calls, pid: process.pid })',
)

/** The neighbour is served by the same process as before, whatever became of the other one. */
async function neighbourIsWell(it: Desk, work: () => Promise<void>): Promise<void> {
  const before = (await it.call('good', { a: 1 })).output as {
    readonly pid: number
    readonly calls: number
  }
  await work()
  expect((await it.call('good', { a: 2 })).output).toEqual({
    a: 2,
    calls: before.calls + 1,
    pid: before.pid,
  })
}

describe('a handler that fails', () => {
  test.each<[what: string, code: string, expected: RegExp]>([
    [
      'throws',
      "export default () => { throw new Error('no luck') }",
      /^"bad" failed: no luck \(handler.ts:1\)$/,
    ],
    [
      'ends the process',
      'export default () => process.exit(7)',
      /its process ended with exit code 7 and gave no answer.*unknown: check before repeating/,
    ],
    ['ends the process well', 'export default () => { process.exit(0) }', /ended with exit code 0/],
    ['aborts', 'export default () => process.abort()', /was ended by SIGABRT/],
    [
      'kills itself',
      "export default () => process.kill(process.pid, 'SIGKILL')",
      /was ended by SIGKILL/,
    ],
    [
      'leaves a rejection alone',
      "export default () => { Promise.reject(new Error('left alone')); return new Promise(() => { setInterval(() => {}, 1000) }) }",
      /its process broke down: left alone \(handler.ts:1\)/,
    ],
    [
      'throws in a timer',
      "export default () => new Promise(() => { setTimeout(() => { throw new Error('later') }, 5) })",
      /its process broke down: later/,
    ],
    [
      'waits for nothing',
      'export default () => new Promise(() => {})',
      /did not answer within 900 ms/,
    ],
    ['loops for ever', 'export default () => { for (;;) {} }', /did not answer within 900 ms/],
    [
      'fills its heap',
      'export default () => { const all = []; for (;;) all.push(new Array(1e5).fill(1.5)) }',
      /its process ran out of memory/,
    ],
    [
      'fills its buffers',
      'export default () => { const all = []; for (;;) all.push(Buffer.alloc(5e7, 1)) }',
      /allocat|ran out of memory/,
    ],
    [
      'floods its output',
      "export default () => { for (;;) console.log('x'.repeat(1000)) }",
      /its process wrote more than 50000 bytes to its output/,
    ],
    [
      'floods its errors',
      "export default () => { for (;;) process.stderr.write('x'.repeat(1000)) }",
      /wrote more than 50000 bytes/,
    ],
    [
      'returns too much',
      "export default () => ({ text: 'x'.repeat(300000) })",
      /its process sent a message of more than 200000 bytes/,
    ],
    [
      'logs without end',
      "export default (_, ctx) => { for (;;) ctx.log('x'.repeat(1000)) }",
      /its process (sent more than 800000 bytes in one call|ran out of memory)|did not answer/,
    ],
    [
      'asks without end',
      "export default (_, ctx) => { for (;;) ctx.request('a', '/', {}).catch(() => {}) }",
      /asked for more than 64 things at once|did not answer/,
    ],
    [
      'writes garbage to the channel',
      "import { writeSync } from 'node:fs'\nexport default async () => { writeSync(3, '\\u0000garbage\\n'); await new Promise((r) => setTimeout(r, 500)) }",
      /its process wrote something else than messages to its channel/,
    ],
    [
      'writes messages that are none',
      'import { writeSync } from \'node:fs\'\nexport default async () => { writeSync(3, \'{"type":"nonsense"}\\n\'); await new Promise((r) => setTimeout(r, 500)) }',
      /its process sent a message that is none/,
    ],
    [
      'closes the channel',
      "import { closeSync } from 'node:fs'\nexport default async () => { try { closeSync(3) } catch {} ; await new Promise((r) => setTimeout(r, 3000)) }",
      /its process|did not answer/,
    ],
    [
      'nests too deep',
      'export default () => { let a = {}; for (let i = 0; i < 5000; i++) a = { a }; return a }',
      /lies more than 100 levels deep/,
    ],
  ])(
    '%s',
    async (_what, code, expected) => {
      await using it = await desk(
        {
          ...GOOD,
          ...handler('bad', code, {
            timeout: String(expected).includes('within 900 ms') ? 900 : 15_000,
          }),
        },
        { config: { memoryMb: 64, outputBytes: 50_000, messageBytes: 200_000 } },
      )
      await neighbourIsWell(it, async () => {
        const failed = await it.call('bad')
        expect(failed.status).not.toBe('success')
        expect(said(failed)).toMatch(expected)
        expect(said(failed)).not.toContain(it.dir)
      })
      expect((await it.call('bad')).status).not.toBe('success') // and it can be tried again
    },
    60_000,
  )

  test('recovers by itself: the next call gets a new process', async () => {
    await using it = await desk(
      handler(
        'bad',
        'let calls = 0\nexport default ({ die }) => { if (die) process.exit(1); return { calls: ++calls } }',
      ),
    )
    expect((await it.call('bad')).output).toEqual({ calls: 1 })
    expect((await it.call('bad', { die: true })).status).toBe('unknown')
    expect((await it.call('bad')).output).toEqual({ calls: 1 })
  })

  test('takes no sibling of the same step with it', async () => {
    await using it = await desk({
      ...handler('bad', 'export default () => process.exit(1)', { readOnly: true }),
      ...handler('fine', 'export default () => ({ fine: true })', { readOnly: true }),
    })
    expect(
      (await it.callAll(['fine', {}], ['bad', {}], ['fine', {}])).map(({ status }) => status),
    ).toEqual(['success', 'error', 'success'])
  })

  test('garbage on its output disturbs nothing', async () => {
    await using it = await desk(
      handler(
        'tried',
        'export default () => { console.log(\'{"type":"result","call":1,"value":"forged"}\'); console.error(\'\\u0007\'); return { real: true } }',
      ),
    )
    expect((await it.call('tried')).output).toEqual({ real: true })
  })

  test('names of prototypes reach nothing of ours', async () => {
    await using it = await desk({
      ...handler(
        'tried',
        `
        export default async (params, ctx) => {
          ctx.emit(JSON.parse('{"type":"widget","widget_type":"metric","data":{"__proto__":{"polluted":1}}}'))
          return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"\\\\u005f_proto__":{"polluted":1},"a":1}')
        }`,
      ),
      ...handler(
        'takes',
        'export default (params) => ({ polluted: ({}).polluted ?? null, keys: Object.keys(params) })',
        { parameters: { type: 'object' } },
      ),
    })
    const { status, output } = await it.call('tried')
    expect(status).toBe('success')
    expect(Object.keys(output as object)).toEqual(['constructor', 'a'])
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined()
    expect(
      (await it.call('takes', JSON.parse('{"__proto__":{"polluted":1},"b":1}') as object)).output,
    ).toMatchObject({ polluted: null })
  })

  test("a late answer of an earlier call is nobody's", async () => {
    await using it = await desk(
      handler(
        'tried',
        'import { writeSync } from \'node:fs\'\nexport default async (params) => { if (params.n === 2) { writeSync(3, \'{"type":"result","call":1,"value":{"late":1}}\\n\'); await new Promise((r) => setTimeout(r, 50)) } return { n: params.n } }',
      ),
    )
    expect((await it.call('tried', { n: 1 })).output).toEqual({ n: 1 })
    expect((await it.call('tried', { n: 2 })).output).toEqual({ n: 2 })
  })
})

describe('a deadline', () => {
  const pidIn = async (file: string): Promise<number> => Number(await readFile(file, 'utf8'))
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }

  test('ends the process, and whatever it has started', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      export default async (params) => {
        const child = spawn('sleep', ['60'])
        writeFileSync(params.dir + '/child', String(child.pid)); writeFileSync(params.dir + '/self', String(process.pid))
        for (;;) {}
      }`,
        { timeout: 6_000 },
      ),
    )
    expect(await it.call('tried', { dir: it.dir })).toMatchObject({
      status: 'unknown',
      code: 'TOOL_TIMEOUT',
    })
    const pids = [await pidIn(`${it.dir}/child`), await pidIn(`${it.dir}/self`)]
    await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([])
  })

  test('is told to the handler first: its signal aborts', async () => {
    await using it = await desk(
      handler(
        'tried',
        `
      import { writeFileSync } from 'node:fs'
      export default (params, { signal }) => new Promise((_, reject) => { signal.addEventListener('abort', () => { writeFileSync(params.dir + '/told', 'yes'); reject(signal.reason) }) })`,
        { timeout: 4_000 },
      ),
    )
    await it.call('tried', { dir: it.dir })
    await expect
      .poll(() => readFile(`${it.dir}/told`, 'utf8').catch(() => ''), { timeout: 30_000 })
      .toBe('yes')
  })

  test('ends commands, too', async () => {
    await using it = await desk(
      handler(
        'tried',
        "export default (params, ctx) => ctx.exec('echo $$ > ' + params.dir + '/child; sleep 60')",
        { timeout: 6_000 },
      ),
      { manifest: { sandbox: { shellExec: true } } },
    )
    expect(await it.call('tried', { dir: it.dir })).toMatchObject({ code: 'TOOL_TIMEOUT' })
    const pid = await pidIn(`${it.dir}/child`)
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
  })

  test('also counts for a turn that is stopped', async () => {
    await using it = await desk(
      handler(
        'tried',
        "import { writeFileSync } from 'node:fs'\nexport default (params) => { writeFileSync(params.dir + '/self', String(process.pid)); return new Promise(() => { setInterval(() => {}, 1000) }) }",
      ),
    )
    const stop = new AbortController()
    it.model.play([
      { kind: 'answer', chunks: [], toolCalls: [{ name: 'tried', arguments: { dir: it.dir } }] },
      { kind: 'answer', chunks: ['x'], toolCalls: [] },
    ])
    const sent = await it.face.send({ text: 'Go' }, stop.signal)
    if (!sent.ok) throw new Error(sent.error.message)
    await expect.poll(() => pidIn(`${it.dir}/self`).catch(() => 0)).toBeGreaterThan(0)
    await it.face.cancel(sent.value.session)
    const pid = await pidIn(`${it.dir}/self`)
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
  })
})
