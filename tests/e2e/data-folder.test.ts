import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@amodal/sdk/client'
import { expect, test } from 'vitest'
import { Amodal, opsAgent, serve, type Server } from './server.ts'

const clientOf = ({ url }: Server) => createClient({ url, tries: 2 })
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

test('a database that ends before what was acknowledged is degraded in /health', async () => {
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
      problems: [
        expect.stringMatching(/^database: DATABASE_DAMAGED.*the latest changes are lost/) as string,
      ],
    })
  await rm(join(data, 'amodal.damage.json'))
  await expect.poll(() => healthOf(server)).toMatchObject({ status: 'ok' })
}, 90_000)
