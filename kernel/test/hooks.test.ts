import { describe, expect, test } from 'vitest'
import type { TapContext } from '../src/index.ts'
import { kernelWith } from './helpers.ts'
import {
  All,
  Crowd,
  First,
  Flow,
  generations,
  Row,
  SyncFlow,
  Observed,
  wait,
  type Box,
} from './hook-fixtures.ts'

describe.each(['tapable', 'plain'] as const)('hooks run by %s', (runner) => {
  const { generation, tapped } = generations(runner)

  test('says which runner is at work', async () => {
    const kernel = await kernelWith([], { runner })
    expect(kernel.facts().runner).toBe(runner)
  })

  describe('without taps', () => {
    test('answers what went in, or nothing, without waiting', async () => {
      const now = await generation()
      expect(now.hook(Flow).tapped).toBe(false)
      expect(now.hook(Observed).call('x')).toEqual({ ok: true, value: undefined })
      expect(now.hook(SyncFlow).call({ trail: ['in'] })).toEqual({
        ok: true,
        value: { trail: ['in'] },
      })
      expect(now.hook(All).call('x')).toEqual({ ok: true, value: [] })
      expect(await now.hook(First).call('x')).toEqual({ ok: true, value: undefined })
      expect(await now.hook(Row).call([])).toEqual({ ok: true, value: undefined })
      expect(await now.hook(Flow).call({ trail: ['in'] }, 'x')).toEqual({
        ok: true,
        value: { trail: ['in'] },
      })
    })
  })

  describe('the kinds', () => {
    test('observe tells every tap', async () => {
      const calls: string[] = []
      const now = await tapped(
        Observed,
        [
          (word: string) => {
            calls.push(`a ${word}`)
          },
        ],
        [
          (word: string) => {
            calls.push(`b ${word}`)
          },
        ],
      )
      now.hook(Observed).call('hello')
      expect(calls).toEqual(['a hello', 'b hello'])
    })

    test('series waits for one tap before the next', async () => {
      const now = await tapped(
        Row,
        [
          async (log: string[]) => {
            await wait(10)
            log.push('slow')
          },
        ],
        [
          (log: string[]) => {
            log.push('quick')
          },
        ],
      )
      const log: string[] = []
      await now.hook(Row).call(log)
      expect(log).toEqual(['slow', 'quick'])
    })

    test('parallel runs all at once', async () => {
      const now = await tapped(
        Crowd,
        [
          async (log: string[]) => {
            await wait(10)
            log.push('slow')
          },
        ],
        [
          (log: string[]) => {
            log.push('quick')
          },
        ],
      )
      const log: string[] = []
      await now.hook(Crowd).call(log)
      expect(log).toEqual(['quick', 'slow'])
    })

    test('bail stops at the first answer', async () => {
      const calls: string[] = []
      const now = await tapped(
        First,
        [
          () => {
            calls.push('a')
          },
        ],
        [async () => ({ trail: ['b'] })],
        [
          () => {
            calls.push('c')
            return { trail: ['c'] }
          },
        ],
      )
      expect(await now.hook(First).call('x')).toEqual({ ok: true, value: { trail: ['b'] } })
      expect(calls).toEqual(['a'])
    })

    test('waterfall hands each value on; nothing keeps it', async () => {
      const add =
        (word: string) =>
        async (box: Box): Promise<Box> => ({ trail: [...box.trail, word] })
      const now = await tapped(Flow, [add('a')], [() => undefined], [add('c')])
      expect(await now.hook(Flow).call({ trail: [] }, 'x')).toEqual({
        ok: true,
        value: { trail: ['a', 'c'] },
      })
    })

    test('a synchronous waterfall answers at once', async () => {
      const now = await tapped(
        SyncFlow,
        [(box: Box) => ({ trail: [...box.trail, 'a'] })],
        [() => undefined],
        [(box: Box) => ({ trail: [...box.trail, 'c'] })],
      )
      expect(now.hook(SyncFlow).call({ trail: ['in'] })).toEqual({
        ok: true,
        value: { trail: ['in', 'a', 'c'] },
      })
    })

    test('collect keeps what every tap made, and who made it', async () => {
      const now = await tapped(
        All,
        [(word: string) => ({ trail: [word] })],
        [() => undefined],
        [() => ({ trail: ['c'] })],
      )
      expect(now.hook(All).call('x')).toEqual({
        ok: true,
        value: [
          { plugin: 'a', value: { trail: ['x'] } },
          { plugin: 'c', value: { trail: ['c'] } },
        ],
      })
    })

    test('every argument reaches the tap, and the signal last', async () => {
      const seen: unknown[] = []
      const now = await tapped(Flow, [
        (box: Box, word: string, { signal }: TapContext) => {
          seen.push(box.trail, word, signal.aborted)
        },
      ])
      await now.hook(Flow).call({ trail: [] }, 'x')
      expect(seen).toEqual([[], 'x', false])
    })
  })

  describe('order', () => {
    test('stages first, then the plan', async () => {
      const calls: string[] = []
      const say = (word: string) => () => {
        calls.push(word)
      }
      const now = await tapped(
        Observed,
        [say('seal'), 'seal', { trusted: true }],
        [say('last'), 'last'],
        [say('late'), 'late'],
        [say('normal')],
        [say('early'), 'early'],
        [say('guard'), 'guard'],
        [say('first'), 'first'],
        [say('normal too')],
      )
      now.hook(Observed).call('x')
      expect(calls).toEqual([
        'first',
        'guard',
        'early',
        'normal',
        'normal too',
        'late',
        'last',
        'seal',
      ])
    })
  })
})
