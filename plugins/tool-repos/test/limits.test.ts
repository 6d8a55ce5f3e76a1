import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Slots } from '../src/slots.ts'
import { sizeOf } from '../src/upkeep.ts'
import { ACME, leftovers, served, valueOf, type Served } from './server.ts'

const signal = AbortSignal.timeout(600_000)
const all = process.env['AMODAL_TEST_ALL'] === '1'
const HALF_MB = 524_288

const random = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64')

const fsck = (server: Served): Promise<string> =>
  server.done([`--git-dir=${server.folderOf('acme')}`, 'fsck', '--full', '--strict'])

test('a push above the limit of one push is refused, and leaves nothing', async () => {
  await using server = await served({ maxPackBytes: HALF_MB })
  const clone = await server.clone({ 'big/data': random(2 * HALF_MB) })
  const before = await sizeOf(server.folderOf('acme'))
  const pushed = await server.git(['push', 'origin', 'main'], { cwd: clone })
  expect(pushed.code).not.toBe(0)
  expect(pushed.text).toMatch(/exceeds maximum allowed size|413/)
  await expect.poll(() => sizeOf(server.folderOf('acme')), { timeout: 10_000 }).toBe(before)
  await expect.poll(() => leftovers(server), { timeout: 10_000 }).toEqual([])
  await server.done(['ls-remote', server.url()])
  expect(await fsck(server)).not.toMatch(/error|missing/)
})

test('a repository grows to its limit, and branches can still be deleted then', async () => {
  await using server = await served({ maxRepoBytes: HALF_MB })
  const clone = await server.clone({ 'one/data': random(HALF_MB * 0.8) })
  await server.done(['push', '-q', 'origin', 'main:one'], { cwd: clone })
  const other = await server.clone({ 'two/data': random(HALF_MB * 0.8) })
  const pushed = await server.git(['push', 'origin', 'main:two'], { cwd: other })
  expect(pushed.code).not.toBe(0)
  expect(pushed.text).toContain('exceeds maximum allowed size')
  expect((await server.repos.head(ACME, 'two', signal)).ok).toBe(false)
  await server.done(['push', '-q', 'origin', ':one'], { cwd: clone })
})

test('a repository has no more branches and tags than it may have', async () => {
  await using server = await served({ maxRefs: 3 })
  const clone = await server.clone({ 'a/b': 'c' })
  await server.done(['push', '-q', 'origin', 'main:one', 'main:two'], { cwd: clone })
  const pushed = await server.git(['push', 'origin', 'main:three'], { cwd: clone })
  expect(pushed.text).toContain('as many branches and tags as it may have')
  await server.done(['push', '-q', 'origin', ':one', 'main:three'], { cwd: clone })
})

test('pushes at once are all taken, or refused because another one was first', async () => {
  await using server = await served({ processes: 2, processesPerTenant: 1 })
  const clone = await server.clone({ 'a/b': 'c' })
  const pushes = await Promise.all(
    Array.from({ length: 3 }, (_, at) =>
      server.git(['push', 'origin', `main:branch${at}`], { cwd: clone }),
    ),
  )
  expect(pushes.map(({ code }) => code)).toEqual(pushes.map(() => 0))
  const clones = await Promise.all(
    [1, 2, 3].map((at) => server.clone({ 'a/one': `written by ${at}` })),
  )
  const raced = await Promise.all(
    clones.map((cwd) => server.git(['push', 'origin', 'main'], { cwd })),
  )
  expect(raced.filter(({ code }) => code === 0)).toHaveLength(1)
  expect(await fsck(server)).not.toMatch(/error|missing/)
})

test('many pushes are repacked, and nothing of them is lost', async () => {
  await using server = await served({ packs: 3 })
  const clone = await server.clone()
  for (let at = 0; at < 5; at++) {
    await server.done(['commit', '-q', '--allow-empty', '-m', `number ${at}`], { cwd: clone })
    await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
  }
  const packs = async (): Promise<number> =>
    (await readdir(join(server.folderOf('acme'), 'objects/pack'))).filter((name) =>
      name.endsWith('.pack'),
    ).length
  await expect.poll(packs, { timeout: 10_000 }).toBeLessThan(4)
  expect(valueOf(await server.repos.head(ACME, 'main', signal))).toBe(
    (await server.done(['rev-parse', 'HEAD'], { cwd: clone })).trim(),
  )
})

test('waits for its turn in the order of requests, and not for ever', async () => {
  const slots = new Slots({ total: 2, perKey: 1, waitMs: 50 })
  const first = valueOf(await slots.acquire('a', signal))
  expect(await slots.acquire('a', signal)).toMatchObject({ error: { code: 'REPO_BUSY' } })
  const other = valueOf(await slots.acquire('b', signal))
  const waiting = slots.acquire('a', signal)
  first()
  first() // a second release counts for nothing
  const next = valueOf(await waiting)
  expect(await slots.acquire('c', signal)).toMatchObject({ error: { code: 'REPO_BUSY' } })
  next()
  other()
  valueOf(await slots.acquire('c', signal))
})

test('without a key, only who can read the token of the server pushes', async () => {
  await using server = await served({}, { keys: false })
  const url = `${server.origin}/v1/local/tool/git/tools.git`
  const clone = await server.clone({ 'a/b': 'c' }, url)
  const refused = await server.git(['push', 'origin', 'main'], { cwd: clone })
  expect(refused.text).toContain('could not read Username')
  const { LocalToken } = await import('@amodal/sdk')
  const token = server.kernel.scope.get(LocalToken).text() ?? ''
  await server.done(['push', '-q', url.replace('//', `//any:${token}@`), 'main'], { cwd: clone })
})

test.runIf(all)('a push of 100 MB is taken', { timeout: 300_000 }, async () => {
  await using server = await served()
  const clone = await server.clone({ 'big/data': random(136_000_000) })
  await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
  // four characters of the file are three bytes of the pack
  expect(await sizeOf(server.folderOf('acme'))).toBeGreaterThan(100_000_000)
  const other = await server.clone()
  expect(await sizeOf(join(other, 'big'))).toBeGreaterThan(135_000_000)
  const above = await server.clone({
    'more/data': random(140_000_000),
    'again/data': random(40_000_000),
  })
  const refused = await server.git(['push', 'origin', 'main:above'], { cwd: above })
  expect(refused.code).not.toBe(0)
  await expect.poll(() => leftovers(server), { timeout: 10_000 }).toEqual([])
  await server.done(['ls-remote', server.url()])
})
