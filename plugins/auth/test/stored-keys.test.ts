import { describe, expect, test } from 'vitest'
import {
  Database,
  definePlugin,
  err,
  failure,
  unwrap,
  use,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { makeKey } from '../src/api-key.ts'
import { MIGRATIONS } from '../src/migrations.ts'
import { ApiKeys } from '../src/tokens.ts'
import { served, type Served } from './server.ts'

const signal = AbortSignal.timeout(60_000)
const got = <T>(result: Result<T, Failure>): T =>
  unwrap(result, ({ code, message }) => `${code}: ${message}`)
const keeping = (): Promise<Served> =>
  served({}, { with: [use(dbPglite, { dataDir: 'memory://' })] })
const statusOf = async (server: Served, key: string): Promise<number> =>
  (await server.get('/me', { 'x-api-key': key })).status

describe('a key that is kept', () => {
  test('opens from the moment it is made until it is revoked, and is never told again', async () => {
    await using server = await keeping()
    expect(await server.whoami()).toMatchObject({ principal: 'local' })
    const keys = server.kernel.scope.get(ApiKeys)
    const { key, text } = got(
      await keys.create({ name: 'support', roles: ['support'], tenant: 'acme' }, signal),
    )
    // With the first key there is somebody to ask for.
    expect((await server.get('/me')).status).toBe(401)
    expect(await server.whoami(text)).toEqual({
      principal: `key:${key.id}`,
      name: 'support',
      roles: ['support'],
      scopes: ['chat', 'sessions'],
      tenant: 'acme',
    })

    const listed = got(await keys.list(signal))
    expect(listed).toEqual([
      {
        id: key.id,
        name: 'support',
        roles: ['support'],
        scopes: ['chat', 'sessions'],
        tenant: 'acme',
        createdAt: expect.any(Date) as Date,
      },
    ])
    const rows = got(
      await server.kernel.scope
        .get(Database)
        .run({ sql: 'select auth_key::text as all_of_it from auth_key', parameters: [] }, signal),
    )
    expect(JSON.stringify(rows)).not.toContain(text.slice(-43))

    expect(await keys.revoke(key.id, signal)).toEqual({ ok: true, value: true })
    expect(await statusOf(server, text)).toBe(401)
    expect(got(await keys.list(signal))[0]?.revokedAt).toBeInstanceOf(Date)
    // Taking the last key away opens nothing.
    expect((await server.get('/me')).status).toBe(401)
    expect(await keys.revoke(makeKey().id, signal)).toEqual({ ok: true, value: false })
  })

  test('counts until it expires', async () => {
    await using server = await keeping()
    const keys = server.kernel.scope.get(ApiKeys)
    const { text } = got(
      await keys.create({ name: 'short', expiresAt: new Date(Date.now() + 400) }, signal),
    )
    expect(await statusOf(server, text)).toBe(200)
    await expect.poll(() => statusOf(server, text)).toBe(401)
  })

  test('of another id is none, though its digest was copied', async () => {
    await using server = await keeping()
    const keys = server.kernel.scope.get(ApiKeys)
    const [weak, strong] = [
      got(await keys.create({ name: 'weak' }, signal)),
      got(await keys.create({ name: 'strong', scopes: ['*'] }, signal)),
    ]
    got(
      await server.kernel.scope.get(Database).run(
        {
          sql: 'update auth_key set digest = (select digest from auth_key where id = $1) where id = $2',
          parameters: [weak.key.id, strong.key.id],
        },
        signal,
      ),
    )
    got(await keys.revoke('nobody', signal)) // reads them anew
    expect(await statusOf(server, `amodal_${strong.key.id}_${weak.text.slice(-43)}`)).toBe(401)
    expect(await statusOf(server, weak.text)).toBe(200)
  })

  test('stands in a table that keeps the rules of the database', async () => {
    await using server = await keeping()
    expect(
      await catalogueProblems(server.kernel.scope.get(Database), [MIGRATIONS], {}, signal),
    ).toEqual({ ok: true, value: [] })
  })
})

test('while the keys cannot be read nobody is let in, not even on this machine', async () => {
  const away = failure('DATABASE_UNAVAILABLE', 'the database is away')
  const database = definePlugin({
    name: 'away',
    version: '1.0.0',
    provides: [Database],
    setup: ({ provide }) =>
      provide(Database, () => ({
        dialect: 'postgres',
        exclusive: false,
        run: async () => err(away),
        transaction: async () => err(away),
        notify: async () => err(away),
        listen: () => () => undefined,
        ready: () => ({ ready: false, problem: away }),
      })),
  })
  const given = makeKey()
  await using shut = await served({}, { with: [use(database)] })
  expect((await shut.get('/me')).status).toBe(503)
  expect(await statusOf(shut, makeKey().text)).toBe(503)
  expect(await (await shut.get('/open')).json()).toBeNull()
  // Keys that are given need no database.
  await using server = await served({ keys: [{ key: given.text }] }, { with: [use(database)] })
  expect(await statusOf(server, given.text)).toBe(200)
  expect(await statusOf(server, makeKey().text)).toBe(503)
  expect((await server.get('/me')).status).toBe(401)
})

test('without a database no key is kept, and that is said', async () => {
  await using server = await served()
  expect(await server.kernel.scope.get(ApiKeys).create({ name: 'x' }, signal)).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND', message: expect.stringContaining('--print') as string },
  })
})
