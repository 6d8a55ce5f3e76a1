import sessionsMemory from '@amodal/plugin-sessions-memory'
/** What becomes of files that nobody needs any more. */

import {
  Database,
  Erasers,
  explain,
  Kernel,
  principalId,
  SessionStore,
  sessionId,
  tenantId,
  unwrap,
  use,
} from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { createCleanUp } from '../src/clean-up.ts'
import { removeExpired, lostSessions } from '../src/unused-files.ts'
import { MemoryRecords } from '../src/memory-records.ts'
import { PNG } from './support/samples.ts'
import { serving, textIn, type Serving, type Who } from './support/serving.ts'

const limit = AbortSignal.timeout(240_000)
const saying = ({ message }: { readonly message: string }): string => message

/** Waits for what happens behind the answer of a request. */
const until = async (done: () => Promise<boolean>): Promise<void> => {
  while (!(await done())) {
    limit.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const isThere = async (server: Serving, id: string, who: Who = 'ann'): Promise<boolean> =>
  (await server.call(`/assets/${id}`, {}, who)).status === 200
/** A session with a message that has the file. */
const sentWith = async (server: Serving, id: string, who?: Who): Promise<string> => {
  const { body, status } = await server.say('look', { assets: [id] }, who)
  expect(status).toBe(200)
  return textIn(body, 'session_id')
}
const remove = (server: Serving, session: string, who?: Who) =>
  server.call(`/sessions/${session}`, { method: 'DELETE' }, who)
const principals = async (server: Serving): Promise<Readonly<Record<Who, string>>> => {
  for (const who of ['ann', 'bob', 'eve'] as const) await server.kept(`of ${who}`, '', who, who)
  const rows = await server.rows('select principal, name from assets_claim where name is not null')
  const found = Object.fromEntries(rows.map(({ principal, name }) => [name, principal]))
  return found as Record<Who, string> // three of them, as they were written
}

describe.each([{ memory: true }, { memory: false }])('in memory: $memory', ({ memory }) => {
  test('a file that no message has is removed after its time; one that a message has stays', async () => {
    const server = await serving({ memory, config: { keepUnusedHours: 0, cleanSeconds: 0.01 } })
    const sent = server.say('look', { assets: [{ data: PNG.toString('base64') }] })
    const id = '6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0'
    const status = (await sent).status
    // It may have gone between its keeping and its holding: then the message was refused.
    expect([200, 404]).toContain(status)
    const unused = await server.kept('nobody needs it')
    await until(async () => !(await isThere(server, unused)))
    if (status === 200) expect(await isThere(server, id)).toBe(true)
  })

  test('a session takes its files with it, but for those of others', async () => {
    const server = await serving({ memory })
    const [mine, shared] = [await server.kept('mine'), await server.kept('shared')]
    await server.kept('shared', '', 'theirs', 'bob')
    const [first, second] = [await sentWith(server, mine), await sentWith(server, shared)]
    const third = await sentWith(server, mine)
    await remove(server, first)
    await remove(server, second)
    expect(await isThere(server, mine)).toBe(true) // the third session has it
    await until(async () => {
      const shown = await server.call(`/assets/${shared}`)
      return shown.headers.get('content-disposition')?.includes('theirs') === true
    })
    await remove(server, third)
    await until(async () => !(await isThere(server, mine)))
    expect(await isThere(server, shared, 'bob')).toBe(true)
  })

  test('a file is removed `keepDays` after it was last sent, and the model is told so in words', async () => {
    const days = 2 / 86_400 // two seconds
    const server = await serving({ memory, config: { keepDays: days, cleanSeconds: 0.05 } })
    const id = await server.kept(PNG, 'image/png', 'dot.png')
    const other = await server.kept('sent later', '', 'later.txt')
    const { body } = await server.say('look', { assets: [id] })
    const session_id = textIn(body, 'session_id')
    // Sending it counts as use, uploading it, too: the other file stays as long as that goes on.
    await until(async () => {
      await server.kept('sent later', '', 'later.txt')
      return !(await isThere(server, id))
    })
    expect(await isThere(server, other)).toBe(true)
    await server.say('and now?', { session_id })
    expect(JSON.stringify(server.model.requests.at(-1)?.sent)).toContain(
      'The file \\"dot.png\\" (image/png, 70 bytes) is not here: it was deleted',
    )
    if (!memory) expect(await server.count('assets_hold')).toBe(0)
    const again = await server.say('once more', { session_id, assets: [id] })
    expect(again.status).toBe(404)
    await until(async () => !(await isThere(server, other)))
  })

  test('a session that expires takes its files with it', async () => {
    const server = await serving({ memory, settings: { sessionTtlMs: 200 } })
    const id = await server.kept(PNG)
    await sentWith(server, id)
    await until(async () => !(await isThere(server, id)))
  })
})

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
  return () => postgres.stop()
})

