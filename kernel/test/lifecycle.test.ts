import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  bail,
  defineHook,
  definePlugin,
  explain,
  Kernel,
  kernelHooks,
  Log,
  registry,
  slot,
  use,
  without,
  type Generation,
  type Logger,
  type Plugin,
  type SetupApi,
  type TurnContext,
} from '../src/index.ts'
import { keepingLogger, kernelWith, plugin, refused } from './helpers.ts'

interface Named {
  readonly name: string
}
const Store = slot.kernel<Named>('store')
const Words = registry<string>('words')
const Failed = defineHook('kernel.failed', kernelHooks<TurnContext>().kernel.failed)
const Drain = defineHook('kernel.drain', kernelHooks<TurnContext>().kernel.drain)
const Guard = defineHook('test.guard', bail<[], object>({ onError: 'fail', guards: true }))

const pluginsOf = (kernel: Kernel): readonly string[] =>
  kernel.facts().generation.instances.map(({ name }) => name)

/** Writes down what happens to a plugin. */
function witness(
  trail: string[],
  name: string,
  more: (k: SetupApi) => void = () => undefined,
): Plugin {
  return plugin(name, (k) => {
    trail.push(`${name} set up`)
    k.onBoot(async () => {
      trail.push(`${name} booted`)
      return () => {
        trail.push(`${name} boot undone`)
      }
    })
    k.onDispose(() => {
      trail.push(`${name} disposed`)
    })
    more(k)
    return () => {
      trail.push(`${name} torn down`)
    }
  })
}

describe('the life of a plugin', () => {
  test('all are set up, then all booted; everything is undone last made first', async () => {
    const trail: string[] = []
    const kernel = await kernelWith([use(witness(trail, 'a')), use(witness(trail, 'b'))])
    expect(trail.splice(0)).toEqual(['a set up', 'b set up', 'a booted', 'b booted'])
    expect(await kernel.close()).toEqual([])
    expect(trail.splice(0)).toEqual([
      'b boot undone',
      'b torn down',
      'b disposed',
      'a boot undone',
      'a torn down',
      'a disposed',
    ])
    await kernel.close()
    expect(trail).toEqual([])
  })

  test('deps are values, ready and typed', async () => {
    const seen: unknown[] = []
    const store = definePlugin({
      name: 'store',
      version: '1.0.0',
      provides: [Store],
      config: z.object({ label: z.string() }),
      setup: ({ provide, config }) => provide(Store, () => ({ name: config.label })),
    })
    const reader = definePlugin({
      name: 'reader',
      version: '1.0.0',
      requires: { store: Store },
      optional: { log: Log },
      setup: ({ deps }) => {
        seen.push(deps.store.name, deps.log, Object.isFrozen(deps))
      },
    })
    await kernelWith([use(reader), use(store, { label: 'disk' })])
    expect(seen).toEqual(['disk', undefined, true])
  })

  test('a service is made when it is first asked for, once', async () => {
    let count = 0
    const store = definePlugin({
      name: 'store',
      version: '1.0.0',
      provides: [Store],
      setup: ({ provide }) => provide(Store, () => ({ name: `store ${++count}` })),
    })
    const kernel = await kernelWith([use(store)])
    expect(count).toBe(0)
    expect(kernel.scope.get(Store)).toBe(kernel.scope.get(Store))
    expect(count).toBe(1)
  })

  test('two kernels in one process know nothing of each other', async () => {
    const trail: string[] = []
    const [one, two] = [
      await kernelWith([use(witness(trail, 'a'))]),
      await kernelWith([use(witness(trail, 'a'))]),
    ]
    await one.close()
    expect(two.closed).toBe(false)
    expect(two.facts().generation.instances.map(({ state }) => state)).toEqual(['running'])
    expect(trail.filter((line) => line === 'a torn down')).toHaveLength(1)
  })
})

