import { describe, expect, test } from 'vitest'
import { explain, Kernel, use } from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { auth } from '../src/index.ts'
import { makeKey } from '../src/api-key.ts'
import { served } from './server.ts'

const [support, reader, other] = [makeKey(), makeKey(), makeKey()]
const env = {
  SUPPORT_KEY: support.text,
  AMODAL_API_KEYS: `${reader.text};name=reader;roles=a+b;scopes=stores;tenant=acme`,
}
const config = { keys: [{ key: 'env:SUPPORT_KEY', name: 'support', roles: ['support'] }] }

describe('a key that is given', () => {
  test('says who it is, and what it is good for', async () => {
    await using server = await served(config, { env })
    expect(await server.whoami(support.text)).toEqual({
      principal: `key:${support.id}`,
      name: 'support',
      roles: ['support'],
      scopes: ['chat', 'sessions'],
      choosesTenant: true,
    })
    const read = await server.get('/stores', { 'x-api-key': reader.text })
    expect(await read.json()).toEqual({
      principal: `key:${reader.id}`,
      name: 'reader',
      roles: ['a', 'b'],
      scopes: ['stores'],
      tenant: 'acme',
    })
  })

  test('opens the routes of its scopes and no others', async () => {
    await using server = await served(config, { env })
    const refused = await server.get('/me', { 'x-api-key': reader.text })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="amodal", error="insufficient_scope", scope="chat"',
    ])
    expect(await refused.json()).toEqual({
      error: { code: 'FORBIDDEN_SCOPE', message: 'this credential lacks the scope "chat"' },
    })
    expect((await server.get('/stores', { 'x-api-key': support.text })).status).toBe(403)
    // A route that names no scope is its plugin's.
    expect((await server.get('/mine', { 'x-api-key': support.text })).status).toBe(403)
    expect(server.refusals).toContainEqual({
      code: 'FORBIDDEN_SCOPE',
      method: 'GET',
      path: '/me',
      from: '127.0.0.1',
      principal: `key:${reader.id}`,
    })
  })

  test('`*` is good for everything', async () => {
    await using server = await served({ keys: [{ key: support.text, scopes: ['*'] }] })
    for (const path of ['/me', '/stores', '/mine', '/open'])
      expect((await server.get(path, { 'x-api-key': support.text })).status).toBe(200)
  })

  test('that expired is none', async () => {
    await using server = await served({
      keys: [
        { key: support.text, expires: '2020-01-01' },
        { key: reader.text, expires: '2999-01-01T00:00:00Z' },
      ],
    })
    expect((await server.get('/me', { 'x-api-key': support.text })).status).toBe(401)
    expect((await server.get('/me', { 'x-api-key': reader.text })).status).toBe(200)
  })
})

describe('whoever is not known', () => {
  test('gets nowhere but to open routes, and is not told what there is', async () => {
    await using server = await served(config, { env })
    for (const path of ['/me', '/stores', '/mine', '/nothing']) {
      const response = await server.get(path)
      expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Bearer realm="amodal"',
      ])
      expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
    }
    expect(await (await server.get('/open')).json()).toBeNull()
    expect(server.refusals).toContainEqual({
      code: 'UNAUTHENTICATED',
      method: 'GET',
      path: '/stores',
      from: '127.0.0.1',
    })
  })

  test('hears the same, whatever is wrong with the credential, byte by byte', async () => {
    await using server = await served({
      keys: [{ key: support.text }, { key: reader.text, expires: '2020-01-01' }],
    })
    const spoiled = `${support.text.slice(0, -1)}${support.text.endsWith('A') ? 'B' : 'A'}`
    const bad: readonly Readonly<Record<string, string>>[] = [
      { authorization: `Bearer ${other.text}` },
      { 'x-api-key': other.text },
      { 'x-api-key': spoiled },
      { 'x-api-key': reader.text },
      { authorization: `Bearer amodal_${support.id}_${other.secret}` },
      { authorization: 'Bearer x' },
      { authorization: 'Basic YTpi' },
      { authorization: '' },
      { authorization: 'Bearer' },
      { 'x-api-key': 'amodal__' },
      { 'x-api-key': 'x'.repeat(5_000) },
      { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.x' },
      { authorization: `Bearer ${support.text}`, 'x-api-key': other.text },
    ]
    const answers = await Promise.all(
      bad.map(async (headers) => {
        const response = await server.get('/me', headers)
        const kept = [...response.headers].filter(([name]) => name !== 'date')
        return JSON.stringify([response.status, kept, await response.text()])
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('UNAUTHENTICATED')
    // A bad credential is none at an open door either.
    expect((await server.get('/open', { 'x-api-key': other.text })).status).toBe(401)
  })

  test(
    'takes as long with an id that exists as with one that does not',
    { tags: 'speed' },
    async () => {
      await using server = await served({ keys: [{ key: support.text }] })
      const spoiled = `amodal_${support.id}_${other.secret}`
      const times = new Map<string, number[]>([
        [spoiled, []],
        [other.text, []],
      ])
      for (let round = 0; round < 300; round++) {
        for (const [key, took] of times) {
          const began = performance.now()
          await (await server.get('/me', { 'x-api-key': key })).text()
          took.push(performance.now() - began)
        }
      }
      const median = (all: readonly number[] = []): number =>
        all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
      const [known, unknown] = [median(times.get(spoiled)), median(times.get(other.text))]
      expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) / 2)
    },
  )
})

