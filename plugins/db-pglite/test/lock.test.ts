import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database, use } from '@amodal/sdk'
import { dbPglite } from '../src/index.ts'
import { boot, folder, holder, refusal } from './support.ts'

test('a second server on the folder stops within a second, and is told who holds it', async () => {
  const dir = await folder()
  const child = await holder(dir, 'http://127.0.0.1:3847')
  const begun = performance.now()
  const text = await refusal({ dir })
  expect(performance.now() - begun).toBeLessThan(30_000)
  expect(text).toContain('DATABASE_LOCKED')
  expect(text).toContain(join(dir, '.amodal/store-data'))
  expect(text).toContain(`process id ${child.pid}`)
  expect(text).toContain('at http://127.0.0.1:3847')
})

test('a killed holder frees the folder at once, and nothing it committed is lost', async () => {
  const dir = await folder()
  const child = await holder(dir)
  expect(await refusal({ dir })).toContain('DATABASE_LOCKED')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { rows } = await boot({ dir })
  expect(await rows('select count(*) as n from held')).toEqual([{ n: 1 }])
  expect(
    JSON.parse(readFileSync(join(dir, '.amodal/store-data/amodal.lock.json'), 'utf8')),
  ).toMatchObject({ pid: process.pid })
})

test.runIf(process.platform === 'linux')(
  'a second server is refused also where somebody has removed the lock file, by any name of the folder',
  async () => {
    const dir = await folder()
    const child = await holder(dir)
    const data = join(dir, '.amodal/store-data')
    for (const name of readdirSync(data).filter((one) => one.startsWith('amodal.lock')))
      rmSync(join(data, name))
    symlinkSync(data, join(dir, 'other'))
    for (const config of [{ dir }, { dir, dataDir: 'other' }])
      expect(await refusal(config)).toContain('DATABASE_LOCKED')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { rows } = await boot({ dir })
    expect(await rows('select count(*) as n from held')).toEqual([{ n: 1 }])
  },
)

test('two kernels of one process cannot share the folder either, and the first goes on', async () => {
  const dir = await folder()
  const first = await boot({ dir })
  expect(await refusal({ dir })).toMatch(
    /DATABASE_LOCKED[^]*in this very process|in this very process[^]*DATABASE_LOCKED/,
  )
  expect(await first.rows('select 1 as one')).toEqual([{ one: 1 }])
  await first.kernel.close()
  const second = await boot({ dir })
  expect(await second.rows('select 1 as one')).toEqual([{ one: 1 }])
})

test('a lock that nobody holds any more is only a file', async () => {
  const dir = await folder()
  const data = join(dir, '.amodal/store-data')
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'amodal.lock'), '')
  writeFileSync(
    join(data, 'amodal.lock.json'),
    '{"pid":1,"host":"gone","startedAt":"2020-01-01T00:00:00.000Z"}',
  )
  const { rows } = await boot({ dir })
  expect(await rows('select 1 as one')).toEqual([{ one: 1 }])
})

test('a folder that cannot be one is named', async () => {
  const dir = await folder()
  writeFileSync(join(dir, 'file'), 'not a folder')
  expect(await refusal({ dir, dataDir: 'file' })).toMatch(/UNREADABLE|cannot be used/)
})

test('a reload that changes the config hands the folder over', async () => {
  const dir = await folder()
  const { kernel, rows, database } = await boot({ dir })
  await rows('create table kept(n int)')
  const reloaded = await kernel.reload([use(dbPglite, { dir, address: '127.0.0.1:1' })])
  expect(reloaded.ok).toBe(true)
  const next = kernel.scope.get(Database)
  expect(next).not.toBe(database)
  expect(
    await next.run(
      { sql: 'select count(*) as n from kept', parameters: [] },
      AbortSignal.timeout(10_000),
    ),
  ).toEqual({ ok: true, value: [{ n: 0 }] })
  expect(readFileSync(join(dir, '.amodal/store-data/amodal.lock.json'), 'utf8')).toContain(
    '127.0.0.1:1',
  )
})
