import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Commands,
  explain,
  Kernel,
  silentLogger,
  unwrap,
  use,
  type CommandContext,
} from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pluginManager } from '../src/index.ts'
import { ManifestEdit } from '../src/manifest-edit.ts'

pluginContract(pluginManager)

let kernel: Kernel
beforeAll(async () => {
  kernel = unwrap(await Kernel.create([use(pluginManager)]), explain)
})
afterAll(() => kernel.close('done'))

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'amodal-plugins-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const put = (text: string): Promise<void> => writeFile(join(dir, 'amodal.json'), text)
const text = (): Promise<string> => readFile(join(dir, 'amodal.json'), 'utf8')
async function install(name: string, manifest: object): Promise<void> {
  await mkdir(join(dir, 'node_modules', name), { recursive: true })
  await writeFile(
    join(dir, 'node_modules', name, 'package.json'),
    JSON.stringify({ name, version: '1.2.3', ...manifest }),
  )
}

interface Ran {
  readonly code: number
  readonly said: string
}

/** Without npm: nothing of it is reached. */
async function run(
  name: string,
  words: readonly string[],
  options: CommandContext['options'] = {},
  more: Partial<CommandContext> = {},
): Promise<Ran> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const code = await kernel
    .current()
    .registry(Commands)
    .get(name)
    ?.run({
      options,
      arguments: words,
      dir,
      env: { PATH: '/nowhere' },
      print: say,
      write: say,
      fail: say,
      input: (async function* () {})(),
      log: silentLogger,
      signal: new AbortController().signal,
      start: () => Promise.reject(new Error('it does not start')),
      ...more,
    })
  return { code: code ?? -1, said: said.join('\n') }
}

describe('the manifest', () => {
  test.each([
    ['{ "name": "x" }'],
    ['{"plugins":[]}'],
    ['{"plugins":["b"]}'],
    ['{"plugins":["b",]}'],
    ['{"plugins":[["b", {"x": [1]}], {"use":"c"}]}'],
    ['{\n  // ours\n  "plugins": [\n    "b" // first\n  ]\n}'],
    [
      '{\n  "plugins": [\n    "b", // first\n    ["c", { "x": 1 }] /* last */\n  ],\n  "name": "x"\n}\n',
    ],
  ])('has one more, and is as it was without it: %j', async (before) => {
    await put(before)
    const edit = unwrap(await ManifestEdit.open(dir), String)
    const named = edit.named
    edit.add('amodal-plugin-a', { most: 1 })
    unwrap(await edit.save(), String)
    const added = unwrap(await ManifestEdit.open(dir), String)
    expect(added.named).toEqual([...named, 'amodal-plugin-a'])
    const comments = /\/\/.*|\/\*.*?\*\//g
    expect(added.before.match(comments)).toEqual(before.match(comments))
    for (const name of [...named, 'amodal-plugin-a']) {
      unwrap(await added.restore(), String)
      const removing = unwrap(await ManifestEdit.open(dir), String)
      expect(removing.remove(name ?? '')).toBe(true)
      unwrap(await removing.save(), String)
      const left = unwrap(await ManifestEdit.open(dir), String)
      expect(left.named).toEqual([...named, 'amodal-plugin-a'].filter((one) => one !== name))
      expect(left.before.match(comments)).toEqual(before.match(comments))
    }
  })

  test('keeps comments where they stand', async () => {
    await put('{\n  "plugins": [\n    "b" // first\n  ]\n}')
    const edit = unwrap(await ManifestEdit.open(dir), String)
    edit.add('c', undefined)
    unwrap(await edit.save(), String)
    expect(await text()).toBe('{\n  "plugins": [\n    "b", // first\n    "c"\n  ]\n}')
  })

  test('names what each item means', async () => {
    await put('{"plugins": ["a", ["b", {}], {"use": "c"}, {"without": "d"}]}')
    expect(unwrap(await ManifestEdit.open(dir), String).named).toEqual(['a', 'b', 'c', undefined])
  })

  test('is refused where it is none', async () => {
    expect(await ManifestEdit.open(dir)).toMatchObject({ error: { code: 'NOT_FOUND' } })
    await put('{"plugins": [')
    expect(await ManifestEdit.open(dir)).toMatchObject({ error: { code: 'BAD_REPO' } })
  })
})

describe('plugins add', () => {
  test.each([
    [['a', 'b'], {}, 2, 'Name one package'],
    [['./a.ts'], {}, 2, 'Name one package'],
    [['amodal-plugin-a'], { config: '{' }, 2, '--config is no JSON'],
    [['none.tgz'], {}, 1, 'there is no file'],
    [['amodal-plugin-b'], { 'no-install': true }, 1, 'is not installed'],
    [['left-pad'], { 'no-install': true }, 1, 'is no plugin'],
    [['amodal-plugin-b'], {}, 1, 'npm cannot be run'],
  ])('refuses %j %j', async (words, options, code, message) => {
    await put('{"plugins":["listed"]}')
    await install('left-pad', {})
    const ran = await run('plugins add', words, options)
    expect(ran.code).toBe(code)
    expect(ran.said).toContain(message)
    expect(await text()).toBe('{"plugins":["listed"]}')
  })
})

test('plugins remove names what there is', async () => {
  await put('{"plugins":["a", ["b", {"x": 1}]]}')
  expect(await run('plugins remove', ['c'])).toMatchObject({
    code: 1,
    said: expect.stringContaining('It lists: a, b') as string,
  })
  expect((await run('plugins remove', ['b'])).code).toBe(0)
  expect(JSON.parse(await text())).toEqual({ plugins: ['a'] })
})

test('plugins doctor tells of a package that is made for another kernel, or says nothing', async () => {
  await put('{"plugins":["amodal-plugin-a", "amodal-plugin-b"]}')
  await install('amodal-plugin-a', { amodal: { plugin: 'a', kernel: 99 } })
  await install('amodal-plugin-b', { keywords: ['amodal-plugin'] })
  const problem = { severity: 'error', code: 'KERNEL_VERSION', file: 'amodal.json' } as const
  const wiring = [{ ...problem, message: '"amodal-plugin-a" is made for kernel 99' }]
  const { code, said } = await run('plugins doctor', [], {}, { wiring })
  expect(code).toBe(1)
  expect(said).toContain(
    '"amodal-plugin-a" is made for kernel 99, and this one is 1: update amodal',
  )
  expect(said.match(/KERNEL_VERSION/g)).toHaveLength(1)
  expect(said).toContain('NO_MANIFEST  amodal-plugin-b 1.2.3 does not say what it does')
})

test('plugins doctor tells why the agent does not start', async () => {
  await put('{}')
  const { code, said } = await run('plugins doctor', [])
  expect([code, said]).toEqual([1, expect.stringMatching(/^✗ START_FAILED {2}it does not start/)])
})
