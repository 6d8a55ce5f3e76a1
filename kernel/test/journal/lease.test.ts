import { expect, test } from 'vitest'
import { SessionLease } from '../../src/journal/lease.ts'

/** A clock that is turned by hand. */
function turned() {
  let at = 1_000
  return {
    clock: { now: () => at, monotonic: () => at },
    turn: (ms: number) => {
      at += ms
    },
  }
}

test('a lease counts from before its request', () => {
  const { clock, turn } = turned()
  const requestedAt = clock.monotonic()
  turn(300)
  const lease = new SessionLease(clock, requestedAt, 1_000)
  expect(lease.remainingMs()).toBe(700)
  turn(700)
  expect(lease.remainingMs()).toBe(0)
  turn(9_000)
  expect(lease.remainingMs()).toBe(0)
  expect(lease.signal.aborted).toBe(false)
})

test('it is prolonged, never shortened, and not once it is lost', () => {
  const { clock, turn } = turned()
  const lease = new SessionLease(clock, clock.monotonic(), 1_000)
  turn(500)
  lease.prolong(clock.monotonic(), 1_000)
  expect(lease.remainingMs()).toBe(1_000)
  lease.prolong(clock.monotonic() - 900, 1_000) // an answer that came late
  expect(lease.remainingMs()).toBe(1_000)
  lease.lose('taken over')
  lease.prolong(clock.monotonic(), 5_000)
  expect(lease.remainingMs()).toBe(0)
})

test('losing it aborts its signal with the reason', () => {
  const { clock } = turned()
  const lease = new SessionLease(clock, clock.monotonic(), 1_000)
  lease.lose('another owner has this session')
  expect(lease.signal.reason).toMatchObject({
    name: 'AbortError',
    message: 'another owner has this session',
  })
})

test('it is marked as taken over only if another owner is known', () => {
  const { clock } = turned()
  const ranOut = new SessionLease(clock, clock.monotonic(), 1_000)
  ranOut.lose('nobody could be asked', false)
  expect(ranOut.takenOver).toBe(false)
  ranOut.lose('claimed again')
  expect(ranOut.takenOver).toBe(true)
})

test('its margin is two seconds, or a tenth of a short lease', () => {
  const { clock } = turned()
  expect(new SessionLease(clock, 0, 20_000).margin).toBe(2_000)
  expect(new SessionLease(clock, 0, 500).margin).toBe(50)
})
