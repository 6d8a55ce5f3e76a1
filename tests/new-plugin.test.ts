import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** `npm run new-plugin`, with what it makes put through the checks of this repository. */
const root = join(import.meta.dirname, '..')
// in the workspace, so that its packages and its rules apply
const folder = mkdtempSync(join(root, '.generated-'))

beforeAll(() => {
  writeFileSync(join(folder, '.gitignore'), '*\n')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', include: ['*/src/*', '*/test/*'] }),
  )
  writeFileSync(join(folder, 'vitest.config.ts'), 'export default {}\n')
  symlinkSync('../tests/node_modules', join(folder, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a plugin that was just made', () => {
  const plugin = join(folder, 'tools-weather')

  beforeAll(() => {
    expect(generate('tools-weather')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Made'),
    })
  })

  test('has its page, its code and its test', () => {
    const files = readdirSync(plugin, { recursive: true })
      .map(String)
      .filter((file) => /\.\w+$/.test(file))
    expect(files.sort()).toEqual([
      'README.md',
      'package.json',
      'src/index.ts',
      'src/section.ts',
      'test/tools-weather.test.ts',
    ])
  })

  test('is a package like its siblings', () => {
    const sibling = JSON.parse(readFileSync(join(root, 'plugins/prompt/package.json'), 'utf8'))
    const manifest = JSON.parse(readFileSync(join(plugin, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: '@amodal/plugin-tools-weather',
      dependencies: { '@amodal/sdk': 'workspace:*' },
    })
    for (const field of ['version', 'license', 'type', 'sideEffects', 'peerDependencies'])
      expect(manifest[field], field).toEqual(sibling[field])
  })

  test('compiles', () => {
    expect(node('node_modules/typescript-native/bin/tsc', '-p', folder)).toEqual({
      code: 0,
      output: '',
    })
  })

  test('has nothing the linter would say', () => {
    // git ignores the folder, so that it has to be named file by file
    const files = ['src/index.ts', 'src/section.ts', 'test/tools-weather.test.ts']
    const paths = files.map((file) => join(plugin, file))
    expect(node('node_modules/oxlint/bin/oxlint', '--deny-warnings', ...paths)).toMatchObject({
      code: 0,
      output: expect.stringContaining('Found 0 warnings and 0 errors.'),
    })
  })

  test('passes its test and the contract of all plugins', () => {
    const ended = node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--root',
      folder,
      '--reporter',
      'default',
      '--reporter',
      'json',
      `--outputFile.json=${join(folder, 'report.json')}`,
    )
    expect(ended.code, ended.output).toBe(0)
    const { numPassedTests } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    expect(numPassedTests).toBeGreaterThan(2 + 5) // its own two, and the contract
  })

  test('cannot be made twice', () => {
    expect(generate('tools-weather')).toMatchObject({
      code: 1,
      output: expect.stringContaining('"tools-weather" is taken'),
    })
  })
})

describe('a plugin made among ours', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'amodal-new-plugin-'))
  const put = (file: string, content: string): void => {
    mkdirSync(dirname(join(workspace, file)), { recursive: true })
    writeFileSync(join(workspace, file), content)
  }
  afterAll(() => rmSync(workspace, { recursive: true, force: true }))

  test('is linked, and can be named in amodal.json', () => {
    const link = (name: string): string =>
      `  ${name}: link:${realpathSync(join(root, 'tests/node_modules', name))}\n`
    cpSync(join(root, 'scripts'), join(workspace, 'scripts'), { recursive: true })
    const names = 'cli/create-amodal-plugin/src'
    cpSync(join(root, names), join(workspace, names), { recursive: true })
    mkdirSync(join(workspace, 'presets/src'), { recursive: true })
    put('package.json', JSON.stringify({ private: true }))
    put(
      'pnpm-workspace.yaml',
      `packages:\n  - sdk\n  - presets\n  - plugins/*\n\ncatalog:\n  vitest: 1.0.0\n  zod: 1.0.0\n\noverrides:\n${link('zod')}${link('vitest')}`,
    )
    put('pnpm-lock.yaml', '')
    put('sdk/package.json', JSON.stringify({ name: '@amodal/sdk' }))
    put('presets/package.json', JSON.stringify({ name: '@amodal/presets', dependencies: {} }))
    mkdirSync(join(workspace, '.tools'))
    symlinkSync(join(root, '.tools/node_modules'), join(workspace, '.tools/node_modules'))

    const command = node(join(workspace, 'scripts/run.mjs'), 'new-plugin', 'mind-reader')
    expect(command.code, command.output).toBe(0)
    expect(realpathSync(join(workspace, 'plugins/mind-reader/node_modules/@amodal/sdk'))).toBe(
      realpathSync(join(workspace, 'sdk')),
    )
    expect(realpathSync(join(workspace, 'presets/node_modules/@amodal/plugin-mind-reader'))).toBe(
      realpathSync(join(workspace, 'plugins/mind-reader')),
    )

    const listed = readFileSync(join(workspace, 'presets/src/builtin-plugins.ts'), 'utf8')
    expect(listed).toContain("  'mind-reader': () => import('@amodal/plugin-mind-reader'),")
    expect(listed).toContain("OPT_IN: readonly string[] = ['mind-reader']")
  })
})

test.each([
  ['nothing', [], 'A plugin needs a name'],
  ['capitals', ['Weather'], 'no plugin name'],
  ['a leading digit', ['2fast'], 'no plugin name'],
  ['a double hyphen', ['tools--weather'], 'no plugin name'],
  ['a path', ['../weather'], 'no plugin name'],
  ['a word of JavaScript', ['import'], 'a word of JavaScript'],
  ['a novel', ['a'.repeat(41)], 'too long'],
  ['two names', ['one', 'two'], '"two" is not understood'],
  ['an unknown flag', ['one', '--force'], '"--force" is not understood'],
  ['the name of a plugin that exists', ['prompt'], '"prompt" is taken'],
])('%s is refused, and nothing is written', (_, args, message) => {
  const before = readdirSync(folder)
  expect(generate(...args)).toEqual({ code: 1, output: expect.stringContaining(message) })
  expect(readdirSync(folder)).toEqual(before)
  expect(existsSync(join(root, 'plugins', args[0] ?? 'weather', 'src/section.ts'))).toBe(false)
})

interface Ended {
  readonly code: number | null
  readonly output: string
}

function node(...args: readonly string[]): Ended {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|INIT_CWD$)/.test(name)),
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1' },
    timeout: 60_000,
  })
  return { code: status, output: stdout + stderr }
}

const generate = (...args: readonly string[]): Ended =>
  node('scripts/run.mjs', 'new-plugin', ...args, '--dir', basename(folder))
