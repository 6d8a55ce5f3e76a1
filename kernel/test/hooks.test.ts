import { describe, expect, test } from 'vitest'
import {
  bail,
  collect,
  defineHook,
  definePlugin,
  explain,
  Inspector,
  Kernel,
  kernelHooks,
  observe,
  parallel,
  PluginError,
  series,
  syncWaterfall,
  use,
  waterfall,
  type Entry,
  type HookToken,
  type KernelFacts,
  type KernelOptions,
  type Result,
  type Stage,
  type TapContext,
  type TurnContext,
  type UseOptions,
} from '../src/index.ts'

type Wired = KernelFacts['generation']

interface Box {
  readonly trail: readonly string[]
}

const Told = defineHook('test.told', observe<[word: string]>({ onError: 'skip' }))
const Strict = defineHook('test.strict', observe<[word: string]>({ onError: 'fail' }))
const Row = defineHook('test.row', series<[log: string[]]>({ onError: 'fail', timeoutMs: 100 }))
const Crowd = defineHook(
  'test.crowd',
  parallel<[log: string[]]>({ onError: 'skip', timeoutMs: 100 }),
)
const StrictCrowd = defineHook(
  'test.strict-crowd',
  parallel<[log: string[]]>({ onError: 'fail', timeoutMs: 100 }),
)
const First = defineHook(
  'test.first',
  bail<[word: string], Box>({ onError: 'fail', timeoutMs: 100 }),
)
const Flow = defineHook(
  'test.flow',
  waterfall<[box: Box, word: string]>({
    onError: 'fail',
    timeoutMs: 100,
    check: (box) => (Array.isArray(box.trail) ? undefined : 'returned a box without a trail'),
  }),
)
const SoftFlow = defineHook(
  'test.soft-flow',
  waterfall<[box: Box, word: string]>({ onError: 'skip', timeoutMs: 100 }),
)
const SyncFlow = defineHook('test.sync-flow', syncWaterfall<[box: Box]>({ onError: 'fail' }))
const All = defineHook('test.all', collect<[word: string], Box>({ onError: 'fail' }))
const Failed = defineHook('kernel.failed', kernelHooks<TurnContext>().kernel.failed)

const plugin = (name: string, setup: Parameters<typeof definePlugin>[0]['setup']) =>
  definePlugin({ name, version: '1.0.0', setup })
const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
const never = (): Promise<never> => new Promise(() => undefined)
// Taps of other plugins may be anything at run time; this is how the tests hand in rubbish.
const rubbish = (value: unknown): never => value as never

async function kernelWith(entries: readonly Entry[], options: KernelOptions): Promise<Kernel> {
  const created = await Kernel.create(entries, options)
  if (!created.ok) throw new Error(explain(created.error))
  return created.value
}

describe.each(['tapable', 'plain'] as const)('hooks run by %s', (runner) => {
  const generation = async (...entries: Entry[]): Promise<Wired> =>
    (await kernelWith(entries, { runner })).scope.get(Inspector).facts().generation
  /** One plugin per tap, named a, b, c … in list order. */
  const tapped = async <T extends HookToken>(
    hook: T,
    ...taps: readonly (readonly [fn: unknown, stage?: Stage, options?: UseOptions])[]
  ): Promise<Wired> =>
    generation(
      ...taps.map(([fn, stage, options], index) =>
        use(
          plugin('abcdefgh'.charAt(index), ({ tap }) =>
            tap(hook, rubbish(fn), stage ? { stage } : {}),
          ),
          {},
          options,
        ),
      ),
    )

  test('says which runner is at work', async () => {
    const kernel = await kernelWith([], { runner })
    expect(kernel.facts().runner).toBe(runner)
  })

  describe('without taps', () => {
    test('answers what went in, or nothing, without waiting', async () => {
      const now = await generation()
      expect(now.hook(Flow).tapped).toBe(false)
      expect(now.hook(Told).call('x')).toEqual({ ok: true, value: undefined })
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
      const heard: string[] = []
      const now = await tapped(
        Told,
        [
          (word: string) => {
            heard.push(`a ${word}`)
          },
        ],
        [
          (word: string) => {
            heard.push(`b ${word}`)
          },
        ],
      )
      now.hook(Told).call('hello')
      expect(heard).toEqual(['a hello', 'b hello'])
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
      const asked: string[] = []
      const now = await tapped(
        First,
        [
          () => {
            asked.push('a')
          },
        ],
        [async () => ({ trail: ['b'] })],
        [
          () => {
            asked.push('c')
            return { trail: ['c'] }
          },
        ],
      )
      expect(await now.hook(First).call('x')).toEqual({ ok: true, value: { trail: ['b'] } })
      expect(asked).toEqual(['a'])
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
      const heard: string[] = []
      const say = (word: string) => () => {
        heard.push(word)
      }
      const now = await tapped(
        Told,
        [say('seal'), 'seal', { trusted: true }],
        [say('last'), 'last'],
        [say('late'), 'late'],
        [say('normal')],
        [say('early'), 'early'],
        [say('guard'), 'guard'],
        [say('first'), 'first'],
        [say('normal too')],
      )
      now.hook(Told).call('x')
      expect(heard).toEqual([
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
    ])('a value of the wrong sort: %s', async (value, said) => {
      expect(await failure(First, () => value)).toMatchObject({
        plugin: 'b',
        code: 'BAD_VALUE',
        message: `[b] failed in hook test.first: returned ${said} where an object or undefined is allowed`,
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
      const told = await tapped(Strict, [
        async () => {
          throw new Error('nobody would hear this')
        },
      ])
      expect(told.hook(Strict).call('x')).toMatchObject({
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
      const heard: string[] = []
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
                heard.push(error.message)
              }),
            ),
          ),
        ],
        { runner },
      )
      const log: string[] = []
      expect(await kernel.current().hook(Crowd).call(log)).toEqual({ ok: true, value: undefined })
      expect(log).toEqual(['fine'])
      expect(heard.toSorted()).toEqual([
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
              tap(Told, () => {
                throw new Error('boom')
              })
            }),
          ),
        ],
        { runner },
      )
      kernel.current().hook(Told).call('x')
      expect(kernel.facts().errors.map(({ message }) => message)).toEqual([
        '[alarm] failed in hook test.told: boom',
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
    const now = await tapped(Told, [
      () => {
        running.push(now.hook(Told).running)
        const end = performance.now() + 2
        while (performance.now() < end);
      },
    ])
    now.hook(Told).call('x')
    now.hook(Told).call('x')
    const [tap] = now.hookSet.of(Told).taps
    expect(tap?.stats).toMatchObject({ calls: 2, errors: 0, pending: 0 })
    expect(tap?.stats.ms).toBeGreaterThanOrEqual(2)
    expect(running).toEqual(['a', 'a'])
    expect(now.hook(Told).running).toBeUndefined()
  })
})
