import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { Amodal, opsAgent, serve, type Server } from './server.ts'

const clientOf = ({ url }: Server) => createClient({ url, tries: 2 })
const chat = ({ url, credential }: Server): Promise<Response> =>
  fetch(`${url}/chat/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
    body: JSON.stringify({ message: 'And once more' }),
  })
const healthOf = async ({ url }: Server): Promise<unknown> => (await fetch(`${url}/health`)).json()

test('a data folder without PG_VERSION stops the start, and its sessions are there once the file is back', async () => {
  await using agent = await opsAgent()
  const data = join(agent.dir, '.amodal/store-data')
  {
    await using server = await serve(agent.dir)
    await clientOf(server).ask({ text: 'Hello' })
    expect(await server.process.kill('SIGTERM')).toMatchObject({ code: 0 })
  }
  await rm(join(data, 'PG_VERSION'))
  const before = await readdir(data)
  const refused = await new Amodal(['dev', '--dir', agent.dir, '--port', '0']).ended
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(
    /^DATABASE_DAMAGED: the database in .*store-data is damaged \(PG_VERSION is missing.*restore a backup/,
  )
  expect((await readdir(data)).sort()).toEqual(before.sort())
  await writeFile(join(data, 'PG_VERSION'), '18\n')
  await using server = await serve(agent.dir)
  expect((await clientOf(server).sessions()).sessions).toHaveLength(1)
}, 60_000)

test('a second server is refused also where the lock file was removed, and nothing is lost', async () => {
  await using agent = await opsAgent()
  const data = join(agent.dir, '.amodal/store-data')
  await using server = await serve(agent.dir)
  await clientOf(server).ask({ text: 'Hello' })
  for (const name of await readdir(data))
    if (name.startsWith('amodal.lock')) await rm(join(data, name))
  const refused = await new Amodal(['dev', '--dir', agent.dir, '--port', '0']).ended
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^DATABASE_LOCKED/)
  expect((await clientOf(server).sessions()).sessions).toHaveLength(1)
}, 60_000)

test('a database that ends before what was acknowledged is degraded in /health, and only read until the loss is accepted', async () => {
  await using agent = await opsAgent()
  const data = join(agent.dir, '.amodal/store-data')
  const copy = join(agent.dir, 'earlier')
  {
    await using server = await serve(agent.dir)
    await clientOf(server).ask({ text: 'Hello' })
    await server.process.kill('SIGTERM')
  }
  await cp(data, copy, { recursive: true })
  {
    await using server = await serve(agent.dir)
    await clientOf(server).ask({ text: 'And again' })
    await server.process.kill('SIGTERM')
  }
  // As after a disk that lost its latest writes: all files are older, but for what was noted.
  for (const name of await readdir(data)) {
    if (name !== 'amodal.progress.json') await rm(join(data, name), { recursive: true })
  }
  await rm(join(copy, 'amodal.progress.json'))
  await cp(copy, data, { recursive: true })
  await using server = await serve(agent.dir)
  await expect
    .poll(() => healthOf(server))
    .toMatchObject({
      status: 'degraded',
      problems: expect.arrayContaining([
        expect.stringMatching(/^database: DATABASE_DAMAGED.*the latest changes are lost/),
      ]) as string[],
    })
  // what is left can be read, and nothing is written over what can still be saved
  expect((await clientOf(server).sessions()).sessions).toHaveLength(1)
  const refused = await chat(server)
  expect(refused.status).toBe(503)
  expect(await refused.text()).toMatch(/DATABASE_DAMAGED.*amodal ops database accept-loss/)
  const status = await new Amodal(['ops', 'database', '--dir', agent.dir]).ended
  expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/It is only read/) as string })
  expect((await chat(server)).status).toBe(503)

  const accepted = await new Amodal(['ops', 'database', 'accept-loss', '--dir', agent.dir]).ended
  expect(accepted).toMatchObject({
    code: 0,
    out: expect.stringMatching(/latest changes are lost[^]*The loss is accepted/) as string,
  })
  expect((await chat(server)).status).toBe(200)
  await expect.poll(() => healthOf(server)).toMatchObject({ status: 'ok' })
  expect(await new Amodal(['ops', 'database', '--dir', agent.dir, '--json']).ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/"damage":\[\],"accepted":false/) as string,
  })
}, 90_000)

test('a store of a damaged database is read and not written, also after a restart', async () => {
  await using door = await openDoor({
    files: {
      'stores/notes.json': {
        entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' } } },
      },
    },
    script: reply.text('Hello.'),
  })
  const authorization = `Bearer ${door.token}`
  const put = (id: string) => door.post('/api/stores/notes', { id })
  expect((await put('first')).status).toBe(201)
  await writeFile(
    join(door.dir, '.amodal/store-data/amodal.damage.json'),
    JSON.stringify({ v: 1, found: '2026-11-26T10:00:00Z', damage: ['a page is corrupted'] }),
  )
  for (const _ of [1, 2]) {
    await door.restart()
    await expect
      .poll(async () => (await door.get('/api/stores/notes/first', { authorization })).status)
      .toBe(200)
    const refused = await put('second')
    expect(refused.status).toBe(503)
    expect(refused.text).toMatch(/DATABASE_DAMAGED.*a page is corrupted.*accept-loss/)
    const removed = await fetch(`${door.url}/api/stores/notes/first`, {
      method: 'DELETE',
      headers: { authorization },
    })
    expect(removed.status).toBe(503)
  }
  expect(
    await new Amodal(['ops', 'database', 'accept-loss', '--dir', door.dir]).ended,
  ).toMatchObject({ code: 0 })
  expect((await put('second')).status).toBe(201)
}, 90_000)
