import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { write } from '../security/support/door.ts'
import { Amodal } from './server.ts'

const KEY = 'sk-of-the-model-0123456789abcdef'
const WORDS = ['the words of a person', 'the words of a model', 'the argument of a call']

interface Line {
  readonly level: string
  readonly event: string
  readonly [fact: string]: unknown
}

/**
 * The lines of a server process that had one conversation, which wrote one document and called one
 * tool that fails.
 */
async function linesOf(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly lines: readonly Line[]; readonly text: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-logs-'))
  let calls = 0
  const model = await startModelServer({
    script: () =>
      [
        reply.toolCalls({
          name: 'store_notes',
          arguments: { id: 'n1', text: `${WORDS[2] ?? ''} ${KEY}` },
        }),
        reply.toolCalls({ name: 'no_such_tool', arguments: { text: WORDS[2] ?? '' } }),
      ][calls++] ?? reply.text(WORDS[1] ?? ''),
  })
  let server: Amodal | undefined
  try {
    await write(dir, {
      'amodal.json': {
        name: 'logged',
        version: '1.0.0',
        plugins: [['log-json', { format: 'json' }]],
        models: {
          main: {
            provider: 'openai-compatible',
            model: 'scripted',
            baseUrl: model.url,
            apiKey: 'env:MODEL_KEY',
          },
        },
      },
      'stores/notes.json': {
        entity: { key: '{id}', schema: { id: { type: 'string' }, text: { type: 'string' } } },
      },
    })
    await writeFile(join(dir, '.env'), `MODEL_KEY=${KEY}\n`)
    server = new Amodal(['dev', '--dir', dir, '--port', '0', ...args], env)
    const [, url = ''] = await server.says(/Health +→ (http:\/\/\S+)\/health/)
    const said = await fetch(`${url}/chat/sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: WORDS[0] }),
    })
    expect(await said.json()).toMatchObject({ response: WORDS[1] })
    const { err } = await server.kill('SIGTERM')
    return {
      text: err,
      lines: err
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line),
    }
  } finally {
    await server?.kill('SIGKILL')
    await model.close()
    await rm(dir, { recursive: true, force: true })
  }
}

const events = (lines: readonly Line[], level: string): readonly string[] => [
  ...new Set(lines.filter((line) => line.level === level).map(({ event }) => event)),
]
const place = { session: expect.any(String) as string, tenant: 'local' }
const DEBUG = ['run_started', 'model_call', 'tool_call', 'store_written', 'run_ended']
const TRACE = ['state_changed', 'tool_guarded']

test('a server says what the agent does: sessions by default, calls with -v, states with -vv, and never what was said', async () => {
  const [plain, some, all] = await Promise.all([linesOf([]), linesOf(['-v']), linesOf(['-vv'])])
  for (const { lines, text } of [plain, some, all]) {
    expect(lines.filter(({ event }) => event === 'session_started')).toEqual([
      expect.objectContaining({ level: 'info', ...place }),
    ])
    for (const words of [KEY, ...WORDS]) expect(text).not.toContain(words)
  }
  expect([events(plain.lines, 'debug'), events(plain.lines, 'trace')]).toEqual([[], []])
  expect(events(some.lines, 'debug')).toEqual(expect.arrayContaining(DEBUG))
  expect(events(some.lines, 'trace')).toEqual([])
  expect(events(all.lines, 'debug')).toEqual(expect.arrayContaining(DEBUG))
  expect(events(all.lines, 'trace')).toEqual(expect.arrayContaining(TRACE))

  const of = (event: string) => some.lines.filter((line) => line.event === event)
  expect(of('tool_call')).toEqual([
    expect.objectContaining({
      tool: 'store_notes',
      status: 'success',
      ms: expect.any(Number) as number,
      run: expect.any(String) as string,
      ...place,
    }),
    expect.objectContaining({ tool: 'no_such_tool', status: 'error', ...place }),
  ])
  expect(of('model_call')).toHaveLength(3)
  expect(of('model_call')[0]).toMatchObject({
    provider: 'openai-compatible',
    model: 'scripted',
    tool_calls: 1,
    ms: expect.any(Number) as number,
    ...place,
  })
  expect(of('store_written')).toEqual([
    expect.objectContaining({ store: 'notes', operation: 'put', tenant: 'local' }),
  ])
  expect(of('run_ended')).toEqual([
    expect.objectContaining({
      status: 'model_stop',
      steps: 3,
      ms: expect.any(Number) as number,
      ...place,
    }),
  ])
}, 120_000)
