import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderPoll } from '../src/folder-poll.ts'
import { FolderWatch } from '../src/folder-watch.ts'

const PLACES = ['amodal.json', '.env', '.amodal/config.json', 'skills', 'tools']

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'watch-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await mkdir(join(dir, 'skills/one'), { recursive: true })
  await mkdir(join(dir, 'tools/node_modules/x'), { recursive: true })
  await mkdir(join(dir, '.amodal/store-data'), { recursive: true })
  await mkdir(join(dir, 'src'))
  return dir
}

async function watched(
  dir: string,
): Promise<{ readonly watch: FolderWatch; readonly heard: Set<string> }> {
  const heard = new Set<string>()
  const watch = new FolderWatch(dir, PLACES, {
    changed: (path) => void heard.add(path ?? '?'),
    failed: (cause) => {
      throw cause
    },
  })
  onTestFinished(() => watch.close())
  await watch.follow()
  return { watch, heard }
}

test('hears of what counts, and of nothing else', async () => {
  const dir = await folder()
  const { watch, heard } = await watched(dir)
  expect(watch.size).toBe(5) // the root, .amodal, skills, skills/one, tools
  for (const path of [
    'README.md',
    'src/app.ts',
    '.git',
    'skills/.swp',
    'tools/node_modules/x/y.js',
    '.amodal/store-data/1',
    '.amodal/log',
  ])
    await writeFile(join(dir, path), 'x')
  for (const path of ['amodal.json', '.env', '.amodal/config.json', 'skills/a.md'])
    await writeFile(join(dir, path), 'x')
  await writeFile(join(dir, 'other'), 'x')
  await rename(join(dir, 'other'), join(dir, 'skills/one/SKILL.md'))
  await expect
    .poll(() => [...heard].sort())
    .toEqual(['.amodal/config.json', '.env', 'amodal.json', 'skills/a.md', 'skills/one/SKILL.md'])
})

test('goes on in folders that are new, and in those made anew under the same name', async () => {
  const dir = await folder()
  const { watch, heard } = await watched(dir)
  await rm(join(dir, 'skills'), { recursive: true })
  await mkdir(join(dir, 'skills/two'), { recursive: true })
  await expect.poll(() => heard.has('skills')).toBe(true)
  await watch.follow()
  heard.clear()
  await writeFile(join(dir, 'skills/two/SKILL.md'), 'x')
  await expect.poll(() => [...heard]).toEqual(['skills/two/SKILL.md'])
  watch.close()
  expect(watch.size).toBe(0)
})

test('where the system tells of nothing, a look does', async () => {
  const dir = await folder()
  let changes = 0
  const poll = new FolderPoll(dir, PLACES, 10, () => {
    changes++
  })
  onTestFinished(() => poll.close())
  await writeFile(join(dir, 'skills/a.md'), 'x')
  await poll.look()
  await writeFile(join(dir, 'src/app.ts'), 'x')
  await writeFile(join(dir, 'skills/a.md'), 'longer')
  await expect.poll(() => changes).toBe(1)
  await rm(join(dir, 'skills/a.md'))
  await expect.poll(() => changes).toBe(2)
})