describe('where there is nobody to know', () => {
  test('everybody on this machine is one person', async () => {
    await using server = await served({ database: false })
    expect(await server.whoami()).toEqual({
      principal: 'local',
      choosesTenant: true,
      roles: ['*'],
      scopes: ['*'],
    })
    // What a client sends all the same is not looked at.
    expect(await server.whoami(other.text)).toMatchObject({ principal: 'local' })
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'auth.open' }),
    )
  })

  test.each(['0.0.0.0', '::'])(
    'a server that others can reach does not start: %s',
    async (host) => {
      const made = await Kernel.create([
        use(secretsEnv, { env: {}, masterKey: 'memory' }),
        use(http, { port: 0, host }),
        use(auth),
      ])
      expect(made.ok ? undefined : made.error).toMatchObject({
        kind: 'plugin',
        error: { code: 'NOT_LOOPBACK' },
      })
      expect(made.ok ? '' : explain(made.error)).toContain('no key and no issuer of tokens')
    },
  )

  test('unless it has a key', async () => {
    await using server = await served(
      { keys: [{ key: support.text }] },
      { http: { host: '0.0.0.0' } },
    )
    expect((await server.get('/me')).status).toBe(401)
    expect(await server.whoami(support.text)).toMatchObject({ principal: `key:${support.id}` })
  })

  test('or is told that something in front asks, which the log says as loudly as it can', async () => {
    await using server = await served({}, { http: { host: '0.0.0.0', allowUnauthenticated: true } })
    expect(await server.whoami()).toMatchObject({ principal: 'local' })
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'http.open' }),
    )
  })

  test('and a key counts although it is told so', async () => {
    await using server = await served(
      { keys: [{ key: support.text }] },
      { http: { host: '0.0.0.0', allowUnauthenticated: true } },
    )
    expect((await server.get('/me')).status).toBe(401)
  })
})

describe('what is given wrongly stops the start, and never opens the door', () => {
  test.each([
    [
      { keys: [{ key: 'env:MISSING' }] },
      {},
      'ENV_NOT_SET',
      'MISSING is not set, and keys[0].key needs it',
    ],
    [{ keys: [{ key: 'hunter2' }] }, {}, 'BAD_CONFIG', 'keys[0].key is no key'],
    [
      { keys: [{ key: support.text }, { key: support.text }] },
      {},
      'BAD_CONFIG',
      'keys[1].key is given twice',
    ],
    [
      {},
      { AMODAL_API_KEYS: `${support.text};role=x` },
      'BAD_CONFIG',
      'AMODAL_API_KEYS, key 1: it: Unrecognized key: "role"',
    ],
    [
      {},
      { AMODAL_API_KEYS: `${support.text} , ${reader.text};tenant=a/b` },
      'BAD_CONFIG',
      'AMODAL_API_KEYS, key 2: tenant: must be',
    ],
    [{}, { AMODAL_API_KEYS: 'secret' }, 'BAD_CONFIG', 'AMODAL_API_KEYS, key 1 is no key'],
  ])('%j', async (config, env, code, message) => {
    const made = await Kernel.create([
      use(secretsEnv, { env, masterKey: 'memory' }),
      use(auth, config),
    ])
    expect(made.ok ? undefined : made.error).toMatchObject({ kind: 'plugin', error: { code } })
    expect(made.ok ? '' : explain(made.error)).toContain(message)
    expect(made.ok ? '' : explain(made.error)).not.toContain(support.secret)
  })
})
