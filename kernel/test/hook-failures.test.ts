import { describe, expect, test } from 'vitest'
import { defineHook, PluginError, series, use, type Result, type TapContext } from '../src/index.ts'
import { kernelWith, plugin } from './helpers.ts'
import {
  Crowd,
  Failed,
  First,
  Flow,
  generations,
  never,
  Row,
  SoftFlow,
  Strict,
  StrictCrowd,
  SyncFlow,
  Observed,
  wait,
  type Box,
} from './hook-fixtures.ts'

describe.each(['tapable', 'plain'] as const)('failures of hooks run by %s', (runner) => {
  const { generation, tapped } = generations(runner)

  describe('blame', () => {
    const failure = async (
      hook: typeof Flow | typeof First | typeof Row,
      fn: unknown,
    ): Promise<PluginError> => {
      const now = await tapped(hook, [() => undefined], [fn])
      const calls = new Map<unknown, () => Promise<Result<unknown, PluginError>>>([
        [Row, () => now.hook(Row).call([])],
        [First, () => now.hook(First).call('x')],
        [Flow, () => now.hook(Flow).call({ trail: [] }, 'x')],
      ])
      const result = await calls.get(hook)?.()
      if (!result || result.ok) throw new Error('the hook did not fail')
      return result.error
    }

    test('a throw', async () => {
      const error = await failure(Flow, () => {
        throw new Error('boom')
      })
      expect(error).toMatchObject({
        plugin: 'b',
        phase: 'hook',
        where: 'test.flow',
        code: 'PLUGIN_FAILED',
        message: '[b] failed in hook test.flow: boom',
      })
      expect(PluginError.is(error)).toBe(true)
    })

    test('a rejection', async () => {
      expect(
        await failure(First, async () => {
          await wait(1)
          throw new Error('late boom')
        }),
      ).toMatchObject({ plugin: 'b', message: '[b] failed in hook test.first: late boom' })
    })

    test('a hang, at the deadline of the call; the tap stays pending', async () => {
      const now = await tapped(Row, [() => undefined], [never])
      const start = performance.now()
      const answer = await now.hook(Row).call([])
      expect(performance.now() - start).toBeLessThan(30_000)
      expect(!answer.ok && answer.error).toMatchObject({
        plugin: 'b',
        code: 'PLUGIN_TIMEOUT',
        message: '[b] failed in hook test.row: timed out after 100 ms',
      })
      expect(now.hookSet.of(Row).taps.map(({ stats }) => stats.pending)).toEqual([0, 1])
    })

    test('one deadline for the call, not one per tap', async () => {
      const now = await tapped(Row, [() => wait(60)], [() => wait(60)])
      const answer = await now.hook(Row).call([])
      expect(!answer.ok && answer.error.plugin).toBe('b')
    })

    test.each([
      [null, 'null'],
      [false, 'boolean'],
      ['text', 'string'],
      [7, 'number'],
    ])('a value of the wrong sort: %s', async (value, type) => {
      expect(await failure(First, () => value)).toMatchObject({
        plugin: 'b',
        code: 'BAD_VALUE',
        message: `[b] failed in hook test.first: returned ${type} where an object or undefined is allowed`,
      })
      expect(await failure(Flow, async () => value)).toMatchObject({
        plugin: 'b',
        code: 'BAD_VALUE',
      })
    })

    test('a value that the check refuses, and not the tap that gets it next', async () => {
      const now = await tapped(
        Flow,
        [() => ({ rubbish: true })],
        [(box: Box) => ({ trail: [...box.trail] })],
      )
      const answer = await now.hook(Flow).call({ trail: [] }, 'x')
      expect(!answer.ok && answer.error).toMatchObject({
        plugin: 'a',
        code: 'BAD_VALUE',
        message: '[a] failed in hook test.flow: returned a box without a trail',
      })
    })

    test('a promise where the hook is synchronous', async () => {
      const now = await tapped(SyncFlow, [async (box: Box) => box])
      const answer = now.hook(SyncFlow).call({ trail: [] })
      expect(!answer.ok && answer.error).toMatchObject({
        plugin: 'a',
        code: 'BAD_VALUE',
        message:
          '[a] failed in hook test.sync-flow: returned a promise, and this hook is synchronous',
      })
      const strict = await tapped(Strict, [
        async () => {
          throw new Error('nobody would hear this')
        },
      ])
      expect(strict.hook(Strict).call('x')).toMatchObject({
        ok: false,
        error: { plugin: 'a', code: 'BAD_VALUE' },
      })
    })

    test('what another plugin threw stays its own', async () => {
      const error = await failure(Flow, () => {
        throw new PluginError('store', 'provide', 'memory-store', new Error('no disk'))
      })
      expect(error.plugin).toBe('store')
    })
  })

  describe('policies', () => {
    test('skip goes on with the value as it was, and reports', async () => {
      const now = await tapped(
        SoftFlow,
        [(box: Box) => ({ trail: [...box.trail, 'a'] })],
        [
          () => {
            throw new Error('boom')
          },
        ],
        [() => null],
        [(box: Box) => ({ trail: [...box.trail, 'd'] })],
      )
      expect(await now.hook(SoftFlow).call({ trail: [] }, 'x')).toEqual({
        ok: true,
        value: { trail: ['a', 'd'] },
      })
      expect(now.hookSet.of(SoftFlow).taps.map(({ stats }) => stats.errors)).toEqual([0, 1, 1, 0])
    })

    test('parallel hears every tap and keeps every error', async () => {
      const messages: string[] = []
      const taps = [
        [
          () => {
            throw new Error('one')
          },
        ],
        [
          async () => {
            throw new Error('two')
          },
        ],
        [never],
        [
          (log: string[]) => {
            log.push('fine')
          },
        ],
      ] as const
      const kernel = await kernelWith(
        [
          ...taps.map(([fn], index) =>
            use(
              plugin('abcd'.charAt(index), ({ tap }) => {
                tap(Crowd, fn)
                tap(StrictCrowd, fn)
              }),
            ),
          ),
          use(
            plugin('alarm', ({ tap }) =>
              tap(Failed, (error) => {
                messages.push(error.message)
              }),
            ),
          ),
        ],
        { runner },
      )
      const log: string[] = []
      expect(await kernel.current().hook(Crowd).call(log)).toEqual({ ok: true, value: undefined })
      expect(log).toEqual(['fine'])
      expect(messages.toSorted()).toEqual([
        '[a] failed in hook test.crowd: one',
        '[b] failed in hook test.crowd: two',
        '[c] failed in hook test.crowd: timed out after 100 ms',
      ])
      expect(await kernel.current().hook(StrictCrowd).call(log)).toMatchObject({
        ok: false,
        error: { plugin: 'a' },
      })
      expect(log).toEqual(['fine', 'fine'])
      expect(kernel.facts().errors).toHaveLength(6)
    })

    test('a tap on kernel.failed that fails itself is recorded once', async () => {
      const kernel = await kernelWith(
        [
          use(
            plugin('alarm', ({ tap }) => {
              tap(Failed, () => {
                throw new Error('alarm broken')
              })
              tap(Observed, () => {
                throw new Error('boom')
              })
            }),
          ),
        ],
        { runner },
      )
      kernel.current().hook(Observed).call('x')
      expect(kernel.facts().errors.map(({ message }) => message)).toEqual([
        '[alarm] failed in hook test.observed: boom',
        '[alarm] failed in hook kernel.failed: alarm broken',
      ])
    })
  })

  describe('the signal of a tap', () => {
    test('aborts at the deadline', async () => {
      const seen = Promise.withResolvers<boolean>()
      const now = await tapped(Row, [
        (_log: string[], { signal }: TapContext) => {
          signal.addEventListener('abort', () => seen.resolve(true))
          return never()
        },
      ])
      await now.hook(Row).call([])
      expect(await seen.promise).toBe(true)
    })

    test('aborts with the run it is called in', async () => {
      const run = new AbortController()
      const Ending = defineHook(
        'test.ending',
        series<[ctx: { readonly signal: AbortSignal }]>({ onError: 'fail', timeoutMs: 5_000 }),
      )
      const now = await generation(
        use(
          plugin('a', ({ tap }) =>
            tap(
              Ending,
              (_ctx, { signal }) =>
                new Promise((resolve) => {
                  signal.addEventListener('abort', () => resolve(), { once: true })
                }),
            ),
          ),
        ),
      )
      const answer = now.hook(Ending).call({ signal: run.signal })
      run.abort()
      expect(await answer).toEqual({ ok: true, value: undefined })
    })
  })

  test('calls, errors, time and the running plugin are kept', async () => {
    const running: (string | undefined)[] = []
    const now = await tapped(Observed, [
      () => {
        running.push(now.hook(Observed).running)
        const end = performance.now() + 2
        while (performance.now() < end);
      },
    ])
    now.hook(Observed).call('x')
    now.hook(Observed).call('x')
    const [tap] = now.hookSet.of(Observed).taps
    expect(tap?.stats).toMatchObject({ calls: 2, errors: 0, pending: 0 })
    expect(tap?.stats.ms).toBeGreaterThanOrEqual(2)
    expect(running).toEqual(['a', 'a'])
    expect(now.hook(Observed).running).toBeUndefined()
  })
})
