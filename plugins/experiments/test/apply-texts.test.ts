import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { failure, type Failure, type Result } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { applyTexts, undoTexts } from '../src/promote/apply-texts.ts'

const AT = Date.parse('2026-01-01')
const { signal } = new AbortController()

async function folder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-promotion-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return dir
}

const read = (dir: string, path: string): Promise<string> => readFile(join(dir, path), 'utf8')
const write = (root: string, texts: Readonly<Record<string, string>>) =>
  applyTexts({ root, texts: new Map(Object.entries(texts)), principal: 'anna', at: AT }, signal)
const errorOf = (result: Result<unknown, Failure>): Failure =>
  result.ok ? failure('INTERNAL', 'it was written') : result.error

test('texts are written and written back, with byte order mark and line ends', async () => {
  const before = { 'skills/a.md': '\uFEFFone\r\ntwo\r\n', 'experiments/tone.json': '{}\n' }
  const dir = await folder(before)
  const applied = await write(dir, {
    'skills/a.md': 'three\r\n',
    'experiments/tone/base/prompt.md': 'new\n',
    'experiments/tone.json': '{"status": "stopped"}\n',
  })
  if (!applied.ok) throw new Error(applied.error.message)
  expect(applied.value).toMatchObject({ principal: 'anna', at: AT })
  expect(await read(dir, 'skills/a.md')).toBe('three\r\n')
  expect(await read(dir, 'experiments/tone/base/prompt.md')).toBe('new\n')
  expect(await undoTexts(dir, applied.value, AT + 1)).toMatchObject({ ok: true })
  for (const [path, text] of Object.entries(before)) expect(await read(dir, path)).toBe(text)
  expect(await readdir(join(dir, 'experiments'))).toEqual(['tone.json'])
  const records = await readdir(join(dir, '.amodal/admin/applied'))
  expect(records.sort()[0]).toBe(`${applied.value.id}.json`)
  expect(records).toHaveLength(2)
})

test('a link within the folder is followed, and stays', async () => {
  const dir = await folder({ 'shared/a.md': 'before' })
  await symlink('shared', join(dir, 'skills'))
  await symlink('a.md', join(dir, 'shared/b.md'))
  expect(await write(dir, { 'skills/b.md': 'after', 'skills/c.md': 'new' })).toMatchObject({
    ok: true,
  })
  expect(await read(dir, 'shared/a.md')).toBe('after')
  expect(await read(dir, 'shared/c.md')).toBe('new')
  expect(await readlink(join(dir, 'shared/b.md'))).toBe('a.md')
})

test('a link that leaves the folder changes nothing', async () => {
  const outside = await folder({ 'a.md': 'before' })
  const dir = await folder({ 'skills/a.md': 'before' })
  await symlink(outside, join(dir, 'knowledge'))
  for (const path of ['knowledge/a.md', 'knowledge/new.md'])
    expect(errorOf(await write(dir, { 'skills/a.md': 'after', [path]: 'after' }))).toMatchObject({
      code: 'EXPERIMENT_NOT_PROMOTABLE',
      message: expect.stringMatching(/nothing was changed: .* that leads elsewhere/),
    })
  expect(await read(dir, 'skills/a.md')).toBe('before')
  expect(await readdir(outside)).toEqual(['a.md'])
})

test('a file that is no text could not be written back, and changes nothing', async () => {
  const dir = await folder({ 'skills/a.md': 'before', 'skills/b.md': Uint8Array.of(0xff, 0xfe) })
  expect(errorOf(await write(dir, { 'skills/a.md': 'after', 'skills/b.md': 'x' }))).toMatchObject({
    code: 'EXPERIMENT_NOT_PROMOTABLE',
    message: expect.stringContaining('skills/b.md is no text in UTF-8'),
  })
  expect(await read(dir, 'skills/a.md')).toBe('before')
})
