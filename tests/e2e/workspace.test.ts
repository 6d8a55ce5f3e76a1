import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reply, type ScriptedToolCall } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Agent, definePlugin, err, ok, use, type JsonObject } from '@amodal/sdk'
import { WorkspaceShells, type ShellCommand } from '@amodal/plugin-workspace/tokens'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

type Calls = readonly (readonly [name: string, args: JsonObject])[]

const FILES = {
  'template/src/sum.js': 'export const sum = (a, b) => a - b\n',
  'template/README.md': '# Sum\n',
}
const TOOLS = ['apply_patch', 'bash', 'edit', 'find', 'grep', 'ls', 'read', 'write']

/** One message, to which the model answers with these calls, one after the other. */
async function turn(door: Door, calls: Calls, session?: string) {
  const scripted = calls.map(([name, args], at): ScriptedToolCall => ({
    id: `call_${at}`,
    name,
    arguments: args,
  }))
  let next = 0
  door.model.play(() => {
    const call = scripted[next]
    next += 1
    return call ? reply.toolCalls([call]) : reply.text('done')
  })
  const events = await door.stream('go', session === undefined ? {} : { session_id: session })
  const results = events.filter(({ type }) => type === 'tool_call_result')
  return {
    session: events.map((event) => textIn(event, 'session_id')).find((id) => id !== '') ?? '',
    events,
    results,
    texts: results.map((event) => textIn(event, 'result') || textIn(event, 'error')),
  }
}

const coder = (manifest: JsonObject = {}, files: Readonly<Record<string, string>> = FILES) =>
  openDoor({
    manifest: { workspace: { source: 'template', ...manifest } },
    files,
    script: () => reply.text('ready'),
  })

/** Absolute path of the workspace of a session. */
async function folderOf(door: Door, session: string): Promise<string> {
  const base = join(door.dir, '.amodal/workspaces')
  const [tenant = ''] = await readdir(base)
  return join(base, tenant, session)
}

describe('the tools on files', () => {
  test('read, change, search and patch copies of the source, and leave the source as it is', async () => {
    await using door = await coder()
    const first = await turn(door, [
      ['ls', {}],
      ['read', { path: 'src/sum.js' }],
      ['edit', { path: 'src/sum.js', old_string: 'a - b', new_string: 'a + b' }],
      ['write', { path: 'test/sum.test.js', content: 'sum(1, 2) === 3\n' }],
    ])
    const { session } = first
    const second = await turn(
      door,
      [
        ['grep', { pattern: 'sum', glob: '*.js' }],
        ['find', { pattern: '**/*.js' }],
        [
          'apply_patch',
          {
            patch:
              '--- a/README.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Sum\n--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n+notes\ndiff --git a/test/sum.test.js b/sum.test.js\nrename from test/sum.test.js\nrename to sum.test.js\n',
          },
        ],
      ],
      session,
    )
    const results = [...first.results, ...second.results]
    const texts = [...first.texts, ...second.texts]
    expect(results.map(({ status }) => status)).toEqual(Array(7).fill('success'))
    expect(texts[0]).toBe('README.md  6\nsrc/')
    expect(texts[1]).toMatch(/^src\/sum\.js: 1 lines, hash [0-9a-f]{12}\n1\texport const sum/)
    expect(texts[4]).toContain('src/sum.js:1: export const sum = (a, b) => a + b')
    expect(texts[5]).toBe('src/sum.js\ntest/sum.test.js')
    const folder = await folderOf(door, session)
    expect(await readFile(join(folder, 'src/sum.js'), 'utf8')).toContain('a + b')
    expect((await readdir(folder)).toSorted()).toEqual(['NOTES.md', 'src', 'sum.test.js', 'test'])
    expect(await readFile(join(door.dir, 'template/src/sum.js'), 'utf8')).toContain('a - b')
  })

  test('have one workspace in each session, which later turns find as it was', async () => {
    await using door = await coder({ source: 'empty' }, {})
    const first = await turn(door, [['write', { path: 'a.txt', content: 'one' }]])
    const second = await turn(door, [['read', { path: 'a.txt' }]], first.session)
    const other = await turn(door, [['read', { path: 'a.txt' }]])
    expect(second.texts[0]).toContain('one')
    expect(other.results[0]).toMatchObject({ status: 'error' })
    await door.restart()
    expect((await turn(door, [['read', { path: 'a.txt' }]], first.session)).texts[0]).toContain(
      'one',
    )
  })

  test('are refused where a change does not fit, and change nothing then', async () => {
    await using door = await coder({}, { 'template/a.txt': 'x\nx\n', 'template/b.txt': 'b\n' })
    const { results, texts, session } = await turn(door, [
      ['edit', { path: 'a.txt', old_string: 'x', new_string: 'y' }],
      ['edit', { path: 'a.txt', old_string: 'absent', new_string: 'y' }],
      ['edit', { path: 'b.txt', old_string: 'b', new_string: 'c', hash: '000000000000' }],
      ['write', { path: 'b.txt', content: 'c', hash: '000000000000' }],
      [
        'apply_patch',
        {
          patch:
            '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nothing\n+y\n',
        },
      ],
    ])
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('error'))
    const reads = await turn(
      door,
      [
        ['grep', { pattern: '(?=x)' }],
        ['read', { path: 'a.txt', offset: 9 }],
      ],
      session,
    )
    expect(reads.results.map(({ status }) => status)).toEqual(['error', 'error'])
    expect(texts[0]).toContain('2 times')
    expect(texts[2]).toContain('has changed since')
    const folder = await folderOf(door, session)
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('x\nx\n')
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('b\n')
  })

  test('refuse what is larger than the quota', async () => {
    await using door = await coder({ source: 'empty', quota: { bytes: 1_024, files: 2 } }, {})
    const { texts } = await turn(door, [
      ['write', { path: 'large.txt', content: 'x'.repeat(2_000) }],
      ['write', { path: 'large.txt', content: 'x' }],
      ['write', { path: 'a/b/c.txt', content: 'x' }],
    ])
    expect(texts[0]).toContain('more than the 1024 allowed')
    expect(texts[1]).toContain('1 bytes written')
    expect(texts[2]).toContain('more than the 2 files')
  })
})

