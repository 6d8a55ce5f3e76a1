/** Bytes outside of the database: in a folder, or where a plugin stores them. */

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, ok, use, type Json } from '@amodal/sdk'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AssetBytes } from '../src/tokens.ts'
import { PNG } from './support/samples.ts'
import { idIn, serving, textIn, type Serving, type ServingOptions } from './support/serving.ts'

const limit = AbortSignal.timeout(240_000)
const until = async (done: () => Promise<boolean>): Promise<void> => {
  while (!(await done())) {
    limit.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'amodal-assets-'))
  return () => rm(folder, { recursive: true, force: true })
})

/** Paths of all files in the folder. */
const files = async (): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
}
const inFolder = (config: ServingOptions['config'] = {}, more: ServingOptions = {}) =>
  serving({ ...more, config: { folder, cleanSeconds: 0.05, ...config } })
const codeOf = (body: Json): unknown =>
  (body as { readonly error?: { readonly code?: unknown } }).error?.code // of an answer
const remove = (server: Serving, id: string, who?: 'bob') =>
  server.call(`/assets/${id}`, { method: 'DELETE' }, who)

describe('in a folder', () => {
  test('the bytes are there, once for each tenant, and the database has none of them', async () => {
    const server = await inFolder()
    const id = await server.kept(PNG, 'image/png', '../../../etc/dot.png')
    await server.kept(PNG, 'image/png', 'x', 'bob')
    await server.kept(PNG, 'image/png', 'x', 'eve')
    expect(await server.count('assets_chunk')).toBe(0)
    const stored = await files()
    expect(stored).toHaveLength(2)
    for (const path of stored) {
      expect(path.slice(folder.length)).toMatch(
        new RegExp(`^[/\\\\][0-9a-f]{32}[/\\\\]${id.slice(0, 2)}[/\\\\]${id}$`),
      )
      expect((await readFile(path)).equals(PNG)).toBe(true)
      if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
    expect((await server.call(`/assets/${id}`)).bytes.equals(PNG)).toBe(true)
    await server.say('look', { assets: [id] })
    expect(JSON.stringify(server.model.requests.at(-1)?.sent)).toContain(PNG.toString('base64'))
    expect(await server.count('assets_removal')).toBe(0)
  })

  test('they are removed with their last owner, their session, and the time of unused files', async () => {
    const server = await inFolder()
    const id = await server.kept('both')
    await server.kept('both', '', 'theirs', 'bob')
    await remove(server, id)
    expect((await server.call(`/assets/${id}`, {}, 'bob')).bytes.toString()).toBe('both')
    await remove(server, id, 'bob')
    await until(async () => (await files()).length === 0)
    const sent = await server.kept('of a session')
    const { body } = await server.say('look', { assets: [sent] })
    await server.call(`/sessions/${textIn(body, 'session_id')}`, { method: 'DELETE' })
    await until(async () => (await files()).length === 0)
    const unused = await server.kept('nobody needs it')
    await server.rows(
      `update assets_claim set used_at = now() - interval '2 days' where asset = '${unused}'`,
    )
    await until(async () => (await files()).length === 0)
    expect(await server.count('assets_removal')).toBe(0)
  })

  test('bytes that no row names, since a process died, are removed once they are due', async () => {
    const server = await inFolder()
    const id = await server.kept('x')
    const [path = ''] = await files()
    await server.rows(
      `insert into assets_removal (tenant, asset, due_at) values ('acme', '${id}', now())`,
    )
    await until(async () => (await server.count('assets_removal')) === 0)
    expect(await files()).toEqual([path]) // a content names them
    await server.rows('delete from assets_content')
    await server.rows(
      `insert into assets_removal (tenant, asset, due_at) values ('acme', '${id}', now())`,
    )
    await until(async () => (await files()).length === 0)
  })

  test('a file that is uploaded while it is removed is there afterwards', async () => {
    const server = await inFolder({ cleanSeconds: 0.01 })
    const id = await server.kept('same bytes', '', '', 'bob')
    await remove(server, id, 'bob')
    for (let n = 0; n < 40; n++) {
      const [upload] = await Promise.all([server.upload('same bytes'), remove(server, id, 'bob')])
      expect(upload.status).toBe(201)
      const back = await server.call(`/assets/${id}`)
      expect([back.status, back.bytes.toString()]).toEqual([200, 'same bytes'])
      await Promise.all([remove(server, id), server.upload('same bytes', '', '', 'bob')])
      expect((await server.call(`/assets/${id}`, {}, 'bob')).bytes.toString()).toBe('same bytes')
    }
  }, 60_000)

  test('a damaged file counts as lost, and the next upload repairs it', async () => {
    const server = await inFolder()
    const id = await server.kept(PNG, 'image/png', 'dot.png')
    const { body } = await server.say('look', { assets: [id] })
    const [path = ''] = await files()
    await writeFile(path, 'something else')
    expect((await server.call(`/assets/${id}`)).status).toBe(404)
    await server.say('and now?', { session_id: textIn(body, 'session_id') })
    expect(JSON.stringify(server.model.requests.at(-1)?.sent)).toContain('is not here')
    await server.kept(PNG, 'image/png')
    expect((await server.call(`/assets/${id}`)).bytes.equals(PNG)).toBe(true)
  })

  test('where it cannot be written, the upload is refused, and nothing says that it is there', async () => {
    const blocked = join(folder, 'blocked')
    await writeFile(blocked, '')
    const server = await inFolder({ folder: blocked })
    const upload = await server.upload(PNG, 'image/png')
    expect([upload.status, codeOf(upload.body)]).toEqual([503, 'ASSET_STORAGE_FAILED'])
    for (const table of ['content', 'claim']) expect(await server.count(`assets_${table}`)).toBe(0)
    await rm(blocked)
    expect((await server.upload(PNG, 'image/png')).status).toBe(201)
  })

  test('a tenant without room leaves nothing there', async () => {
    const server = await inFolder({ maxTenantBytes: 10 })
    const upload = await server.upload('eleven byte')
    expect([upload.status, codeOf(upload.body)]).toEqual([507, 'ASSETS_FULL'])
    expect(await files()).toEqual([])
  })

  test('files of before stay where they are, in the database or in the folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'amodal-assets-db-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const first = await serving({ dataDir })
    const before = await first.kept('before')
    await first.close()
    const second = await inFolder({}, { dataDir })
    expect((await second.call(`/assets/${before}`)).bytes.toString()).toBe('before')
    expect(await second.kept('before')).toBe(before)
    const after = await second.kept('after')
    expect(await files()).toHaveLength(1)
    await second.close()
    const third = await serving({ dataDir })
    expect((await third.call(`/assets/${before}`)).bytes.toString()).toBe('before')
    const lost = await third.call(`/assets/${after}`)
    expect([lost.status, codeOf(lost.body)]).toEqual([503, 'ASSET_STORAGE_FAILED'])
  }, 60_000)
})

test('a plugin of others stores the bytes in place of the folder', async () => {
  const stored = new Map<string, Uint8Array>()
  const elsewhere = definePlugin({
    name: 'elsewhere',
    version: '1.0.0',
    provides: [AssetBytes],
    setup({ provide }) {
      provide(AssetBytes, () => ({
        place: 'somewhere else',
        write: async ({ tenant, asset }, bytes) => {
          stored.set(`${tenant}/${asset}`, bytes)
          return ok(undefined)
        },
        read: async ({ tenant, asset }) => ok(stored.get(`${tenant}/${asset}`)),
        remove: async ({ tenant, asset }) => {
          stored.delete(`${tenant}/${asset}`)
          return ok(undefined)
        },
      }))
    },
  })
  const server = await inFolder({}, { entries: [use(elsewhere)] })
  const upload = await server.upload(PNG, 'image/png')
  const id = idIn(upload.body)
  expect([...stored.keys()]).toEqual([`acme/${id}`])
  expect(await files()).toEqual([])
  expect((await server.call(`/assets/${id}`)).bytes.equals(PNG)).toBe(true)
  await remove(server, id)
  await until(async () => stored.size === 0)
})