describe.each(['pglite', 'postgres'])('in the database: %s', (dialect) => {
  const onDatabase = async (): Promise<Serving> =>
    serving(dialect === 'postgres' ? { databaseUrl: await postgres.createDatabase() } : {})

  test('nothing is left of what is removed', async () => {
    const server = await onDatabase()
    const id = await server.kept(Buffer.alloc(2_000_000, 'a'))
    const session = await sentWith(server, id)
    await remove(server, session)
    await until(async () => (await server.count('assets_content')) === 0)
    for (const table of ['chunk', 'claim', 'hold'])
      expect(await server.count(`assets_${table}`)).toBe(0)
  })

  test('a session that is gone without a word holds nothing for ever', async () => {
    const server = await onDatabase()
    const store = server.kernel.scope.get(AssetStore)
    const [there, gone] = [await server.kept('there'), await server.kept('gone')]
    const session = await sentWith(server, there)
    const tenant = tenantId('acme')
    const by = { principal: principalId('p'), session: sessionId('never-began') }
    const ref = { asset: gone, mediaType: 'text/plain', bytes: 4 }
    unwrap(await store.of(tenant).hold([ref], by, limit), saying)
    const database = server.kernel.scope.get(Database)
    const sessions = server.kernel.scope.get(SessionStore)
    expect(unwrap(await lostSessions(database, sessions, limit), saying)).toEqual([]) // too young
    await server.rows("update assets_hold set seen_at = now() - interval '2 hours'")
    const lost = unwrap(await lostSessions(database, sessions, limit), saying)
    expect(lost).toEqual([{ tenant, session: 'never-began' }])
    expect(
      await server.rows(
        `select session from assets_hold where seen_at > now() - interval '1 hour'`,
      ),
    ).toEqual([{ session }])
  })

  test('a file that is taken up while it is removed is there, or its upload says so', async () => {
    const server = await onDatabase()
    const store = server.kernel.scope.get(AssetStore).of(tenantId('acme'))
    const database = server.kernel.scope.get(Database)
    for (let n = 0; n < 30; n++) {
      const id = await server.kept('again and again')
      const by = { principal: principalId('p'), session: sessionId(`s${n}`), only: undefined }
      const [held] = await Promise.all([
        store.attach([{ asset: id }], by, limit),
        removeExpired(database, { unusedMs: -1_000, maxMs: null }, limit),
      ])
      const bytes = unwrap(await store.read(id, limit), saying)
      if (held.ok) expect(Buffer.from(bytes ?? []).toString()).toBe('again and again')
      else expect(held.error.code).toBe('ASSET_NOT_FOUND')
      await server.rows('delete from assets_hold')
    }
  })

  test('what a person sent is erased with them, but for what others have sent as well', async () => {
    const server = await onDatabase()
    const who = await principals(server)
    const [own, both] = [await server.kept('own'), await server.kept('both')]
    await server.kept('both', '', 'b', 'bob')
    await server.kept('own', '', 'e', 'eve')
    await sentWith(server, own)
    await sentWith(server, both)
    await sentWith(server, both, 'bob')
    const erasers = server.kernel.current().registry(Erasers)
    const eraser = erasers.get('assets')
    const database = server.kernel.scope.get(Database)
    const request = { principal: principalId(who.ann), tenant: tenantId('acme'), sessions: [] }
    const erased = unwrap(
      await database.transaction(
        async (run) =>
          unwrap(
            (await eraser?.erase(request, run)) ?? {
              ok: false,
              error: { code: 'INTERNAL', message: 'none' },
            },
            saying,
          ),
        limit,
      ),
      saying,
    )
    expect(erased).toMatchObject({ removed: 3, unknown: 0 })
    expect(await isThere(server, own)).toBe(false)
    expect(await isThere(server, own, 'eve')).toBe(true)
    expect(await isThere(server, both, 'bob')).toBe(true)
    expect(await server.rows('select distinct principal from assets_hold')).toEqual([
      { principal: who.bob },
    ])
    expect(
      await server.rows("select principal from assets_claim where principal = '" + who.ann + "'"),
    ).toEqual([])
  })
})

test('in memory, a session that is gone without a word holds nothing for ever', async () => {
  const kernel = unwrap(await Kernel.create([use(sessionsMemory)]), explain)
  onTestFinished(async () => {
    await kernel.close()
  })
  let now = 1_000_000
  const memory = new MemoryRecords(1_000, () => now)
  const [tenant, principal] = [tenantId('t'), principalId('p')]
  const records = memory.of(tenant)
  const claim = { asset: 'a', mediaType: 'text/plain', name: null }
  await records.put(principal, claim, Buffer.from('x'), limit)
  await records.hold([claim], { principal, session: sessionId('gone') }, limit)
  const forgotten: string[] = []
  const clean = createCleanUp({
    database: undefined,
    outside: undefined,
    sessions: kernel.scope.get(SessionStore),
    memory,
    clock: { now: () => now },
    retention: { unusedMs: 0, maxMs: null },
    forget: async ({ session }) => {
      forgotten.push(session)
      await records.forget(session, limit)
    },
    warn: () => undefined,
  })
  await clean(limit)
  expect(unwrap(await records.bytes('a', limit), saying)).toBeDefined()
  now += 3_700_000
  await clean(limit)
  expect(forgotten).toEqual(['gone'])
  expect(unwrap(await records.bytes('a', limit), saying)).toBeUndefined()
})
