import { expect, test } from 'vitest'
import { makeKey } from '../src/api-key.ts'
import { served, type Served } from './server.ts'

const SECRET = 'a-secret-of-thirty-two-characters-or-more'
const backend = makeKey().text
const other = makeKey().text

const withKeys = (facts: string, env: Readonly<Record<string, string>> = {}): Promise<Served> =>
  served(
    { database: false },
    {
      http: { cors: { origins: ['https://shop.example.com', 'https://evil.example.com'] } },
      env: {
        AMODAL_API_KEYS: `${backend};${facts} ${other};scopes=chat`,
        AMODAL_TOKEN_SECRET: SECRET,
        ...env,
      },
    },
  )

const mint = async (
  server: Served,
  body: object,
  key = backend,
): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> => {
  const response = await server.post('/auth/tokens', body, { authorization: `Bearer ${key}` })
  return {
    status: response.status,
    body: (await response.json()) as Readonly<Record<string, unknown>>, // of our own server
  }
}

test('a backend gets a token for its person, who is nobody else', async () => {
  await using server = await withKeys(
    'name=shop;roles=buyer+seller;scopes=chat+sessions+tokens;tenant=acme',
  )
  const { status, body } = await mint(server, { user: 'ann', name: 'Ann', roles: ['buyer'] })
  expect(status).toBe(201)
  expect(Date.parse(String(body['expires_at'])) - Date.now()).toBeGreaterThan(14 * 60_000)
  expect(await server.whoami(String(body['token']))).toEqual({
    principal: 'person:ann',
    name: 'Ann',
    roles: ['buyer'],
    scopes: ['chat', 'sessions'],
    tenant: 'acme',
    ownSessionsOnly: true,
  })
  expect(await mint(server, { user: 'ann', scope_id: 'other' })).toMatchObject({
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
})

test('a token has never more than the key of its backend, and makes no other tokens', async () => {
  await using server = await withKeys('roles=buyer;scopes=chat+tokens')
  for (const more of [
    { roles: ['admin'] },
    { scopes: ['stores'] },
    { scopes: ['tokens'] },
    { scopes: ['*'] },
    { roles: ['*'] },
  ])
    expect((await mint(server, { user: 'ann', ...more })).body).toMatchObject({
      error: { code: 'FORBIDDEN_SCOPE' },
    })
  const { body } = await mint(server, { user: 'ann' })
  expect(await server.whoami(String(body['token']))).toMatchObject({ scopes: ['chat'] })
  expect((await mint(server, { user: 'bob' }, String(body['token']))).status).toBe(403)
  expect((await mint(server, { user: 'bob' }, other)).status).toBe(403)
})

test('with an origin it counts for pages of that origin alone', async () => {
  await using server = await withKeys('scopes=*')
  const { body } = await mint(server, { user: 'ann', origin: 'https://shop.example.com' })
  const authorization = `Bearer ${String(body['token'])}`
  const from = async (origin: string): Promise<number> => {
    const response = await server.get('/me', { authorization, origin })
    return response.status
  }
  expect(await from('https://shop.example.com')).toBe(200)
  expect(await from('https://evil.example.com')).toBe(401)
  expect((await server.get('/me', { authorization })).status).toBe(200)
})

test.each([
  ['changed', (token: string) => `${token.slice(0, -4)}AAAA`],
  ['of another server', (token: string) => token.replace(/[^.]+$/, 'c2lnbmF0dXJl')],
  [
    'without a signature',
    (token: string) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.x`,
  ],
])('a token that is %s is not valid', async (_, change) => {
  await using server = await withKeys('scopes=*')
  const { body } = await mint(server, { user: 'ann' })
  const response = await server.get('/me', {
    authorization: `Bearer ${change(String(body['token']))}`,
  })
  expect(response.status).toBe(401)
})

test('says what is missing: a secret, a person, an origin, fewer minutes', async () => {
  await using bare = await withKeys('scopes=*', { AMODAL_TOKEN_SECRET: '' })
  expect(await mint(bare, { user: 'ann' })).toMatchObject({
    status: 503,
    body: {
      error: {
        code: 'ENV_NOT_SET',
        message: expect.stringContaining('AMODAL_TOKEN_SECRET') as string,
      },
    },
  })
  await using server = await withKeys('scopes=*')
  for (const body of [
    {},
    { user: '' },
    { user: 'ann', origin: 'shop.example.com' },
    { user: 'ann', minutes: 9_999 },
  ])
    expect(await mint(server, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR' } },
    })
  await expect(withKeys('scopes=*', { AMODAL_TOKEN_SECRET: 'short' })).rejects.toThrow(
    'needs 32 random ones',
  )
})