describe('after setup nothing can be registered', () => {
  test.each([
    ['tap', (k: SetupApi) => k.tap(Failed, () => undefined)],
    ['provide', (k: SetupApi) => k.provide(Store, () => ({ name: 'late' }))],
    ['add', (k: SetupApi) => k.add(Words, 'late', 'word')],
    ['decorate', (k: SetupApi) => k.decorate(Store, (inner) => inner)],
    ['onBoot', (k: SetupApi) => k.onBoot(() => undefined)],
  ])('a late %s throws and names the plugin', async (what, act) => {
    let late: (() => void) | undefined
    await kernelWith([
      use(
        plugin('tardy', (k) => {
          late = () => act(k)
        }),
      ),
    ])
    expect(() => late?.()).toThrow(
      expect.objectContaining({
        plugin: 'tardy',
        code: 'SEALED',
        message: `[tardy] failed in setup ${what}: ${what} was called after setup`,
      }),
    )
  })

  test('`generation()` opens when setup is over', async () => {
    let ask: (() => Generation) | undefined
    let during: unknown
    const kernel = await kernelWith([
      use(
        plugin('asker', (k) => {
          ask = k.generation
          try {
            k.generation()
          } catch (cause) {
            during = cause
          }
        }),
      ),
    ])
    expect(during).toMatchObject({ code: 'SEALED' })
    expect(ask?.()).toBe(kernel.current())
  })
})

describe('what is registered is checked', () => {
  test('only what is declared is provided and decorated, and what is declared is provided', async () => {
    const sly = definePlugin({
      name: 'sly',
      version: '1.0.0',
      setup: (k: SetupApi) => {
        k.provide(Store, () => ({ name: 'x' }))
        k.decorate(Store, (inner) => inner)
      },
    })
    const idle = definePlugin({
      name: 'idle',
      version: '1.0.0',
      provides: [slot.kernel<Named>('promised')],
      setup: () => undefined,
    })
    const error = await refused([use(sly), use(idle)])
    expect(error).toMatchObject({
      kind: 'plan',
      problems: [
        { code: 'UNDECLARED', message: 'sly provides "store" without declaring it' },
        { code: 'UNDECLARED', message: 'sly decorates "store" without declaring it' },
        {
          code: 'UNDECLARED',
          message: 'idle declares that it provides "promised", but its setup did not',
        },
      ],
    })
  })

  test('registry keys are owned; a clash names both, unless it is on purpose', async () => {
    const adds = (name: string, value: string, override?: true): Plugin =>
      plugin(name, ({ add }) => add(Words, 'hello', value, override ? { override } : {}))
    expect(await refused([use(adds('a', 'hi')), use(adds('b', 'ho'))])).toMatchObject({
      kind: 'plan',
      problems: [
        {
          code: 'DUPLICATE_NAME',
          plugins: ['b', 'a'],
          message: 'b and a both add "hello" to words',
        },
      ],
    })
    for (const entries of [
      [use(adds('a', 'hi')), use(adds('b', 'ho', true))],
      [use(adds('b', 'ho', true)), use(adds('a', 'hi'))],
    ]) {
      const kernel = await kernelWith(entries)
      expect(kernel.current().registry(Words).get('hello')).toBe('ho')
      expect(kernel.current().ownerOf(Words, 'hello')).toBe('b')
      expect(kernel.facts().generation.entries(Words).owners.get('hello')).toMatchObject({
        plugin: 'b',
        instead: 'a',
      })
    }
    expect(
      await refused([use(adds('a', 'hi')), use(adds('b', 'ho', true)), use(adds('c', 'hu', true))]),
    ).toMatchObject({ kind: 'plan', problems: [{ plugins: ['c', 'b'] }] })
  })

  test('a registry is the same map each time', async () => {
    const kernel = await kernelWith([
      use(
        plugin('a', ({ add }) => {
          add(Words, 'x', '1')
          add(Words, 'y', '2')
        }),
      ),
    ])
    expect([...kernel.current().registry(Words)]).toEqual([
      ['x', '1'],
      ['y', '2'],
    ])
    expect(kernel.current().registry(Words)).toBe(kernel.current().registry(Words))
    expect([...kernel.current().registry(registry<string>('nobody'))]).toEqual([])
  })

  test('`seal` is given out by the list, never claimed', async () => {
    const sealer = plugin('sealer', ({ tap }) => tap(Guard, () => undefined, { stage: 'seal' }))
    expect(await refused([use(sealer)])).toMatchObject({
      kind: 'plan',
      problems: [{ code: 'UNTRUSTED_SEAL', plugins: ['sealer'] }],
    })
    await kernelWith([use(sealer, {}, { trusted: true })])
  })

  test('a preset may demand that a guard taps', async () => {
    const guard = plugin('guard', ({ tap }) => tap(Guard, () => undefined))
    await kernelWith([use(guard)], { mustTap: { 'test.guard': ['guard'] } })
    expect(
      await refused([use(guard)], {
        mustTap: { 'test.guard': ['guard', 'taint'], 'event.emit': ['guard'] },
      }),
    ).toMatchObject({
      kind: 'plan',
      problems: [
        {
          code: 'GUARD_MISSING',
          plugins: ['taint'],
          message: 'taint must tap test.guard, and does not',
        },
        { code: 'GUARD_MISSING', plugins: ['guard'] },
      ],
    })
  })

  test('a setup that is asynchronous is refused', async () => {
    const error = await refused([
      use(
        plugin('eager', (async () => {
          throw new Error('nobody would hear this')
        }) as unknown as () => void),
      ),
    ])
    expect(error).toMatchObject({
      kind: 'plugin',
      error: { plugin: 'eager', phase: 'setup', code: 'BAD_VALUE' },
    })
  })
})

