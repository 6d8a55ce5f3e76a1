import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './pages.ts'
import { commandLine } from './shell.ts'

/** Commands and options that the specification of the product names. */
const SPECIFIED = [
  'init --name --provider',
  'dev --port --host --resume -v -q',
  'validate --skip-test',
  'inspect',
  'build-manifest-types',
  'pkg connect',
  'pkg sync --from --check',
  'pkg install',
  'pkg uninstall',
  'pkg list',
  'pkg update',
  'pkg diff',
  'pkg search --tag',
  'pkg publish',
  'pkg link',
  'deploy push',
  'deploy build',
  'deploy serve',
  'deploy status',
  'deploy list',
  'deploy rollback',
  'deploy promote',
  'chat --url --config --app-id --port --resume --fullscreen',
  'test-query',
  'eval --providers',
  'ops secrets',
  'ops docker',
  'ops automations',
  'ops audit',
  'ops experiment',
  'tool-scaffold install --env --tool --all --verbose',
  'auth login',
  'auth logout',
].flatMap((line) => {
  const words = line.split(' ')
  const command = words.filter((word) => !word.startsWith('-')).join(' ')
  return [
    command,
    ...words.filter((word) => word.startsWith('-')).map((word) => `${command} ${word}`),
  ]
})

const rows = [
  ...readFileSync(join(ROOT, 'docs/cli.md'), 'utf8').matchAll(
    /^\| `([^`]+)` \| (works|planned|none|as `([^`]+)`) \|(.*)\|$/gm,
  ),
].map(([, name = '', status = '', other, note = '']) => ({
  name,
  status,
  other,
  note: note.trim(),
}))

test('docs/cli.md has each command and option that the specification names', () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(SPECIFIED.toSorted())
})

test('docs/cli.md gives a reason for each that there is not', () => {
  expect(rows.filter(({ status, note }) => status === 'none' && note === '')).toEqual([])
})

test('what works by docs/cli.md is a command or option that exists', async () => {
  const { commands } = await commandLine()
  const isThere = (line: string): boolean => {
    const [, command = '', option] = /^(.*?)(?: (--?[\w-]+))?$/.exec(line) ?? []
    // `add connection` is the command `add` with a kind
    const options = commands.get(command) ?? commands.get(command.split(' ')[0] ?? '')
    return options !== undefined && (option === undefined || options.has(option))
  }
  const existing = rows.filter(({ status }) => status === 'works' || status.startsWith('as '))
  expect(existing.length).toBeGreaterThan(25)
  expect(existing.map(({ name, other }) => other ?? name).filter((line) => !isThere(line))).toEqual(
    [],
  )
})
