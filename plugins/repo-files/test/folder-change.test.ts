import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isWhole } from '../../../tests/support/random.ts'
import {
  applyChange,
  newChangeId,
  recoverChange,
  type AppliedChange,
  type FileChange,
} from '../src/folder-change.ts'

const FILES = 25
const KILLS = isWhole() ? 30 : 10
/** ms within which a change is written. */
const WRITING_MS = 25

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-apply-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const changeOf = (id: string, files: readonly FileChange[]): AppliedChange => ({
  id,
  session: 'sess_1',
  principal: 'local',
  at: 0,
  files,
})

/** Every file below the folder, but those of the changes themselves. */
async function stateOf(dir: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(dir.length + 1))
    .filter((path) => !path.startsWith('.amodal/'))
    .sort()
  return Object.fromEntries(
    await Promise.all(
      files.map(async (path) => [path, await readFile(join(dir, path), 'utf8')] as const),
    ),
  )
}

/** Applies a change in a process of its own, which says when it begins. */
const CHILD = `
import { readFileSync } from 'node:fs'
import { applyChange } from ${JSON.stringify(new URL('../src/folder-change.ts', import.meta.url).href)}
const [, dir, file] = process.argv
const change = JSON.parse(readFileSync(file, 'utf8'))
process.stdout.write('begins')
applyChange(dir, change)
`

test('of a change whose process is killed at random all is there, or nothing', async () => {
  const before = Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [
      `skills/s${at}/SKILL.md`,
      `before ${at}\n`.repeat(200),
    ]),
  )
  const changes = Object.entries(before).map(([path, text], at): FileChange => {
    if (at % 5 === 0) return { path, before: text, after: null }
    if (at % 5 === 1) return { path: `knowledge/new/${at}.md`, before: null, after: `new ${at}` }
    return { path, before: text, after: `after ${at}\n`.repeat(200) }
  })
  const after = { ...before }
  for (const { after: text, path } of changes)
    if (text === null) Reflect.deleteProperty(after, path)
    else after[path] = text
  let [done, none, finished] = [0, 0, 0]
  for (let round = 0; round < KILLS; round++) {
    const dir = await folder(before)
    const file = join(dir, '.amodal/change.json')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(changeOf('one', changes)))
    const child = spawn(
      process.execPath,
      ['--conditions=@amodal/source', '--input-type=module', '-e', CHILD, dir, file],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    // At another point of the writing each time.
    const until = performance.now() + (round / KILLS) * WRITING_MS
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    await ended
    const { change, problem } = recoverChange(dir)
    expect(problem).toBeUndefined()
    if (change) finished++
    const state = await stateOf(dir)
    const isDone = JSON.stringify(state) === JSON.stringify(sorted(after))
    if (!isDone) expect(state).toEqual(before)
    if (isDone) done++
    else none++
    expect(recoverChange(dir)).toEqual({})
  }
  expect(done + none).toBe(KILLS)
  // Otherwise no kill fell into the writing. Where it falls is not the same on each machine.
  if (isWhole()) expect(finished).toBeGreaterThan(0)
}, 120_000)

const sorted = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)))

test('what cannot be written leaves everything as it was', async () => {
  const dir = await folder({ 'skills/a.md': 'a', 'skills/b.md': 'b' })
  await mkdir(join(dir, 'elsewhere'))
  await symlink(join(dir, 'elsewhere'), join(dir, 'knowledge'))
  expect(() => {
    applyChange(
      dir,
      changeOf('one', [
        { path: 'skills/a.md', before: 'a', after: 'changed' },
        { path: 'skills/new/c.md', before: null, after: 'new' },
        { path: 'knowledge/x.md', before: null, after: 'out of the folder' },
      ]),
    )
  }).toThrow('is a link')
  expect(await stateOf(dir)).toEqual({ 'skills/a.md': 'a', 'skills/b.md': 'b' })
  expect(await readdir(join(dir, 'elsewhere'))).toEqual([])
  expect(recoverChange(dir)).toEqual({})
})

test('the newest 100 changes can be undone', async () => {
  const dir = await folder({ 'skills/a.md': '0' })
  const ids = Array.from({ length: 102 }, (_, at) => newChangeId(at * 1_000))
  for (const [at, id] of ids.entries())
    applyChange(
      dir,
      changeOf(id, [{ path: 'skills/a.md', before: String(at), after: String(at + 1) }]),
    )
  const records = (await readdir(join(dir, '.amodal/admin/applied'))).sort()
  expect(records).toEqual(ids.slice(2).map((id) => `${id}.json`))
})
