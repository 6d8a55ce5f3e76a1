import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionId } from '@amodal/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { readArchive, writeArchive } from '../src/snapshot/archive.ts'
import { filesOf, FORMAT, idOf, type Snapshot } from '../src/snapshot/format.ts'
import { isUnpacked, unpack } from '../src/snapshot/unpack.ts'
import { getsCanary } from '../src/server/session-pin.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const signal = AbortSignal.timeout(60_000)

function snapshotOf(texts: Readonly<Record<string, string>>): Snapshot {
  const contents = Object.entries(texts).map(([path, text]) => ({ path, bytes: bytesOf(text) }))
  const files = filesOf(contents)
  return {
    contents,
    manifest: {
      format: FORMAT,
      id: idOf(files),
      agent: { name: 'packed', version: '1.0.0' },
      files: [...files],
      bundle: 'b',
      lock: null,
      prompts: {},
      runtime: '0.1.0',
    },
  }
}

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-unpack-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test('an archive has long paths, empty files and letters of every script', async () => {
  const long = `${'knowledge/'}${'very-'.repeat(40)}long.md`
  const snapshot = snapshotOf({ 'amodal.json': '{}', 'knowledge/ü-字.md': '', [long]: 'text' })
  const read = await readArchive(await writeArchive(snapshot))
  expect(read.ok && read.value.manifest).toEqual(snapshot.manifest)
  expect(
    read.ok && read.value.contents.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
  ).toEqual([
    ['amodal.json', '{}'],
    [long, 'text'],
    ['knowledge/ü-字.md', ''],
  ])
})

test('a manifest that names another id is refused', async () => {
  const snapshot = snapshotOf({ 'amodal.json': '{}' })
  const id = createHash('sha256').update('other').digest('hex')
  const forged = { ...snapshot, manifest: { ...snapshot.manifest, id } }
  expect(await readArchive(await writeArchive(forged))).toMatchObject({
    error: { code: 'SNAPSHOT_TAMPERED', message: 'the id is not that of its files' },
  })
})

test('a snapshot is unpacked once, by however many at the same time, and again where it was changed', async () => {
  const dir = await folder()
  const snapshot = snapshotOf({ 'amodal.json': '{}', 'skills/a/SKILL.md': 'a' })
  const { id } = snapshot.manifest
  const unpacked = await Promise.all([1, 2, 3].map(() => unpack(dir, snapshot, signal)))
  expect(unpacked.map((one) => one.ok && one.value)).toEqual([1, 2, 3].map(() => join(dir, id)))
  expect(await readdir(dir)).toEqual([id])
  const file = join(dir, id, 'skills/a/SKILL.md')
  await chmod(file, 0o644)
  await writeFile(file, 'b')
  expect(await isUnpacked(dir, id, signal)).toBe(false)
  expect((await unpack(dir, snapshot, signal)).ok).toBe(true)
  expect(await readFile(file, 'utf8')).toBe('a')
  await writeFile(join(dir, id, 'skills/a/more.md'), 'b')
  expect(await isUnpacked(dir, id, signal)).toBe(false)
})

test('a share of sessions gets a canary, by their ids', () => {
  const sessions = Array.from({ length: 4_000 }, (_, n) => sessionId(`sess_${n}`))
  const pointer = { snapshot: 'a', canary: 'b', version: 1 }
  const share = (percent: number): number =>
    sessions.filter((session) => getsCanary({ ...pointer, percent }, session)).length / 4_000
  expect(share(0)).toBe(0)
  expect(share(10)).toBeGreaterThan(0.08)
  expect(share(10)).toBeLessThan(0.12)
  expect(share(100)).toBe(1)
})
