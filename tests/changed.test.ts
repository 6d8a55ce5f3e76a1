import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { changedFiles, dependentTests } from '../scripts/lib/changed.mjs'
import { withoutGit } from './support/commits.ts'

/** A workspace of two plugins and a test of each kind, on a branch that has no change yet. */
const FILES = {
  'plugins/a/package.json': '{ "name": "@amodal/plugin-a" }',
  'plugins/a/src/index.ts': "export * from './part.ts'",
  'plugins/a/src/part.ts': 'export const part = 1',
  'plugins/a/test/a.test.ts': "import '../src/index.ts'",
  'plugins/b/package.json': '{ "name": "@amodal/plugin-b" }',
  'plugins/b/src/index.ts': 'export const b = 1',
  'plugins/b/test/b.test.ts': "import '../src/index.ts'",
  'tests/support/both.ts': "import a from '@amodal/plugin-a'\nexport { a }",
  'tests/helped.test.ts': "import { a } from './support/both.ts'",
  'tests/later.test.ts': "const a = await import('@amodal/plugin-a/tokens')",
  'tests/other.test.ts': "import b from '@amodal/plugin-b'\nimport 'library/index.js'",
}
let root = ''

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-changed-')))
  const folder = root
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(FILES)) put(file, text)
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  commit()
  git('switch', '-q', '-c', 'work')
})

test('a source of a package: its tests, and those that import it, by a helper too', () => {
  put('plugins/a/src/part.ts', 'export const part = 2')
  expect(affected()).toEqual([
    'plugins/a/test/a.test.ts',
    'tests/helped.test.ts',
    'tests/later.test.ts',
  ])
})

test('a helper: the tests that import it', () => {
  put('tests/support/both.ts', 'export const a = 1')
  expect(affected()).toEqual(['tests/helped.test.ts'])
})

test('a test, committed or new: itself', () => {
  put('plugins/b/test/b.test.ts', '// other')
  git('add', '-A')
  commit()
  put('plugins/b/test/new.test.ts', '')
  expect(affected()).toEqual(['plugins/b/test/b.test.ts', 'plugins/b/test/new.test.ts'])
  expect(affected('HEAD')).toEqual(['plugins/b/test/new.test.ts'])
})

test('what went away, or nothing: no test', () => {
  expect(affected()).toEqual([])
  rmSync(join(root, 'tests/other.test.ts'))
  expect(affected()).toEqual([])
})

test('a commit that git does not know is an error that names it', () => {
  expect(() => changedFiles(root, 'nowhere')).toThrow(/git diff: .*nowhere/)
})

const affected = (ref?: string): readonly string[] =>
  dependentTests(root, changedFiles(root, ref)).toSorted()

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

const commit = (): void =>
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'x')

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: root, env: withoutGit(), stdio: 'ignore' })
}
