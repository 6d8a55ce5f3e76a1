import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../../support/postgres.ts'
import { openDoor, type Door } from '../support/door.ts'
import { as, keyFor, keysOf } from '../support/people.ts'
import { runCommand, type Ran } from '../../support/command.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** The command line, on the folder and the database of a server. */
const amodal = (
  dir: string,
  env: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<Ran> => runCommand([...argv, '--dir', dir, '--preset', 'production'], { env })

const production = (
  env: Readonly<Record<string, string>>,
  plugins: readonly (readonly [string, object])[] = [],
): Promise<Door> =>
  openDoor({
    preset: 'production',
    env,
    script: reply.text('Hello.'),
    manifest: {
      plugins: plugins.map(([name, config]) => [name, JSON.parse(JSON.stringify(config))]),
    },
  })

const masterKey = { AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
const place = async (): Promise<Readonly<Record<string, string>>> => ({
  ...masterKey,
  DATABASE_URL: await postgres.createDatabase(),
})

describe('amodal ops keys', () => {
  test('makes keys that servers which run know at once, lists them, and takes them back', async () => {
    const env = await place()
    await using one = await production(env)
    await using two = await production(env)
    for (const door of [one, two]) expect((await door.get('/sessions')).status).toBe(200)

    const created = await amodal(
      one.dir,
      env,
      'ops',
      'keys',
      'create',
      '--name',
      'support',
      '--roles',
      'support, billing',
      '--scopes',
      'chat,sessions',
      '--tenant',
      'acme',
      '--expires',
      '30d',
    )
    expect(created).toMatchObject({ code: 0, err: '' })
    const [key = ''] = created.out.split('\n')
    expect(key).toMatch(/^amodal_[a-z2-7]{12}_[\w-]{43}$/)
    // The first key shuts every instance that runs.
    for (const door of [one, two]) {
      await expect.poll(async () => (await door.get('/sessions')).status).toBe(401)
      expect((await door.say('hi', {}, { authorization: `Bearer ${key}` })).status).toBe(200)
      expect((await door.get('/sessions', { 'x-api-key': key })).status).toBe(200)
      expect((await door.get('/api/stores', { 'x-api-key': key })).status).toBe(403)
    }
    expect((await one.get('/sessions', { 'x-api-key': key })).body).toMatchObject({
      sessions: [{ scope_id: 'acme' }, { scope_id: 'acme' }],
    })

    const listed = await amodal(one.dir, env, 'ops', 'keys', 'list')
    expect(listed.out).toMatch(
      /^[a-z2-7]{12} {2}support {2}scopes chat, sessions {2}roles support, billing {2}tenant acme {2}made \d{4}-\d\d-\d\d {2}expires \d{4}-\d\d-\d\d\n$/,
    )
    expect(listed.out).not.toContain(key.slice(-43))
    expect(
      JSON.parse((await amodal(one.dir, env, 'ops', 'keys', 'list', '--json')).out),
    ).toMatchObject([{ name: 'support', tenant: 'acme' }])

    expect(await amodal(one.dir, env, 'ops', 'keys', 'revoke', key)).toMatchObject({ code: 0 })
    for (const door of [one, two])
      await expect
        .poll(async () => (await door.get('/sessions', { 'x-api-key': key })).status)
        .toBe(401)
    expect((await amodal(one.dir, env, 'ops', 'keys', 'list')).out).toMatch(/revoked \d{4}/)
    // Nobody is let in because the last key is gone.
    await two.restart()
    expect((await two.get('/sessions')).status).toBe(401)
    for (const door of [one, two]) expect(door.log.join('\n')).not.toContain(key.slice(-43))
    expect(await one.dump()).not.toContain(key.slice(-43))
  })

  test('takes over no runs, and answers no messages', async () => {
    const env = await place()
    await using door = await production(env)
    const before = door.model.requests.length
    await amodal(door.dir, env, 'ops', 'keys', 'create', '--name', 'x')
    expect(door.model.requests.length).toBe(before)
  })

  test('makes a key for the environment, of which nothing is kept', async () => {
    const env = await place()
    await using door = await production(env)
    const printed = await amodal(
      door.dir,
      {},
      'ops',
      'keys',
      'create',
      '--print',
      '--name',
      'my script',
      '--scopes',
      'stores',
      '--tenant',
      'acme',
    )
    expect(printed).toMatchObject({ code: 0, err: '' })
    const [key = ''] = printed.out.split('\n')
    const [, variables = ''] = /^AMODAL_API_KEYS=(.*)$/m.exec(printed.out) ?? []
    await using other = await production({ ...env, AMODAL_API_KEYS: variables })
    expect((await other.get('/api/stores', { 'x-api-key': key })).status).toBe(200)
    expect((await other.get('/sessions', { 'x-api-key': key })).status).toBe(403)
  })

  test.each([
    [['create'], 2, 'VALIDATION_ERROR: --name'],
    [['create', '--name', 'x', '--scopes', 'a b'], 2, '--scopes.0: must be a word'],
    [['create', '--name', 'x', '--tenant', 'a/b'], 2, '--tenant: must be'],
    [['create', '--name', 'x', '--expires', 'soon'], 2, '--expires'],
    [['revoke'], 2, 'say which key'],
    [['revoke', 'aaaaaaaaaaaa'], 1, 'NOT_FOUND: there is no key aaaaaaaaaaaa'],
    [['burn'], 2, 'create | list | revoke'],
    [[], 2, 'create | list | revoke'],
  ])('says what is wrong with %j', async (argv, code, message) => {
    const env = await place()
    await using door = await production(env)
    expect(await amodal(door.dir, env, 'ops', 'keys', ...argv)).toMatchObject({
      code,
      out: '',
      err: expect.stringContaining(message) as string,
    })
  })
})

describe('a server of production', () => {
  test('warns on loopback while there is nobody to know, and does not start anywhere else', async () => {
    const env = await place()
    await using door = await production(env)
    expect(door.log.some((line) => line.includes('auth.open'))).toBe(true)
    expect((await door.say('hi')).status).toBe(200)

    const exposed = await startFolder({
      dir: door.dir,
      preset: 'production',
      env,
      host: '0.0.0.0',
      port: 0,
      logLevel: 'none',
    })
    expect(exposed.ok ? '' : explainStart(exposed.error)).toMatch(
      /^NOT_LOOPBACK: .*no key and no issuer[\s\S]*ops keys create/,
    )
    await amodal(door.dir, env, 'ops', 'keys', 'create', '--name', 'first')
    const again = await startFolder({
      dir: door.dir,
      preset: 'production',
      env,
      host: '0.0.0.0',
      port: 0,
      logLevel: 'none',
    })
    expect(again.ok ? '' : explainStart(again.error)).toBe('')
    if (!again.ok) return
    const port = again.value.kernel.scope.get(HttpApp).address()?.port ?? 0
    expect((await fetch(`http://127.0.0.1:${port}/sessions`)).status).toBe(401)
    await again.value.close()
  })

  test('goes on knowing its keys while the database is away', async () => {
    const own = await startPostgres()
    const env = { ...masterKey, DATABASE_URL: await own.createDatabase() }
    await using door = await production(env)
    const [key = ''] = (
      await amodal(door.dir, env, 'ops', 'keys', 'create', '--name', 'x', '--scopes', '*')
    ).out.split('\n')
    await expect.poll(async () => (await door.get('/inspect/kernel')).status).toBe(401)
    await own.stop()
    expect((await door.get('/inspect/kernel', { 'x-api-key': key })).status).toBe(200)
    expect((await door.get('/inspect/kernel', as('anna'))).status).toBe(401)
  })
})

describe('limits', () => {
  test('hold messages of one principal over all instances, and say when to come back', async () => {
    const env = {
      ...(await place()),
      ...keysOf({ anna: { tenant: 'acme' }, bert: { tenant: 'beta' } }),
    }
    const plugins = [['limits', { messages: { perMinute: 5 } }]] as const
    await using one = await production(env, plugins)
    await using two = await production(env, plugins)
    const statuses = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, n) => (await (n % 2 === 0 ? one : two).say('hi', {}, as('anna'))).status,
      ),
    )
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429])
    const refused = await two.say('hi', {}, as('anna'))
    expect(refused.body).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await one.say('hi', {}, as('bert'))).status).toBe(200)
    // Refused before anything is kept.
    expect((await one.get('/sessions', as('anna'))).body['sessions']).toHaveLength(5)
    const stream = await fetch(`${one.url}/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('anna') },
      body: '{"message":"hi"}',
    })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([429, 'application/json'])
  })

  test('hold runs of one principal at the same time', async () => {
    await using door = await openDoor({
      env: keysOf({ anna: {}, bert: {} }),
      manifest: { plugins: [['limits', { runs: { concurrent: 2 } }]] },
      script: reply.text('Hello.', { delay: 400 }),
    })
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await door.say('hi', {}, as('anna'))).status),
    )
    expect(statuses.toSorted()).toEqual([200, 200, 429, 429, 429, 429])
    expect(
      (
        await Promise.all(
          ['anna', 'anna', 'bert', 'bert'].map((name) => door.say('hi', {}, as(name))),
        )
      ).map(({ status }) => status),
    ).toEqual([200, 200, 200, 200])
  })

  test('hold requests, and those without a good credential by their address; good ones pass', async () => {
    await using door = await openDoor({
      env: keysOf({ anna: {}, bert: {} }),
      manifest: {
        plugins: [['limits', { requests: { perMinute: 3 }, refusals: { perMinute: 4 } }]],
      },
      script: reply.text('Hello.'),
    })
    const asked = async (
      headers: Record<string, string>,
      n: number,
    ): Promise<readonly number[]> => {
      const statuses: number[] = []
      for (let i = 0; i < n; i++) statuses.push((await door.get('/sessions', headers)).status)
      return statuses
    }
    expect(await asked(as('anna'), 4)).toEqual([200, 200, 200, 429])
    expect(await asked({ 'x-api-key': keyFor('nobody') }, 6)).toEqual([
      401, 401, 401, 401, 429, 429,
    ])
    expect(await asked({}, 1)).toEqual([429])
    expect(await asked(as('bert'), 1)).toEqual([200])
  })
})
