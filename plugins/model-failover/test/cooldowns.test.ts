import type { Clock, ModelError } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { candidatesOf, keyOf } from '../src/candidates.ts'
import { Cooldowns } from '../src/cooldowns.ts'

class TurnedClock implements Clock {
  at = 1_000
  now(): number { return this.at }
  monotonic(): number { return this.at }
}

const [one, other] = candidatesOf({ provider: 'p', model: 'm', fallback: { provider: 'p', model: 'n' } })
if (!one || !other) throw new Error('a chain of two has two')
const server: ModelError = { class: 'server' }

function start(jitter = 0, random = () => 1) {
  const clock = new TurnedClock()
  const cooldowns = new Cooldowns(clock, { baseMs: 1_000, maxMs: 60_000, jitter, random })
  const fail = (error = server, began = clock.at): number => {
    cooldowns.failed(one as NonNullable<typeof one>, error, 'x', began)
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
  test('counts where it is longer, whatever the longest is', () => {
    expect(start().fail({ class: 'rate_limit', retryAfterMs: 90_000 })).toBe(90_000)
    expect(start().fail({ class: 'rate_limit', retryAfterMs: 200 })).toBe(1_000)
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
  expect(cooldowns.list()).toEqual([{ provider: 'p', model: 'm', profile: 'default', class: 'rate_limit', failures: 1, coolingMs: 9_000, message: 'x' }])
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

describe('a chain', () => {
  test('is each model with each of its accounts, and nothing twice', () => {
    const chain = candidatesOf({
      provider: 'p', model: 'm', apiKey: 'env:A', temperature: 0, profiles: [{ name: 'b', apiKey: 'env:B' }, { name: 'again', apiKey: 'env:A' }, { name: 'away', baseUrl: 'http://other/v1' }],
      fallback: { provider: 'q', model: 'n', fallback: { provider: 'p', model: 'm', apiKey: 'env:B' } },
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
