import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Amodal, opsAgent } from './server.ts'

const root = join(import.meta.dirname, '../..')

test.each([
  [[], 0, /Commands:[^]*dev +\w/, /^$/],
  [['--nope'], 2, /^$/, /^amodal: Unknown option '--nope'/],
  [['frob'], 2, /^$/, /there is no command "frob"/],
  [['validate', '--dir', 'examples/ops-agent'], 0, /✓ ops-agent 1\.0\.0/, /^$/],
  [['dev', '--dir', 'nowhere'], 1, /^$/, /NOT_FOUND: the agent folder .*nowhere/],
])('amodal %j ends with %i', async (argv, code, out, err) => {
  const ended = await new Amodal(argv).ended
  expect(ended.out).toMatch(out)
  expect(ended.err).toMatch(err)
  expect(ended.code).toBe(code)
})

test('the example agent is sound, and its context fits', async () => {
  const { code, out } = await new Amodal(['inspect', '--dir', 'examples/ops-agent']).ended
  expect(code).toBe(0)
  expect(out).toMatch(/Skills \(2\)[^]*Knowledge \(3\)[^]*Stores \(2\)[^]*Total context/)
})

test('a plugin in a folder of CommonJS is told how it becomes an ES module', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-commonjs-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const files = {
    'amodal.json': '{ "name": "agent", "plugins": ["./mine.ts"] }',
    'package.json': '{ "type": "commonjs" }',
    'mine.ts': 'export default {}',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  const { code, out } = await new Amodal(['validate', '--dir', dir]).ended
  expect(code).toBe(1)
  expect(out).toMatch(
    /amodal\.json:1 .*Unexpected token .*"type": "module" into the nearest package/,
  )
})

test('output that nobody reads any more is no crash', async () => {
  const shell = spawn(
    'sh',
    [
      '-c',
      `"${process.execPath}" cli/dist/bin.js inspect --plugins --json --dir examples/ops-agent | head -c 20`,
    ],
    { cwd: root, stdio: 'pipe' },
  )
  let err = ''
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  await once(shell, 'close')
  expect(err).toBe('')
})

describe('amodal chat', () => {
  test('talks line by line, with what is typed', async () => {
    await using agent = await opsAgent()
    const chat = new Amodal(['chat', '--dir', agent.dir])
    await chat.says(/you › /)
    chat.type('Which incidents are open?')
    await chat.says(/INC-20\d\d/)
    chat.type('/exit')
    expect(await chat.ended).toMatchObject({ code: 0, err: '' })
  })

  test('ends at once with Ctrl-C while it waits for a line', async () => {
    await using agent = await opsAgent()
    const chat = new Amodal(['chat', '--dir', agent.dir])
    await chat.says(/you › /)
    const begun = performance.now()
    expect(await chat.kill('SIGINT')).toMatchObject({ code: 130 })
    expect(performance.now() - begun).toBeLessThan(60_000)
  })

  test('ends with its input', async () => {
    await using agent = await opsAgent()
    const chat = new Amodal(['chat', '--dir', agent.dir])
    await chat.says(/you › /)
    chat.child.stdin?.end()
    expect(await chat.ended).toMatchObject({ code: 0 })
  })
})
