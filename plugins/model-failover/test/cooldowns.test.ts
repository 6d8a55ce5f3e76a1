import type { Clock, ModelError } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { candidatesOf, keyOf } from '../src/candidates.ts'
import { Cooldowns } from '../src/cooldowns.ts'

class TurnedClock implements Clock {
  at = 1_000
  now(): number {
    return this.at
  }
  monotonic(): number {
    return this.at
  }
}

const [one, other] = candidatesOf({
  provider: 'p',
  model: 'm',
  fallback: { provider: 'p', model: 'n' },
})
if (!one || !other) throw new Error('a chain of two has two')
const server: ModelError = { class: 'server' }

function start(jitter = 0, sessions = 1) {
  const clock = new TurnedClock()
  const cooldowns = new Cooldowns(clock, {
    baseMs: 1_000,
    maxMs: 60_000,
    unconfirmedMs: 7_500,
    sessions,
    jitter,
    random: () => 1,
  })
  let nth = 0
  const fail = (error = server, began = clock.at, session = `session ${nth++}`): number => {
    cooldowns.failed(one as NonNullable<typeof one>, { error, message: 'x', began, session })
    return cooldowns.left(one as NonNullable<typeof one>)
  }
  return { clock, cooldowns, fail }
}

test('1 s, doubled to 60 s, of this way alone; it works again: from the start', () => {
  const { clock, cooldowns, fail } = start()
  const waits = Array.from({ length: 8 }, () => {
    const wait = fail()
    clock.at += wait + 1
    return wait
  })
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  expect(cooldowns.left(other)).toBe(0)
  cooldowns.worked(one.key, clock.at)
  expect(fail()).toBe(1_000)
})

describe('a wait that the provider names', () => {
  test('counts where it is longer, up to the longest', () => {
    expect(start().fail({ class: 'rate_limit', retryAfterMs: 20_000 })).toBe(20_000)
    expect(start().fail({ class: 'rate_limit', retryAfterMs: 86_400_000 })).toBe(60_000)
    expect(start().fail({ class: 'rate_limit', retryAfterMs: 200 })).toBe(1_000)
  })

  test('is granted to one session for a short time only, and whole to several', () => {
    const { clock, fail } = start(0, 2)
    const limit: ModelError = { class: 'rate_limit', retryAfterMs: 86_400_000 }
    expect(fail(limit, clock.at, 'a')).toBe(7_500)
    clock.at += 7_501
    expect(fail(limit, clock.at, 'a')).toBe(7_500)
    clock.at += 7_501
    expect(fail(limit, clock.at, 'b')).toBe(60_000)
  })

  test('is never shortened by chance', () => {
    expect(start(0.2).fail({ class: 'rate_limit', retryAfterMs: 5_000 })).toBe(5_200)
    expect(start(0.2).fail()).toBe(800)
  })
})

test('calls that fail together count once', () => {
  const { clock, fail } = start()
  const began = clock.at
  clock.at += 10
  expect(fail(server, began)).toBe(1_000)
  clock.at += 5_000 // one of them was slow to fail: its time is over, and it says nothing new
  expect(fail(server, began)).toBe(0)
  expect(fail()).toBe(2_000)
})

test('a success of a call from before the failure says nothing of the time after it', () => {
  const { clock, cooldowns, fail } = start()
  const began = clock.at
  clock.at += 10
  fail({ class: 'rate_limit', retryAfterMs: 9_000 })
  cooldowns.worked(one.key, began)
  expect(cooldowns.left(one)).toBe(9_000)
  expect(cooldowns.list()).toEqual([
    {
      provider: 'p',
      model: 'm',
      profile: 'default',
      class: 'rate_limit',
      failures: 1,
      coolingMs: 9_000,
      until: new Date(10_010 + 0).toISOString(),
      message: 'x',
    },
  ])
})

test('when its time is over one call finds out, and others keep away meanwhile', () => {
  const { clock, cooldowns, fail } = start()
  fail()
  clock.at += 1_000
  expect(cooldowns.left(one)).toBe(0)
  cooldowns.trying(one)
  expect(cooldowns.left(one)).toBe(1_000)
  cooldowns.worked(one.key, clock.at)
  expect(cooldowns.left(one)).toBe(0)
})

describe('what may be due to what was asked', () => {
  const request: readonly ModelError[] = [
    { class: 'server', status: 500 },
    { class: 'timeout' },
    { class: 'unknown' },
  ]

  test.each(request)(
    'is held against nobody before different sessions have met it: $class',
    (error) => {
      const { clock, fail } = start(0, 3)
      const again = (session: string): number => {
        clock.at += 10
        return fail(error, clock.at, session)
      }
      for (let n = 0; n < 20; n++) expect(again('a')).toBe(0)
      expect(again('b')).toBe(0)
      expect(again('c')).toBe(1_000)
      clock.at += 1_001
      expect(again('a'), 'it says nothing new').toBe(0)
      expect(again('d')).toBe(2_000)
    },
  )

  test('is forgotten where others are answered, and after a while', () => {
    const { clock, cooldowns, fail } = start(0, 2)
    fail(server, clock.at, 'a')
    clock.at += 10
    cooldowns.worked(one.key, clock.at)
    expect(fail(server, clock.at, 'b')).toBe(0)
    clock.at += 60_001
    expect(fail(server, clock.at, 'c')).toBe(0)
    clock.at += 1
    expect(fail(server, clock.at, 'd')).toBe(1_000)
  })

  test('of calls that fail together: their sessions count, and they are one failure', () => {
    const { clock, fail } = start(0, 3)
    const began = clock.at
    clock.at += 10
    expect(['a', 'b', 'c', 'd'].map((session) => fail(server, began, session))).toEqual([
      0, 0, 1_000, 1_000,
    ])
  })

  test.each<ModelError>([
    { class: 'auth' },
    { class: 'billing' },
    { class: 'quota' },
    { class: 'rate_limit' },
    { class: 'unknown', status: 404 },
  ])('is not a refusal of the credential: $class', (error) => {
    expect(start(0, 3).fail(error)).toBe(1_000)
  })
})

describe('a chain', () => {
  test('is each model with each of its accounts, and nothing twice', () => {
    const chain = candidatesOf({
      provider: 'p',
      model: 'm',
      apiKey: 'env:A',
      temperature: 0,
      profiles: [
        { name: 'b', apiKey: 'env:B' },
        { name: 'again', apiKey: 'env:A' },
        { name: 'away', baseUrl: 'http://other/v1' },
      ],
      fallback: {
        provider: 'q',
        model: 'n',
        fallback: { provider: 'p', model: 'm', apiKey: 'env:B' },
      },
    })
    expect(chain.map(({ profile, config }) => [profile, config])).toEqual([
      ['default', { provider: 'p', model: 'm', apiKey: 'env:A', temperature: 0 }],
      ['b', { provider: 'p', model: 'm', apiKey: 'env:B', temperature: 0 }],
      ['away', { provider: 'p', model: 'm', temperature: 0, baseUrl: 'http://other/v1' }],
      ['default', { provider: 'q', model: 'n' }],
    ])
  })

  test('shows no credential in its keys', () => {
    expect(keyOf({ provider: 'p', model: 'm', apiKey: 'sk-secret' })).not.toContain('secret')
  })
})
