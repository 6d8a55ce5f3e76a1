import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  explain,
  Kernel,
  Log,
  use,
  type Plugin,
  type SetupApi,
} from '../src/index.ts'
import { keepingLogger, kernelWith, plugin, refused } from './helpers.ts'
import { Store, Words, Drain, Guard, logPlugin } from './lifecycle-fixtures.ts'

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
  test('all are set up, then all booted; teardowns run in reverse order', async () => {
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

  test('a service is created once, at its first lookup', async () => {
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

  test('two kernels in one process are independent', async () => {
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

  test('in a teardown is returned and stops no other teardown', async () => {
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

  test('without a failure runs', async () => {
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

test('drain notifies plugins once, with the reason, before any teardown', async () => {
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

test('a kernel that cannot be created explains every problem', async () => {
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
