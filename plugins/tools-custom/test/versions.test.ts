import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { tmpdir } from 'node:os'
import { hashOf, tenantId, type JsonObject } from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CodeSandbox, type RunToolCall, type VersionCode } from '../src/tokens.ts'
import { desk } from './support.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

async function sandboxFor(api?: string): Promise<CodeSandbox> {
  const agent = await desk({}, api === undefined ? {} : { api })
  onTestFinished(() => agent[Symbol.asyncDispose]())
  return agent.kernel.current().scope.get(CodeSandbox)
}

async function version(
  language: VersionCode['language'],
  code: string,
  more: Readonly<Record<string, string>> = {},
): Promise<VersionCode> {
  const entry = language === 'python' ? 'tool.py' : 'tool.ts'
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-version-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const files = { ...more, [entry]: code }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return { folder, entry, language, digest: hashOf([files]) }
}

const CALL: RunToolCall = {
  toolInput: { order: 7 },
  metadata: { invocation_mode: 'regular', version: '1.2.0' },
  config: { API_KEY: 'key-1' },
  conversation: { id: 'c1' },
  userVariables: { crm_id: 'u7' },
}
const signal = new AbortController().signal
const tenant = tenantId('acme')
const noStatus = (): void => undefined

const CODE = {
  typescript: {
    echo: `import { twice } from './lib/twice.ts'
      export const input = { type: 'object', properties: { order: { type: 'number' } } }
      export async function run_tool(tool_input: { order: number }, metadata: object, config: { API_KEY: string }, conversation: unknown, send_status_event: (event: unknown) => Promise<void>, user_variables: { crm_id: string }) {
        await send_status_event({ stage: 'started' })
        await send_status_event('half')
        return { order: twice(tool_input.order), metadata, key: config.API_KEY, conversation, user: user_variables.crm_id, env: Object.keys(process.env) }
      }`,
    library: { 'lib/twice.ts': 'export const twice = (n: number): number => 2 * n\n' },
    throws: `export async function run_tool(a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown) {
        return inner()
      }
      function inner(): never { throw new Error('no such order') }`,
    five: 'export const run_tool = async (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown) => 1',
    syntax: 'export const run_tool = async (a, b =>',
    nothing: 'export const other = 1',
    fetches: `export const run_tool = async (tool_input: { url: string }, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown) => (await fetch(tool_input.url)).json()`,
  },
  python: {
    echo: `import os
from amodal_tool_scaffold.user_variables import UserVariables
from lib.twice import twice
INPUT = {"type": "object", "properties": {"order": {"type": "number"}}}
async def run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables: UserVariables):
    await send_status_event({"stage": "started"})
    await send_status_event("half")
    return {"order": twice(tool_input["order"]), "metadata": metadata, "key": config["API_KEY"], "conversation": conversation, "user": user_variables.crm_id, "env": [name for name in os.environ if name not in ("LC_CTYPE",)]}
`,
    library: { 'lib/twice.py': 'def twice(n):\n    return 2 * n\n', 'lib/__init__.py': '' },
    throws: `async def run_tool(a, b, c, d, e, f):
    return inner()

def inner():
    raise ValueError("no such order")
`,
    five: 'def run_tool(a, b, c, d, e):\n    return 1\n',
    syntax: 'def run_tool(a, b:\n',
    nothing: 'other = 1\n',
    fetches: `from amigo_tool_scaffold import fetch
async def run_tool(tool_input, b, c, d, e, f):
    return (await fetch(tool_input["url"])).json()
`,
  },
} as const

describe.each(
  (['typescript', 'python'] as const).filter((one) => one === 'typescript' || hasPython),
)('run_tool in %s', (language) => {
  const code = CODE[language]

  test('gets its six arguments, and sends status events', async () => {
    const sandbox = await sandboxFor()
    const one = await version(language, code.echo, code.library)
    const events: JsonObject[] = []
    expect(await sandbox.run(one, tenant, CALL, (event) => events.push(event), signal)).toEqual({
      ok: true,
      value: {
        order: 14,
        metadata: CALL.metadata,
        key: 'key-1',
        conversation: { id: 'c1' },
        user: 'u7',
        env: [],
      },
    })
    expect(events).toEqual([{ stage: 'started' }, { message: 'half' }])
  })

  test('declares its parameters and schemas', async () => {
    const sandbox = await sandboxFor()
    const schema = { type: 'object', properties: { order: { type: 'number' } } }
    expect(
      await sandbox.describe(await version(language, code.echo, code.library), signal),
    ).toEqual({
      ok: true,
      value: { parameters: 6, input: schema },
    })
    expect(await sandbox.describe(await version(language, code.five), signal)).toMatchObject({
      ok: true,
      value: { parameters: 5 },
    })
    expect(await sandbox.describe(await version(language, code.nothing), signal)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('run_tool') as string },
    })
  })

  test('an error names file and line, and has a stack of its own frames', async () => {
    const sandbox = await sandboxFor()
    const one = await version(language, code.throws)
    const failed = await sandbox.run(one, tenant, CALL, noStatus, signal)
    expect(failed).toMatchObject({
      ok: false,
      error: {
        code: 'TOOL_FAILED',
        message: expect.stringContaining('no such order') as string,
        stack: expect.stringMatching(/inner/) as string,
      },
    })
    expect(JSON.stringify(failed)).not.toContain(one.folder)
  })

  test('files that do not parse are named with their line', async () => {
    const sandbox = await sandboxFor()
    expect(await sandbox.check(await version(language, code.syntax), signal)).toMatchObject({
      ok: false,
      error: { line: 1, file: language === 'python' ? 'tool.py' : 'tool.ts' },
    })
  })

  test('fetches through the server', async () => {
    const server = createServer((_, response) => response.end('{"from":"api"}')).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const one = await version(language, code.fetches)
    const call = { ...CALL, toolInput: { url } }
    const allowed = await sandboxFor(url)
    expect(await allowed.run(one, tenant, call, noStatus, signal)).toEqual({
      ok: true,
      value: { from: 'api' },
    })
    const refusing = await sandboxFor()
    expect(await refusing.run(one, tenant, call, noStatus, signal)).toMatchObject({ ok: false })
  })

  test('a call that never returns ends with its signal', async () => {
    const endless =
      language === 'python'
        ? 'def run_tool(a, b, c, d, e, f):\n    while True:\n        pass\n'
        : 'export const run_tool = (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown) => { for (;;); }'
    const sandbox = await sandboxFor()
    const stopped = await sandbox.run(
      await version(language, endless),
      tenant,
      CALL,
      noStatus,
      AbortSignal.timeout(1_000),
    )
    expect(stopped).toMatchObject({ ok: false })
  })
})

test('types are checked, and code without its packages passes', async () => {
  const sandbox = await sandboxFor()
  const parameters = 'a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown'
  const wrong = await version(
    'typescript',
    `export const run_tool = async (${parameters}): Promise<number> => {\n  return 'text'\n}\n`,
  )
  const right = await version(
    'typescript',
    `import { z } from 'zod'\nimport { readFile } from 'node:fs/promises'\nexport const run_tool = async (${parameters}): Promise<string> => process.version + String(z) + String(readFile)\n`,
  )
  const checked = await sandbox.check(right, signal)
  expect(checked.ok ? undefined : checked.error.message).toBeUndefined()
  if (!checked.ok || !checked.value.types) return // no sandbox for programs on this machine
  expect(await sandbox.check(wrong, signal)).toMatchObject({
    ok: false,
    error: { file: 'tool.ts', line: 2, message: expect.stringContaining('number') as string },
  })
})
