import { connections } from '@amodal/plugin-connections'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { connectRest } from '../src/index.ts'
import { OAuthTokens } from '../src/oauth-tokens.ts'
import { TokenBucket } from '../src/token-bucket.ts'
import { userContext } from '../src/user-context.ts'
import {
  tenantId,
  principalId,
  sessionId,
  type Outbound,
  type OutboundRequest,
  type RestAuth,
} from '@amodal/sdk'

pluginContract(connectRest, {
  with: [use(secretsEnv, { masterKey: 'memory' }), use(outbound), use(connections)],
})

test('a bucket lets a burst through, then one after the other', async () => {
  const times: number[] = []
  const bucket = new TokenBucket({ perSecond: 50, burst: 3 }, () => performance.now())
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      await bucket.take(AbortSignal.timeout(5_000))
      times.push(performance.now() - begun)
    }),
  )
  expect(times.filter((time) => time < 15)).toHaveLength(3)
  expect(times.at(-1)).toBeGreaterThan(50)
  const slow = new TokenBucket({ perSecond: 0.01, burst: 1 }, () => 0)
  expect([
    await slow.take(AbortSignal.timeout(100)),
    await slow.take(AbortSignal.timeout(100)),
  ]).toEqual([undefined, 100])
})

describe('tokens', () => {
  const auth: Extract<RestAuth, { kind: 'oauth2' }> = {
    kind: 'oauth2',
    grant: 'refresh_token',
    tokenUrl: 'https://id.example.com/token',
    clientId: 'me',
    refreshToken: 'first',
    scopes: [],
    clientAuth: 'body',
    header: 'Authorization',
    prefix: 'Bearer ',
  }
  function tokensWith(answer: (form: URLSearchParams, n: number) => object) {
    const asked: OutboundRequest[] = []
    const outbound: Outbound = {
      fetch: () => fetch,
      request: async (request) => {
        asked.push(request)
        const body = Buffer.from(
          JSON.stringify(answer(new URLSearchParams(String(request.body)), asked.length)),
        )
        return { ok: true, value: { status: 200, headers: {}, body, text: () => body.toString() } }
      },
    }
    const clock = { now: 0 }
    const tokens = new OAuthTokens(
      outbound,
      {
        resolve: (text) => ({ ok: true, value: text }),
        address: (text) => ({ ok: true, value: text }),
      },
      () => clock.now,
    )
    const get = async (tenant: string, not?: string) => {
      const token = await tokens.get('crm', auth, tenantId(tenant), not, AbortSignal.timeout(5_000))
      return token.ok ? token.value : token.error.code
    }
    return { asked, clock, get }
  }

  test('are fetched once for many, for each tenant, and before they expire', async () => {
    const { asked, clock, get } = tokensWith((_, n) => ({ access_token: `t${n}`, expires_in: 100 }))
    expect(await Promise.all([get('a'), get('a'), get('b'), get('a')])).toEqual([
      't1',
      't1',
      't2',
      't1',
    ])
    clock.now = 89_000
    expect(await get('a')).toBe('t1')
    clock.now = 91_000
    expect(await get('a')).toBe('t3')
    expect(asked.map(({ privateOrigin }) => privateOrigin)).toEqual(
      Array.from({ length: 3 }, () => 'https://id.example.com'),
    )
  })

  test('are renewed where the target did not take one, once for all who say so', async () => {
    const { asked, get } = tokensWith((_, n) => ({ access_token: `t${n}`, expires_in: 100 }))
    expect(await get('a')).toBe('t1')
    expect(await Promise.all([get('a', 't1'), get('a', 't1')])).toEqual(['t2', 't2'])
    expect(await get('a', 't1')).toBe('t2')
    expect(asked).toHaveLength(2)
  })

  test('a refresh token that was changed is the one for the next time', async () => {
    const { asked, get } = tokensWith((form, n) => ({
      access_token: `t${n}`,
      expires_in: 100,
      refresh_token: `${form.get('refresh_token') ?? ''}+`,
    }))
    await get('a')
    await get('a', 't1')
    expect(asked.map(({ body }) => new URLSearchParams(String(body)).get('refresh_token'))).toEqual(
      ['first', 'first+'],
    )
  })

  test('an answer without one is an error', async () => {
    const { get } = tokensWith(() => ({ error: 'invalid_grant' }))
    expect(await get('a')).toBe('TARGET_ERROR')
  })
})

test('who asks: what the server knows cannot be said otherwise', () => {
  const asker = {
    tenant: tenantId('acme'),
    principal: principalId('ada'),
    session: sessionId('s'),
    context: { userId: 'eve', tenant: 'evil', principal: 'eve', region: 'eu', session_id: 'x' },
  }
  const all = (trust: boolean) =>
    [
      'userId',
      'user_id',
      'tenant',
      'scope_id',
      'principal',
      'sub',
      'session_id',
      'region',
      'none',
      '__proto__',
    ].map((name) => userContext(name, asker, trust))
  expect(all(false)).toEqual([
    'ada',
    'ada',
    'acme',
    'acme',
    'ada',
    'ada',
    's',
    undefined,
    undefined,
    undefined,
  ])
  expect(all(true)).toEqual([
    'eve',
    'ada',
    'acme',
    'acme',
    'ada',
    'ada',
    's',
    'eu',
    undefined,
    undefined,
  ])
})
