import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { customTools } from '../src/custom-tool.ts'
import { desk, said, startApi, toolJson } from './support.ts'

const hasPython = spawnSync('python3', ['-c', '']).status === 0
const python = (name: string, code: string, more: object = {}) => ({
  [`tools/${name}/tool.json`]: toolJson({ sandbox: { language: 'python' }, ...more }),
  [`tools/${name}/handler.py`]: code,
})

describe.skipIf(!hasPython)('a Python handler', () => {
  test('is called with params and ctx; its process stays warm', async () => {
    await using api = await startApi(({ method, url, body }) => ({ method, url, body }))
    await using it = await desk(
      python(
        'tried',
        `
import os
from lib import double
calls = 0

def handler(params, ctx):
    global calls
    calls += 1
    ctx.log(f"call {calls}")
    got = ctx.request("jira", "/search", params={"q": params["q"]})
    return {"calls": calls, "got": got, "double": double(21), "env": sorted(set(os.environ) - {"LC_CTYPE"}), "mine": ctx.env("MINE") == "mine-1", "roles": ctx.user.roles, "session": ctx.session_id}
`,
        {
          env: ['MINE'],
          parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
        },
      ),
      { api: api.url, env: { MINE: 'mine-1' } },
    )
    await it.write('tools/tried/lib.py', 'def double(n):\n    return n * 2\n')
    await it.reload()
    expect(it.bundle.issues).toEqual([])
    expect(customTools(it.bundle)).toMatchObject([
      { language: 'python', entry: 'tools/tried/handler.py' },
    ])
    const first = await it.call('tried', { q: 'a' })
    expect(first.output).toEqual({
      calls: 1,
      got: { method: 'GET', url: '/search?q=a', body: '' },
      double: 42,
      env: ['MINE'],
      mine: true,
      roles: ['ops'],
      session: first.session,
    })
    expect(first.events).toContainEqual({ type: 'tool_log', tool_name: 'tried', message: 'call 1' })
    const second = await it.call('tried', { q: 'b' })
    expect(second.output).toMatchObject({ calls: 2 })
  })

  test.each<[what: string, code: string, expected: RegExp]>([
    [
      'raises',
      'def handler(params, ctx):\n    raise ValueError("no luck")',
      /"bad" failed: ValueError: no luck \(handler.py:2\)/,
    ],
    [
      'exits',
      'import sys\ndef handler(params, ctx):\n    sys.exit(3)',
      /"bad" failed: SystemExit: 3/,
    ],
    [
      'ends hard',
      'import os\ndef handler(params, ctx):\n    os._exit(3)',
      /ended with exit code 3/,
    ],
    ['loops', 'def handler(params, ctx):\n    while True: pass', /did not answer within 1500 ms/],
    [
      'takes all memory',
      'def handler(params, ctx):\n    a = []\n    while True: a.append(bytearray(50_000_000))',
      /MemoryError/,
    ],
    [
      'returns what is no JSON',
      'def handler(params, ctx):\n    return {"f": handler}',
      /the result holds a function/,
    ],
    [
      'returns what is no number',
      'def handler(params, ctx):\n    return {"n": float("nan")}',
      /JSON compliant/,
    ],
  ])('that %s is an error of its call', async (_what, code, expected) => {
    await using it = await desk(
      python('bad', code, { timeout: code.includes('while True: pass') ? 1_500 : 10_000 }),
      { config: { memoryMb: 64 } },
    )
    const failed = await it.call('bad')
    expect(failed.status).not.toBe('success')
    expect(said(failed)).toMatch(expected)
    expect(said(failed)).not.toContain(it.dir)
  })

  test('may be asynchronous, and gets the code of what was refused', async () => {
    await using it = await desk(
      python(
        'tried',
        `
async def handler(params, ctx):
    try:
        ctx.exec(["echo", "x"])
    except Exception as error:
        return {"code": error.code}
`,
      ),
    )
    expect((await it.call('tried')).output).toEqual({ code: 'TOOL_DENIED' })
  })

  test.each<[what: string, files: Readonly<Record<string, string>>, expected: RegExp]>([
    [
      'that is no Python',
      python('bad', 'def handler(params, ctx)\n    return 1'),
      /tools\/bad\/handler.py:1 expected ':'/,
    ],
    [
      'whose packages are not installed',
      {
        ...python('bad', 'def handler(params, ctx):\n    return 1'),
        'tools/bad/requirements.txt': '# none\nrequests==2\n',
      },
      /tools\/bad\/requirements.txt:1 its packages are not installed run: python3 -m venv tools\/bad\/.venv &&/,
    ],
  ])('%s is told when it is loaded', async (_what, files, expected) => {
    await using it = await desk(files)
    expect(
      it.bundle.issues.map(({ file, line, message, fix }) => `${file}:${line} ${message} ${fix}`),
    ).toEqual([expect.stringMatching(expected)])
  })
})

test('without python3, says so', async () => {
  await using it = await desk(python('tried', 'def handler(params, ctx):\n    return 1'), {
    env: { PATH: '/nowhere' },
  })
  expect(it.bundle.issues).toMatchObject([
    {
      severity: 'error',
      file: 'tools/tried/handler.py',
      message: 'it is written in Python, and there is no python3 on this machine',
      fix: expect.stringContaining('install python3') as string,
    },
  ])
})
