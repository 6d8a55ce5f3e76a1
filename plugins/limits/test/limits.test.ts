import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  Agent,
  explain,
  Kernel,
  LOCAL_IDENTITY,
  LOCAL_TENANT,
  principalId,
  RequestLimiter,
  runId,
  sessionId,
  tenantId,
  unwrap,
  use,
  type Caller,
  type Failure,
  type Identity,
  type Result,
} from '@amodal/sdk'
import { limits } from '../src/index.ts'

type Run = ReturnType<Agent['runs']>[number]

/** Bytes that are left once what nobody holds is gone. */
async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc')
  await promisify(setImmediate)()
  const collect = runInNewContext('gc') as () => void // there since the flag is set
  collect()
  return process.memoryUsage().heapUsed
}

/** The limiter, before an agent of which only its runs are asked. */
async function limiter(
  config: Readonly<Record<string, unknown>>,
  runs: readonly Run[] = [],
): Promise<RequestLimiter & AsyncDisposable> {
  const nothing = (): never => {
    throw new Error('nobody asks for that')
  }
  const agent: Agent = {
    as: nothing,
    bundle: nothing,
    reloadBundle: nothing,
    compiled: nothing,
    models: nothing,
    status: nothing,
    runs: () => runs,
  }
  const kernel = unwrap(
    await Kernel.create([use(limits, config)], { services: [[Agent, agent]] }),
    explain,
  )
  const made = kernel.scope.get(RequestLimiter)
  return {
    request: (identity) => made.request(identity),
    message: (caller) => made.message(caller),
    queued: (caller) => made.queued(caller),
    refused: (from) => made.refused(from),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

const identity = (name: string): Identity => ({
  principal: principalId(name),
  roles: [],
  scopes: ['*'],
})
const caller = (name: string, tenant = 'acme'): Caller => ({
  principal: principalId(name),
  tenant: tenantId(tenant),
})
const codes = (all: readonly Result<unknown, Failure>[]): readonly string[] =>
  all.map((one) => (one.ok ? 'ok' : one.error.code))
const inTurn = async <T>(n: number, work: () => Promise<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for (let i = 0; i < n; i++) all.push(await work())
  return all
}

describe('rates', () => {
  test('so many requests of one principal in a minute, and then when to come back', async () => {
    await using one = await limiter({ requests: { perMinute: 3 } })
    const taken = await Promise.all(Array.from({ length: 5 }, () => one.request(identity('ann'))))
    expect(codes(taken)).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED', 'RATE_LIMITED'])
    const refused = taken.at(-1)
    expect(refused?.ok === false && refused.error.details?.['retry_after_seconds']).toBeGreaterThan(
      50,
    )
    expect(
      refused?.ok === false && refused.error.details?.['retry_after_seconds'],
    ).toBeLessThanOrEqual(60)
    expect(codes([await one.request(identity('bob'))])).toEqual(['ok'])
  })

  test('the longer of two waits is told', async () => {
    await using one = await limiter({ requests: { perMinute: 2, perHour: 1 } })
    const [, second] = await inTurn(2, () => one.request(identity('ann')))
    expect(
      second?.ok === false && Number(second.error.details?.['retry_after_seconds']),
    ).toBeGreaterThan(3_000)
  })

  test('messages are counted for each principal in each tenant', async () => {
    await using one = await limiter({ messages: { perMinute: 1 } })
    expect(
      codes([
        await one.message(caller('ann')),
        await one.message(caller('ann')),
        await one.message(caller('ann', 'other')),
        await one.message(caller('bob')),
      ]),
    ).toEqual(['ok', 'RATE_LIMITED', 'ok', 'ok'])
  })

  test('null lifts a limit', async () => {
    await using one = await limiter({ requests: { perMinute: null, perHour: null } })
    expect(new Set(codes(await inTurn(2_000, () => one.request(identity('ann')))))).toEqual(
      new Set(['ok']),
    )
  })

  test('refusals are counted by address, and all of an IPv6 network together', async () => {
    await using one = await limiter({ refusals: { perMinute: 2 } })
    expect(codes(await inTurn(3, () => one.refused('203.0.113.7')))).toEqual([
      'ok',
      'ok',
      'RATE_LIMITED',
    ])
    expect(codes([await one.refused('203.0.113.8')])).toEqual(['ok'])
    const network = [
      '2001:db8::1',
      '2001:db8:0:0:ffff::2',
      '2001:0db8:0000:0000:1:2:3:4',
      '2001:DB8::9',
    ]
    expect(codes(await Promise.all(network.map((address) => one.refused(address))))).toEqual([
      'ok',
      'ok',
      'RATE_LIMITED',
      'RATE_LIMITED',
    ])
    expect(codes([await one.refused('2001:db8:0:1::1'), await one.refused('::1')])).toEqual([
      'ok',
      'ok',
    ])
  })

  test('whoever is on this machine without a credential is not counted', async () => {
    await using one = await limiter({
      requests: { perMinute: 1 },
      messages: { perMinute: 1 },
      runs: { concurrent: 1 },
    })
    expect(codes(await inTurn(5, () => one.request(LOCAL_IDENTITY)))).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
    ])
    expect(
      codes(
        await inTurn(5, () =>
          one.message({ principal: LOCAL_IDENTITY.principal, tenant: LOCAL_TENANT }),
        ),
      ),
    ).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  })

  test('a flood of names keeps no more than so many', async () => {
    await using one = await limiter({ refusals: { perMinute: 5 } })
    await one.refused('10.0.0.0')
    const before = await heapUsed()
    for (let n = 1; n <= 60_000; n++)
      await one.refused(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
    expect((await heapUsed()) - before).toBeLessThan(40_000_000)
  }, 30_000)
})

describe('runs at the same time', () => {
  const run = (n: number, name = 'ann', tenant = 'acme'): Run => ({
    tenant: tenantId(tenant),
    principal: principalId(name),
    session: sessionId(`s${n}`),
    run: runId(`r${n}`),
    state: 'thinking',
  })

  test('a message is refused where enough are in progress, of this principal in this tenant', async () => {
    await using one = await limiter({ runs: { concurrent: 2 } }, [
      run(1),
      run(2),
      run(3, 'bob'),
      run(4, 'ann', 'other'),
    ])
    expect(
      codes([
        await one.message(caller('ann')),
        await one.message(caller('bob')),
        await one.message(caller('ann', 'other')),
      ]),
    ).toEqual(['RATE_LIMITED', 'ok', 'ok'])
  })

  test('many at once never pass the limit together', async () => {
    await using one = await limiter({ runs: { concurrent: 3 } })
    const all = await Promise.all(Array.from({ length: 20 }, () => one.message(caller('ann'))))
    expect(all.filter(({ ok }) => ok)).toHaveLength(3)
    for (const permit of all) if (permit.ok) permit.value.release()
    expect(codes([await one.message(caller('ann'))])).toEqual(['ok'])
  })

  test('a message that is refused for its rate is no run', async () => {
    await using one = await limiter({ messages: { perMinute: 1 }, runs: { concurrent: 2 } })
    const [first] = [await one.message(caller('ann'))]
    expect(codes(await inTurn(5, () => one.message(caller('ann'))))).toEqual(
      Array.from({ length: 5 }, () => 'RATE_LIMITED'),
    )
    if (first?.ok) first.value.release()
    const after = await one.message(caller('ann'))
    expect(after.ok ? '' : after.error.message).toContain('too many messages')
  })

  test('work that waits in a queue counts as a message, and is no run', async () => {
    await using one = await limiter({ messages: { perMinute: 3 }, runs: { concurrent: 1 } })
    expect(codes([await one.message(caller('ann'))])).toEqual(['ok'])
    expect(codes(await inTurn(3, () => one.queued(caller('ann'))))).toEqual([
      'ok',
      'ok',
      'RATE_LIMITED',
    ])
    expect(codes([await one.queued(caller('bob'))])).toEqual(['ok'])
  })
})