describe('a failure', () => {
  test('in setup undoes what was set up', async () => {
    const trail: string[] = []
    const error = await refused([
      use(witness(trail, 'a')),
      use(
        witness(trail, 'b', () => {
          throw new Error('boom')
        }),
      ),
      use(witness(trail, 'c')),
    ])
    expect(error).toMatchObject({
      kind: 'plugin',
      error: { plugin: 'b', phase: 'setup', message: '[b] failed in setup setup: boom' },
    })
    expect(trail).toEqual(['a set up', 'b set up', 'b disposed', 'a torn down', 'a disposed'])
    expect(explain(error)).toContain('where: the plugin b, in its setup')
  })

  test('in boot undoes what was booted and set up', async () => {
    const trail: string[] = []
    const error = await refused([
      use(witness(trail, 'a')),
      use(
        witness(trail, 'b', (k) =>
          k.onBoot(() => {
            throw new Error('port taken')
          }),
        ),
      ),
    ])
    expect(error).toMatchObject({ kind: 'plugin', error: { plugin: 'b', phase: 'boot' } })
    expect(trail.slice(4)).toEqual([
      'b boot undone',
      'b torn down',
      'b disposed',
      'a boot undone',
      'a torn down',
      'a disposed',
    ])
  })

  test('in the factory of a needed service is that of its provider', async () => {
    const store = definePlugin({
      name: 'store',
      version: '1.0.0',
      provides: [Store],
      setup: ({ provide }) =>
        provide(Store, () => {
          throw new Error('no disk')
        }),
    })
    const reader = definePlugin({
      name: 'reader',
      version: '1.0.0',
      requires: { store: Store },
      setup: () => undefined,
    })
    expect(await refused([use(store), use(reader)])).toMatchObject({
      kind: 'plugin',
      error: { plugin: 'store', phase: 'provide', where: 'store' },
    })
  })

  test('in a teardown is told and stops no other', async () => {
    const trail: string[] = []
    const kernel = await kernelWith([
      use(witness(trail, 'a')),
      use(
        plugin('b', () => () => {
          throw new Error('stuck')
        }),
      ),
    ])
    expect(await kernel.close()).toMatchObject([{ plugin: 'b', phase: 'teardown' }])
    expect(trail.at(-1)).toBe('a disposed')
    expect(kernel.facts().errors).toMatchObject([{ plugin: 'b', phase: 'teardown' }])
  })
})

