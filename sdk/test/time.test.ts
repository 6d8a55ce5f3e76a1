import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { atMost, deadline, onAbort, sleep, timeLimit, within } from '../src/index.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length
const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const never = new Promise<never>(() => undefined)

describe('a deadline', () => {
  test.each([
    ['told in words', 'reading the keys', 'reading the keys took longer than 5 ms'],
    ['not told', undefined, 'timed out after 5 ms'],
  ])('says what was waited for, and for how long (%s)', async (_, what, message) => {
    const limit = deadline(undefined, 5, what)
    await expect(within(never, limit.signal)).rejects.toMatchObject({
      name: 'TimeoutError',
      message,
    })
    limit.clear()
  })

  test('that nobody clears says the same, and keeps no process alive', async () => {
    const before = timers()
    const limit = timeLimit(5, 'reading the keys')
    const long = timeLimit(60_000, 'nothing')
    expect(timers()).toBe(before)
    await expect(within(never, limit)).rejects.toThrow('reading the keys took longer than 5 ms')
    expect(long.aborted).toBe(false)
  })

  test('ends with its parent, for the reason of that', async () => {
    const parent = new AbortController()
    const limits = [
      timeLimit(60_000, 'this', parent.signal),
      deadline(parent.signal, 60_000).signal,
    ]
    parent.abort(new Error('the run is over'))
    for (const limit of [...limits, timeLimit(60_000, 'this', parent.signal)])
      await expect(within(never, limit)).rejects.toThrow('the run is over')
  })
})

describe('no listener is left', () => {
  test.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['within', (signal) => within(Promise.resolve(1), signal)],
    ['within what fails', (signal) => within(Promise.reject(new Error('x')), signal)],
    ['sleep', (signal) => sleep(1, signal)],
    [
      'deadline',
      (signal) => {
        deadline(signal, 60_000).clear()
        return Promise.resolve()
      },
    ],
    [
      'onAbort',
      (signal) => {
        onAbort(signal, () => undefined)()
        return Promise.resolve()
      },
    ],
  ])('by %s', async (_, wait) => {
    const { signal } = new AbortController()
    await wait(signal).catch(() => undefined)
    expect(listeners(signal)).toBe(0)
  })
})

test('whoever listens to a signal that has aborted hears of it at once', () => {
  let calls = 0
  const leave = onAbort(AbortSignal.abort(), () => calls++)
  expect(calls).toBe(1)
  leave()
  expect(onAbort(undefined, () => calls++)).toBeTypeOf('function')
  expect(calls).toBe(1)
})

test('what takes longer than it may comes to nothing', async () => {
  expect(await atMost(5, never)).toBeUndefined()
  expect(await atMost(60_000, Promise.resolve('there'))).toBe('there')
  await expect(atMost(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('a wait ends early where its signal does', async () => {
  const stop = new AbortController()
  const begun = performance.now()
  const waiting = sleep(60_000, stop.signal)
  stop.abort()
  await waiting
  await sleep(60_000, stop.signal)
  expect(performance.now() - begun).toBeLessThan(10_000)
})
