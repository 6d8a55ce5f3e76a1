/** Ten small repairs, from the message to the difference, with each of the tools for files. */
import { reply, type ScriptedToolCall } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, textIn } from '../security/support/door.ts'

interface Repair {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly ScriptedToolCall[]
  /** Parts of the difference. */
  readonly patch: readonly string[]
  /** A part of the last result. */
  readonly result: string
}

const bash = (command: string): ScriptedToolCall => ({ name: 'bash', arguments: { command } })
const edit = (path: string, from: string, to: string): ScriptedToolCall => ({
  name: 'edit',
  arguments: { path, old_string: from, new_string: to },
})
const write = (path: string, content: string): ScriptedToolCall => ({
  name: 'write',
  arguments: { path, content },
})
const read = (path: string): ScriptedToolCall => ({ name: 'read', arguments: { path } })
const patch = (text: string): ScriptedToolCall => ({
  name: 'apply_patch',
  arguments: { patch: text },
})

const REPAIRS: readonly Repair[] = [
  {
    title: 'a wrong operator',
    files: { 'sum.awk': '{ s -= $1 }\nEND { print s }\n', 'in.txt': '1\n2\n' },
    steps: [read('sum.awk'), edit('sum.awk', 's -= $1', 's += $1'), bash('awk -f sum.awk in.txt')],
    patch: ['-{ s -= $1 }', '+{ s += $1 }'],
    result: '3',
  },
  {
    title: 'a value in a configuration',
    files: { 'config.json': '{\n  "port": 80,\n  "debug": true\n}\n' },
    steps: [
      read('config.json'),
      edit('config.json', '"debug": true', '"debug": false'),
      bash('grep debug config.json'),
    ],
    patch: ['-  "debug": true', '+  "debug": false'],
    result: 'false',
  },
  {
    title: 'a missing file',
    files: { 'run.sh': 'cat greeting.txt\n' },
    steps: [bash('bash run.sh'), write('greeting.txt', 'Hello\n'), bash('bash run.sh')],
    patch: ['+++ b/greeting.txt', '+Hello'],
    result: 'Hello',
  },
  {
    title: 'two files with one patch',
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
    steps: [
      patch(
        '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+TWO\n',
      ),
      bash('cat a.txt b.txt'),
    ],
    patch: ['+ONE', '+TWO'],
    result: 'TWO',
  },
  {
    title: 'a file that is removed by a patch',
    files: { 'old.txt': 'gone soon\n', 'stay.txt': 'stays\n' },
    steps: [
      patch('--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone soon\n'),
      { name: 'ls', arguments: {} },
    ],
    patch: ['+++ /dev/null', '-gone soon'],
    result: 'stay.txt',
  },
  {
    title: 'a word that is found first',
    files: { 'docs/one.md': 'The colour.\n', 'docs/two.md': 'No match.\n' },
    steps: [
      { name: 'grep', arguments: { pattern: 'colou?r' } },
      edit('docs/one.md', 'colour', 'color'),
      bash('cat docs/one.md'),
    ],
    patch: ['-The colour.', '+The color.'],
    result: 'color',
  },
  {
    title: 'a file that is found by its name',
    files: { 'src/deep/limits.conf': 'max=1\n' },
    steps: [
      { name: 'find', arguments: { pattern: '**/*.conf' } },
      edit('src/deep/limits.conf', 'max=1', 'max=10'),
      read('src/deep/limits.conf'),
    ],
    patch: ['-max=1', '+max=10'],
    result: 'max=10',
  },
  {
    title: 'many lines with a command',
    files: { 'list.txt': 'x=1\nx=2\nx=3\n' },
    steps: [bash("sed -i 's/^x=/y=/' list.txt"), bash('cat list.txt')],
    patch: ['-x=1', '+y=3'],
    result: 'y=2',
  },
  {
    title: 'a change that was wrong at first',
    files: { 'n.txt': '1\n' },
    steps: [
      edit('n.txt', 'not in the file', '2'),
      read('n.txt'),
      edit('n.txt', '1', '2'),
      read('n.txt'),
    ],
    patch: ['-1', '+2'],
    result: '2',
  },
  {
    title: 'a file that is rewritten as a whole',
    files: { 'notes.md': '# Old\n\ntext\n' },
    steps: [read('notes.md'), write('notes.md', '# New\n\ntext\n'), bash('head -n 1 notes.md')],
    patch: ['-# Old', '+# New'],
    result: 'New',
  },
]

describe('a repair', () => {
  test.each(REPAIRS)('$title', async ({ files, steps, patch: parts, result }) => {
    const results: string[] = []
    await using door = await openDoor({
      script: ({ messages }) => {
        const done = messages.filter(({ role }) => role === 'tool')
        results.splice(0, results.length, ...done.map(({ content }) => JSON.stringify(content)))
        const step = steps[done.length]
        return step ? reply.toolCalls(step) : reply.text('Repaired.')
      },
      manifest: { workspace: { source: 'project' } },
      files: Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`project/${path}`, text]),
      ),
      env: { PATH: process.env['PATH'] ?? '' },
    })
    const headers: Record<string, string> =
      door.token === '' ? {} : { authorization: `Bearer ${door.token}` }
    const turn = await door.say('Repair it.')
    expect(turn.status, turn.text).toBe(200)
    expect(results).toHaveLength(steps.length)
    expect(results.at(-1)).toContain(result)
    const session = textIn(turn.body, 'session_id')
    const diff = await door.get(`/sessions/${session}/workspace/diff`, headers)
    expect(diff.status, diff.text).toBe(200)
    for (const part of parts) expect(textIn(diff.body, 'patch')).toContain(part)
  })
})
