import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { Kernel, use, type Plugin } from '@amodal/sdk'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { auth } from '../src/index.ts'
import { listening, served } from './server.ts'

interface Pair {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}
const pair = async (kid: string, alg = 'ES256'): Promise<Pair> => ({
  kid,
  alg,
  ...(await generateKeyPair(alg, { extractable: true })),
})
const published = (pairs: readonly Pair[]) =>
  Promise.all(
    pairs.map(async ({ kid, alg, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg,
      use: 'sig',
    })),
  )

let [first, second, rsa]: readonly (Pair | undefined)[] = []
beforeAll(async () => {
  ;[first, second, rsa] = await Promise.all([pair('k1'), pair('k2'), pair('k3', 'RS256')])
})
const known = (one: Pair | undefined): Pair => {
  if (!one) throw new Error('the keys are not made yet')
  return one
}

const ISSUER = 'https://id.example.com'
type Claims = Readonly<Record<string, unknown>>
const sign = (
  claims: Claims,
  { kid, alg, privateKey } = known(first),
  expires: number | string = '5m',
): Promise<string> =>
  new SignJWT({ sub: 'ann', aud: 'amodal', iss: ISSUER, ...claims })
    .setProtectedHeader({ alg, kid })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(privateKey)

/** A server that trusts an issuer, whose keys the test changes at will. */
async function trusting(
  config: Readonly<Record<string, unknown>> = {},
  keys: readonly Pair[] = [known(first)],
) {
  const state: { keys: readonly Pair[]; status: number; body?: unknown } = { keys, status: 200 }
  const sets = new Map<readonly Pair[], unknown>()
  const issuer = await listening(() => ({
    status: state.status,
    body: state.body ?? { keys: sets.get(state.keys) },
  }))
  const publish = async (now: readonly Pair[]): Promise<void> => {
    sets.set(now, await published(now))
    state.keys = now
  }
  await publish(keys)
  const server = await served({
    database: false,
    jwt: { issuer: ISSUER, audience: 'amodal', jwksUrl: `${issuer.url}/jwks.json`, ...config },
  })
  return {
    ...server,
    issuer,
    state,
    publish,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
const statusOf = async (
  server: { get: (path: string, headers?: Record<string, string>) => Promise<Response> },
  token: string,
): Promise<number> => (await server.get('/me', { authorization: `Bearer ${token}` })).status

describe('a token', () => {
  test('says who it is of; without more it is bound to no tenant, and may name none', async () => {
    await using server = await trusting()
    expect(await server.whoami(await sign({ name: 'Ann' }))).toEqual({
      principal: 'user:ann',
      name: 'Ann',
      roles: [],
      scopes: ['chat', 'sessions'],
    })
  })

  test('says more by the claims that config names', async () => {
    await using server = await trusting({
      claims: {
        principal: 'email',
        roles: 'realm_access.roles',
        scopes: 'scope',
        tenant: 'https://example.com/org',
      },
      name: 'sso',
    })
    const token = await sign({
      email: 'ann@example.com',
      realm_access: { roles: ['support', 7] },
      scope: 'openid chat',
      'https://example.com/org': 'acme',
    })
    expect(await server.whoami(token)).toEqual({
      principal: 'sso:ann@example.com',
      roles: ['support'],
      scopes: ['openid', 'chat'],
      tenant: 'acme',
    })
  })

  test('that does not say whose data it is for, where it must, is none', async () => {
    await using server = await trusting({ claims: { tenant: 'org' } })
    expect(await statusOf(server, await sign({ org: 'acme' }))).toBe(200)
    for (const org of [undefined, null, '', 7, ['acme'], 'a/b', '*', 'x'.repeat(129)])
      expect(await statusOf(server, await sign({ org }))).toBe(401)
  })

  test('of a backend may name a tenant, where config says so', async () => {
    await using server = await trusting({ choosesTenant: true })
    expect(await server.whoami(await sign({}))).toMatchObject({ choosesTenant: true })
  })

  test('is good for no route that it does not name', async () => {
    await using server = await trusting({ claims: { scopes: 'scope' } })
    expect(await statusOf(server, await sign({ scope: 'openid profile' }))).toBe(403)
    expect(await statusOf(server, await sign({}))).toBe(403)
  })

  test('is checked: its issuer, audience, times, signature, algorithm, subject', async () => {
    await using server = await trusting({ maxAgeSeconds: 600 })
    const { privateKey } = known(first)
    const now = Math.floor(Date.now() / 1_000)
    const by = (
      header: { alg: string; kid?: string },
      key: CryptoKey | Uint8Array,
      claims: Claims = {},
    ) =>
      new SignJWT({ sub: 'ann', aud: 'amodal', iss: ISSUER, exp: now + 300, iat: now, ...claims })
        .setProtectedHeader(header)
        .sign(key)
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const good = await sign({})
    const [head = '', body = '', signature = ''] = good.split('.')
    const bad: Readonly<Record<string, string>> = {
      'another issuer': await sign({ iss: 'https://evil.example' }),
      'another audience': await sign({ aud: 'other' }),
      'no audience': await sign({ aud: undefined }),
      expired: await sign({}, known(first), now - 60),
      'not yet': await sign({ nbf: now + 600 }),
      'no expiry': await by({ alg: 'ES256', kid: 'k1' }, privateKey, { exp: undefined }),
      'too old': await by({ alg: 'ES256', kid: 'k1' }, privateKey, { iat: now - 3_600 }),
      'no age': await by({ alg: 'ES256', kid: 'k1' }, privateKey, { iat: undefined }),
      'another key': await by({ alg: 'ES256', kid: 'k1' }, known(second).privateKey),
      'an unknown key': await sign({}, known(second)),
      'a changed body': `${head}.${encode({ sub: 'root', aud: 'amodal', iss: ISSUER, exp: now + 300 })}.${signature}`,
      'no signature': `${head}.${body}.`,
      none: `${encode({ alg: 'none' })}.${body}.x`,
      'the public key as a secret': await by(
        { alg: 'HS256', kid: 'k1' },
        new TextEncoder().encode(JSON.stringify(await published([known(first)])).padEnd(64)),
      ),
      'no subject': await sign({ sub: undefined }),
      'an empty subject': await sign({ sub: '' }),
      'a subject with a line break': await sign({ sub: 'a\nb' }),
      'a critical header': await new SignJWT({
        sub: 'ann',
        aud: 'amodal',
        iss: ISSUER,
        exp: now + 300,
        iat: now,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', crit: ['x'], x: 1 })
        .sign(privateKey, { crit: { x: true } }),
    }
    expect(await statusOf(server, good)).toBe(200)
    const statuses = await Promise.all(
      Object.entries(bad).map(async ([what, token]) => [what, await statusOf(server, token)]),
    )
    expect(statuses).toEqual(Object.keys(bad).map((what) => [what, 401]))
  })

  test('within the tolerance of clocks counts', async () => {
    await using server = await trusting({ clockToleranceSeconds: 60 })
    expect(
      await statusOf(server, await sign({}, known(first), Math.floor(Date.now() / 1_000) - 30)),
    ).toBe(200)
  })
})

describe('keys of the issuer', () => {
  test('are fetched once, for all who come at the same time', async () => {
    await using server = await trusting()
    const token = await sign({})
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(server, token)))).toEqual(
      Array.from({ length: 20 }, () => 200),
    )
    expect(server.issuer.asked()).toBe(1)
  })

  test('that are new are known at once; who makes up ids of keys makes nobody ask again', async () => {
    await using server = await trusting()
    expect(await statusOf(server, await sign({}))).toBe(200)
    await server.publish([known(first), known(second)])
    expect(await statusOf(server, await sign({}, known(second)))).toBe(200)
    expect(server.issuer.asked()).toBe(2)
    for (let n = 0; n < 20; n++)
      expect(await statusOf(server, await sign({}, { ...known(first), kid: `made-up-${n}` }))).toBe(
        401,
      )
    expect(server.issuer.asked()).toBe(2)
  })

  test('that are gone stop counting with the next look', async () => {
    await using server = await trusting({ refreshMs: 1_000 })
    const token = await sign({})
    expect(await statusOf(server, token)).toBe(200)
    await server.publish([known(second)])
    await new Promise((resolve) => {
      setTimeout(resolve, 1_050)
    })
    await statusOf(server, token) // looks in the background
    await expect.poll(() => statusOf(server, token)).toBe(401)
  })

  test('that are known count while the issuer is away, and nothing else does', async () => {
    await using server = await trusting({ refreshMs: 1_000 })
    const token = await sign({})
    expect(await statusOf(server, token)).toBe(200)
    server.state.status = 500
    await new Promise((resolve) => {
      setTimeout(resolve, 1_050)
    })
    for (let n = 0; n < 3; n++) expect(await statusOf(server, token)).toBe(200)
    expect(await statusOf(server, await sign({}, known(second)))).toBe(401)
    await expect
      .poll(() => server.lines.some(({ event }) => event === 'auth.issuer_failed'))
      .toBe(true)
  })

  test('count no longer than config says', async () => {
    await using server = await trusting({ refreshMs: 1_000, keepMs: 0 })
    const token = await sign({})
    expect(await statusOf(server, token)).toBe(200)
    server.state.status = 500
    await new Promise((resolve) => {
      setTimeout(resolve, 1_050)
    })
    expect(await statusOf(server, token)).toBe(503)
  })

  test.each([
    ['an error', 500, undefined],
    ['no JSON', 200, 'hello'],
    ['no keys', 200, { keys: 'all' }],
    ['too much', 200, { keys: ['x'.repeat(1_100_000)] }],
  ])('that were never had let nobody in: %s', async (_, status, body) => {
    await using server = await trusting()
    Object.assign(server.state, { status, body })
    expect(await statusOf(server, await sign({}))).toBe(503)
    expect(await statusOf(server, await sign({ iss: 'https://evil.example' }))).toBe(401)
    const asked = server.issuer.asked()
    for (let n = 0; n < 5; n++) await statusOf(server, await sign({}))
    expect(server.issuer.asked()).toBe(asked)
  })
})

describe('config', () => {
  test('two issuers have names of their own, so the same subject is two people', async () => {
    await using other = await listening(() => ({ body: { keys: [] } }))
    await using mine = await listening(() => ({ body: { keys: [jwk] } }))
    const [jwk] = await published([known(rsa)])
    const issuers = [
      { issuer: ISSUER, name: 'staff', audience: 'a', jwksUrl: `${other.url}/k` },
      {
        issuer: 'https://b.example',
        name: 'customers',
        audience: 'amodal',
        jwksUrl: `${mine.url}/k`,
      },
    ]
    await using server = await served({ database: false, jwt: issuers })
    expect(await server.whoami(await sign({ iss: 'https://b.example' }, known(rsa)))).toMatchObject(
      { principal: 'customers:ann' },
    )
    expect(await statusOf(server, await sign({}, known(rsa)))).toBe(401)
  })

  const good = { issuer: ISSUER, audience: 'a', jwksUrl: 'https://id.example.com/k' }
  test.each([
    ['keys over a wire that others can change', { ...good, jwksUrl: 'http://id.example.com/k' }],
    ['a shared secret', { ...good, algorithms: ['HS256'] }],
    ['none', { ...good, algorithms: ['none'] }],
    ['no algorithm', { ...good, algorithms: [] }],
    ['no audience', { ...good, audience: [] }],
    ['the name of keys', { ...good, name: 'key' }],
    ['one name for two', [good, { ...good, issuer: 'https://b.example' }]],
    ['one issuer twice', [good, { ...good, name: 'b' }]],
  ])('is refused with %s', async (_, jwt) => {
    const made = await Kernel.create([
      use(secretsEnv, { env: {}, masterKey: 'memory' }),
      use<Plugin>(auth, { jwt }),
    ])
    expect(made.ok ? undefined : made.error).toMatchObject({
      kind: 'plan',
      problems: [{ code: 'BAD_CONFIG' }],
    })
  })
})