/** A shell that writes a file, as a command would, and whose proof holds or not. */
const shell = (level: string, holds: boolean) =>
  definePlugin({
    name: `shell-${level}`,
    version: '1.0.0',
    setup({ add }) {
      add(WorkspaceShells, level, {
        level,
        prove: async () =>
          holds
            ? ok({ level, message: 'proved' })
            : err({ code: 'NOT_ISOLATED', message: `${level} does not hold` }),
        run: async ({ workspace, command }: ShellCommand) => {
          const bytes = new TextEncoder().encode(command)
          const written = await workspace.files.write('by-shell.txt', bytes)
          if (!written.ok) return written
          return ok({ exitCode: 3, stdout: level, stderr: 'warned', reason: 'exited' })
        },
      })
    },
  })

describe('bash', () => {
  test.each([
    ['no shell is there', []],
    ['no proof holds', [use(shell('remote', false))]],
  ])('is refused by name where %s', async (_when, entries) => {
    await using door = await openDoor({
      entries,
      manifest: { workspace: { bash: 'remote' } },
      script: () => reply.text('ready'),
    })
    const { results, session } = await turn(door, [['bash', { command: 'ls' }]])
    expect(results[0]).toMatchObject({ status: 'error' })
    expect(JSON.stringify(results[0])).toContain('commands of the level remote cannot be run')
    expect(await readdir(await folderOf(door, session))).toEqual([])
  })

  test('takes a shell whose proof holds, and works on the same files', async () => {
    await using door = await openDoor({
      entries: [use(shell('remote', true))],
      manifest: { workspace: { bash: 'remote' } },
      script: () => reply.text('ready'),
    })
    const { texts } = await turn(door, [
      ['bash', { command: 'echo' }],
      ['read', { path: 'by-shell.txt' }],
    ])
    expect(texts[0]).toBe('exit code 3\nremote\nstderr:\nwarned')
    expect(texts[1]).toContain('1\techo')
  })
})

const ATTACKS = ['../outside.txt', '/etc/hostname', 'linked/secret.txt', 'secret-link']
const patchOf = (path: string): string => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-secret\n+x\n`
const calls: Readonly<Record<string, (path: string) => JsonObject>> = {
  read: (path) => ({ path }),
  write: (path) => ({ path, content: 'x' }),
  edit: (path) => ({ path, old_string: 'secret', new_string: 'x' }),
  apply_patch: (path) => ({ patch: patchOf(path) }),
  grep: (path) => ({ path, pattern: 'secret' }),
  find: (path) => ({ path, pattern: '*' }),
  ls: (path) => ({ path }),
}

test.each(Object.entries(calls))(
  '%s reaches nothing outside of the workspace',
  async (name, args) => {
    await using door = await coder()
    const { session } = await turn(door, [['ls', {}]])
    const folder = await folderOf(door, session)
    const outside = join(door.dir, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret.txt'), 'secret\n')
    await writeFile(join(folder, '../outside.txt'), 'secret\n')
    await symlink(outside, join(folder, 'linked'))
    await symlink(join(outside, 'secret.txt'), join(folder, 'secret-link'))

    const { results, texts } = await turn(
      door,
      ATTACKS.map((path) => [name, args(path)] as const),
      session,
    )
    expect(results.map(({ status }) => status)).toEqual(ATTACKS.map(() => 'error'))
    expect(texts.filter((text) => /secret\n/.test(text))).toEqual([])
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n')
    expect(await readFile(join(folder, '../outside.txt'), 'utf8')).toBe('secret\n')
    expect(await readdir(outside)).toEqual(['secret.txt'])
  },
)

describe('amodal.json', () => {
  test('an agent without `workspace` has none of the tools', async () => {
    const names = async (door: Door): Promise<readonly string[]> => {
      await door.say('hello')
      const tools = door.model.requests.at(-1)?.body.tools ?? []
      return tools.map((tool) => tool.function.name).filter((name) => TOOLS.includes(name))
    }
    await using without = await openDoor({ script: () => reply.text('ready') })
    expect(await names(without)).toEqual([])
    await using declared = await coder()
    expect((await names(declared)).toSorted()).toEqual(TOOLS)
  })

  test.each([
    [{ sorce: 'empty' }, 'workspace'],
    [{ source: '../elsewhere' }, '`workspace.source` is no folder of the agent'],
    [{ source: 'missing' }, '`workspace.source` is no folder of the agent'],
    [{ bash: 'sometimes' }, '`workspace.bash`'],
    [{ quota: { bytes: 'many' } }, '`workspace.quota.bytes` is a text'],
    [{ network: ['example.com'] }, '`workspace.network`'],
  ])('%j is an error with its line, and there are no tools', async (workspace, message) => {
    await using door = await openDoor({
      manifest: { workspace },
      script: () => reply.text('ready'),
    })
    const issues = door.running.kernel.scope.get(Agent).bundle()?.issues ?? []
    const found = issues.filter((issue) => issue.message.includes(message))
    expect(found).toMatchObject([{ severity: 'error', file: 'amodal.json' }])
    expect(found[0]?.line).toBeGreaterThan(9)
    await door.say('hello')
    const tools = door.model.requests.at(-1)?.body.tools ?? []
    expect(tools.filter((tool) => TOOLS.includes(tool.function.name))).toEqual([])
  })
})
