import { execFileSync } from 'node:child_process'
import { join, matchesGlob, relative } from 'node:path'
import { expect, test } from 'vitest'
import { ONLY_IN_ALL } from '../scripts/lib/tiers.mjs'

const root = join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(file))
  // those of somebody else's package are run by tests/packages
  .filter((file) => !file.startsWith('examples/third-party-plugin/'))

test('every test file is run, by one project', () => {
  const list = execFileSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--json'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, AMODAL_TEST_TIER: undefined } },
  )
  const run = (JSON.parse(list) as readonly { readonly file: string }[]).map(({ file }) =>
    relative(root, file),
  )
  expect(run.sort()).toEqual(files.toSorted())
})

test('every file that only --all runs exists', () => {
  const stale = Object.keys(ONLY_IN_ALL).filter(
    (pattern) => !files.some((file) => matchesGlob(file, pattern)),
  )
  expect(stale).toEqual([])
})