describe('an optional plugin', () => {
  const store = (fails: 'setup' | 'boot' | undefined): Plugin =>
    definePlugin({
      name: 'store',
      version: '1.0.0',
      provides: [Store],
      setup({ provide, onBoot }) {
        if (fails === 'setup') throw new Error('no disk')
        provide(Store, () => ({ name: 'store' }))
        onBoot(() => {
          if (fails === 'boot') throw new Error('no disk')
        })
      },
    })
  const reader = definePlugin({
    name: 'reader',
    version: '1.0.0',
    requires: { store: Store },
    setup: () => undefined,
  })
  const shy = definePlugin({
    name: 'shy',
    version: '1.0.0',
    optional: { store: Store },
    setup: ({ deps, add }) => add(Words, 'shy', deps.store?.name ?? 'alone'),
  })

  test.each(['setup', 'boot'] as const)(
    'that fails in %s is dropped with those who need it, and the rest runs',
    async (phase) => {
      const trail: string[] = []
      const log = keepingLogger()
      const kernel = await kernelWith([
        use(logPlugin(log)),
        use(witness(trail, 'a')),
        use(store(phase), {}, { optional: true }),
        use(reader),
        use(shy),
      ])
      expect(pluginsOf(kernel)).toEqual(['log', 'a', 'shy'])
      expect(kernel.current().registry(Words).get('shy')).toBe('alone')
      expect(log.lines).toContainEqual({
        level: 'warn',
        event: 'kernel.dropped',
        data: {
          plugins: ['store', 'reader'],
          because: expect.stringContaining('no disk') as string,
        },
      })
      await kernel.close()
      expect(trail.filter((line) => line === 'a set up')).toHaveLength(
        trail.filter((line) => line === 'a torn down').length,
      )
    },
  )

  test('that nothing is wrong with runs', async () => {
    const kernel = await kernelWith([use(store(undefined), {}, { optional: true }), use(reader)])
    expect(pluginsOf(kernel)).toEqual(['store', 'reader'])
  })

  test('cannot take a pinned one with it', async () => {
    expect(
      await refused([use(store('boot'), {}, { optional: true }), use(reader)], {
        pinned: ['reader'],
      }),
    ).toMatchObject({ kind: 'plugin', error: { plugin: 'store', phase: 'boot' } })
  })

  test('may not guard', async () => {
    const guard = plugin('guard', ({ tap }) => tap(Guard, () => undefined))
    expect(await refused([use(guard, {}, { optional: true })])).toMatchObject({
      kind: 'plan',
      problems: [{ code: 'OPTIONAL_GUARD', plugins: ['guard'] }],
    })
  })
})

describe('the log', () => {
  test('lines carry the plugin; those written in setup are kept until there is a log', async () => {
    const log = keepingLogger()
    await kernelWith([
      use(
        plugin('early', (k) => {
          k.log.info('set up', { size: 1 })
          k.log.child({ part: 'x' }).debug('deeper')
          k.onBoot(() => k.log.warn('booted'))
        }),
      ),
      use(logPlugin(log)),
    ])
    expect(log.lines).toEqual([
      { level: 'info', event: 'set up', data: { plugin: 'early', size: 1 } },
      { level: 'debug', event: 'deeper', data: { plugin: 'early', part: 'x' } },
      { level: 'warn', event: 'booted', data: { plugin: 'early' } },
    ])
  })

  test('without one, nothing is written and nothing breaks', async () => {
    await kernelWith([
      use(
        plugin('talker', (k) => {
          k.log.error('into the void')
          k.onBoot(() => k.log.info('still'))
        }),
      ),
    ])
  })

  test('failures of plugins and unsafe choices are told', async () => {
    const log = keepingLogger()
    const kernel = await kernelWith(
      [
        use(logPlugin(log)),
        use(plugin('guard', () => undefined)),
        without('guard', { unsafe: true }),
        use(
          plugin('bad', ({ tap }) =>
            tap(Drain, () => {
              throw new Error('busy')
            }),
          ),
        ),
      ],
      { pinned: ['guard'] },
    )
    expect(log.lines).toEqual([
      {
        level: 'warn',
        event: 'kernel.unsafe',
        data: { message: 'guard is pinned and was taken out with `unsafe: true`' },
      },
    ])
    await kernel.drain('test')
    expect(log.lines[1]).toMatchObject({
      level: 'error',
      event: 'plugin.failed',
      data: { plugin: 'bad', where: 'kernel.drain' },
    })
  })
})

test('drain tells plugins once, with the reason, before anything is undone', async () => {
  const trail: string[] = []
  const kernel = await kernelWith([
    use(
      witness(trail, 'a', ({ tap }) =>
        tap(Drain, async (reason, { signal }) => {
          trail.push(`drain: ${reason}, ${signal.aborted}`)
        }),
      ),
    ),
  ])
  trail.splice(0)
  await kernel.drain('SIGTERM')
  await kernel.close()
  expect(trail).toEqual(['drain: SIGTERM, false', 'a boot undone', 'a torn down', 'a disposed'])
})

test('a kernel that cannot be made says every problem as text', async () => {
  const created = await Kernel.create(
    [
      use(
        definePlugin({
          name: 'reader',
          version: '1.0.0',
          requires: { store: Store },
          setup: () => undefined,
        }),
      ),
    ],
    { builtinProviders: { store: ['stores-memory'] } },
  )
  expect(!created.ok && explain(created.error)).toBe(
    'The plugins cannot run:\n  MISSING_PROVIDER  reader needs "store", and no plugin in the list provides it\n    fix: add stores-memory',
  )
})

function logPlugin(log: Logger): Plugin {
  return definePlugin({
    name: 'log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => provide(Log, () => log),
  })
}
