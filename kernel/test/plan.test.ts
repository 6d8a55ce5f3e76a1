import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  explain,
  registry,
  replace,
  resolvePlan,
  slot,
  use,
  without,
  type Entry,
  type Plan,
  type PlanOptions,
  type PlanProblem,
  type Plugin,
} from '../src/index.ts'

const Store = slot.kernel<{ readonly name: string }>('store')
const Mail = slot.kernel<{ readonly name: string }>('mail')
const Words = registry<string>('words')

type Shape = Partial<Omit<Parameters<typeof definePlugin>[0], 'name' | 'setup'>>
const make = (name: string, shape: Shape = {}): Plugin =>
  definePlugin({ name, version: '1.2.0', ...shape, setup: () => undefined })

const store = make('store-memory', { provides: [Store] })
const reader = make('reader', { requires: { store: Store } })

function planOf(entries: readonly Entry[], options: PlanOptions = {}): Plan {
  const plan = resolvePlan(entries, options)
  if (!plan.ok) throw new Error(explain(plan.error))
  return plan.value
}

function problemsOf(entries: readonly Entry[], options: PlanOptions = {}): readonly PlanProblem[] {
  const plan = resolvePlan(entries, options)
  if (plan.ok) throw new Error('the plan has no problem')
  return plan.error
}

const names = (plan: Plan): readonly string[] => plan.plugins.map(({ name }) => name)

describe('order', () => {
  test('list order, where nothing is needed', () => {
    const plan = planOf([use(make('c')), use(make('a')), use(make('b'))])
    expect(names(plan)).toEqual(['c', 'a', 'b'])
    expect(plan.why('a')).toBe('in list order')
  })

  test('a provider stands before those who need it, and the plan says why', () => {
    const plan = planOf([use(reader), use(make('other')), use(store)])
    expect(names(plan)).toEqual(['store-memory', 'reader', 'other'])
    expect(plan.why('reader')).toBe('after store-memory (needs store)')
  })

  test('an optional one too, where it is there', () => {
    const shy = make('shy', { optional: { store: Store } })
    expect(names(planOf([use(shy), use(store)]))).toEqual(['store-memory', 'shy'])
    expect(names(planOf([use(shy)]))).toEqual(['shy'])
  })

  test('provider, then decorators, then consumers', () => {
    const plan = planOf([
      use(reader),
      use(make('cache', { decorates: [Store] })),
      use(make('count', { decorates: [Store] })),
      use(store),
    ])
    expect(names(plan)).toEqual(['store-memory', 'cache', 'count', 'reader'])
    expect(plan.decorators.get('store')).toEqual(['cache', 'count'])
    expect(plan.plugins.find(({ name }) => name === 'reader')?.needs.get('store')).toEqual([
      'store-memory',
      'cache',
      'count',
    ])
  })

  test('`after` orders those who are there, by name or by the name of the plugin', () => {
    const last = make('last', { after: ['first', 'absent'] })
    expect(names(planOf([use(last), use(make('first'), {}, { as: 'first-two' })]))).toEqual([
      'first-two',
      'last',
    ])
    expect(planOf([use(last)]).why('last')).toBe('in list order')
  })

  test('who declares that it adds to a registry stands before who requires it', () => {
    expect(
      names(
        planOf([
          use(make('speaker', { requires: { words: Words } })),
          use(make('writer', { provides: [Words] })),
        ]),
      ),
    ).toEqual(['writer', 'speaker'])
  })

  test('the same list gives the same plan', () => {
    const entries = [use(reader), use(make('x')), use(store), use(make('y', { after: ['reader'] }))]
    expect(names(planOf(entries))).toEqual(names(planOf(entries)))
  })
})

describe('entries', () => {
  const config = z.object({
    size: z.number().default(1),
    tags: z.array(z.string()).default([]),
    limits: z.record(z.string(), z.number()).default({}),
  })
  const sized = make('sized', { config })

  test('config has its defaults and is frozen', () => {
    const [planned] = planOf([use(sized, { limits: { a: 1 } })]).plugins
    expect(planned?.config).toEqual({ size: 1, tags: [], limits: { a: 1 } })
    expect(
      Object.isFrozen(planned?.config) &&
        Object.isFrozen((planned?.config as { limits: object }).limits),
    ).toBe(true)
  })

  test('the same plugin again merges one level deep; arrays replace; its place stays', () => {
    const plan = planOf([
      use(sized, { size: 2, tags: ['a', 'b'], limits: { a: 1, b: 1 } }),
      use(make('other')),
      use(sized, { tags: ['c'], limits: { b: 2 } }),
      use(sized),
    ])
    expect(names(plan)).toEqual(['sized', 'other'])
    expect(plan.plugins[0]?.config).toEqual({ size: 2, tags: ['c'], limits: { a: 1, b: 2 } })
  })

  test('`as` makes a second instance', () => {
    expect(names(planOf([use(sized), use(sized, { size: 9 }, { as: 'sized-eu' })]))).toEqual([
      'sized',
      'sized-eu',
    ])
  })

  test('`replace` takes the place; `without` takes out', () => {
    const mine = make('my-store', { provides: [Store] })
    expect(
      names(
        planOf([
          use(store),
          use(reader),
          replace('store-memory', mine),
          use(make('x')),
          without('x'),
        ]),
      ),
    ).toEqual(['my-store', 'reader'])
  })

  test('what a plugin wants to take without knowing it, it takes', () => {
    const loose = definePlugin({
      name: 'loose',
      version: '1.0.0',
      config: z.looseObject({ size: z.number() }),
      setup: () => undefined,
    })
    expect(planOf([use(loose, { size: 1, colour: 'red' })]).plugins[0]?.config).toEqual({
      size: 1,
      colour: 'red',
    })
  })

  test('adjustConfig sees the raw config and the environment, and runs before validation', () => {
    const adjusted = definePlugin({
      name: 'adjusted',
      version: '1.0.0',
      config: z.object({ url: z.string() }),
      setup: () => undefined,
      adjustConfig: (raw, env) => ({ url: env['URL'], ...raw }),
    })
    expect(planOf([use(adjusted)], { env: { URL: 'http://here' } }).plugins[0]?.config).toEqual({
      url: 'http://here',
    })
    expect(
      planOf([use(adjusted, { url: 'http://there' })], { env: { URL: 'http://here' } }).plugins[0]
        ?.config,
    ).toEqual({ url: 'http://there' })
  })
})

describe('problems', () => {
  const guard = make('guard')
  const cases: readonly (readonly [
    code: string,
    entries: readonly Entry[],
    options: PlanOptions,
    said: string,
  ])[] = [
    [
      'DUPLICATE_NAME',
      [use(make('twin')), use(make('twin'))],
      {},
      'two different plugins are called "twin"',
    ],
    [
      'DUPLICATE_NAME',
      [use(make('a')), use(make('b')), replace('a', make('b'))],
      {},
      'two different plugins are called "b"',
    ],
    [
      'SLOT_CONFLICT',
      [use(store), use(make('other-store', { provides: [Store] }))],
      {},
      'other-store and store-memory both provide "store"',
    ],
    [
      'SLOT_CONFLICT',
      [use(store)],
      { given: [Store] },
      'store-memory and kernel both provide "store"',
    ],
    [
      'MISSING_PROVIDER',
      [use(reader)],
      {},
      'reader needs "store", and no plugin in the list provides it',
    ],
    ['MISSING_PROVIDER', [use(make('cache', { decorates: [Store] }))], {}, 'cache wraps "store"'],
    [
      'CYCLE',
      [
        use(make('a', { provides: [Store], requires: { mail: Mail } })),
        use(make('b', { provides: [Mail], requires: { store: Store } })),
      ],
      {},
      'a → b → a (a needs mail; b needs store)',
    ],
    [
      'CYCLE',
      [
        use(make('a', { after: ['c'] })),
        use(make('b', { after: ['a'] })),
        use(make('c', { after: ['b'] })),
      ],
      {},
      'a → c → b → a',
    ],
    [
      'BAD_CONFIG',
      [
        use(make('sized', { config: z.object({ size: z.object({ width: z.number() }) }) }), {
          size: { width: 'wide' },
        }),
      ],
      {},
      'config of sized, `size.width`: ',
    ],
    [
      'BAD_CONFIG',
      [
        use<Plugin>(make('sized', { config: z.object({ size: z.number().default(1) }) }), {
          sise: 2,
        }),
      ],
      {},
      'config of sized, `sise`: unknown: the schema of this plugin has no such field',
    ],
    [
      'BAD_CONFIG',
      [
        use<Plugin>(
          make('piped', {
            config: z
              .object({ size: z.number().default(1) })
              .transform(({ size }) => size)
              .prefault({}),
          }),
          { sise: 2 },
        ),
      ],
      {},
      'config of piped, `sise`: unknown',
    ],
    [
      'BAD_CONFIG',
      [use(make('plain'), { size: 1 })],
      {},
      'config of plain, `size`: unknown: this plugin takes no configuration',
    ],
    ['BAD_CONFIG', [use(make('plain'), 'big')], {}, 'config of plain: must be an object'],
    [
      'BAD_CONFIG',
      [
        use(
          definePlugin({
            name: 'thrower',
            version: '1.0.0',
            setup: () => undefined,
            adjustConfig: () => {
              throw new Error('no home')
            },
          }),
        ),
      ],
      {},
      'config of thrower: no home',
    ],
    [
      'SCOPE_LEAK',
      [use(store), use(make('wrong', { requires: { store: slot.session<object>('store') } }))],
      {},
      'wrong asks for "store" per session, but store-memory provides it per kernel',
    ],
    [
      'KERNEL_VERSION',
      [use(make('newer', { kernel: 2 }))],
      {},
      'newer 1.2.0 is made for kernel 2; this one is 1',
    ],
    [
      'KERNEL_VERSION',
      [use(store), use(make('later', { requires: { store: slot.kernel<object>('store', 2) } }))],
      {},
      'later knows version 2 of "store", and store-memory version 1',
    ],
    [
      'PINNED_REMOVED',
      [use(guard), without('guard')],
      { pinned: ['guard'] },
      'guard is pinned and missing from the list',
    ],
    [
      'PINNED_REMOVED',
      [use(guard), replace('guard', make('weaker'))],
      { pinned: ['guard'] },
      'guard is pinned',
    ],
    [
      'OPTIONAL_GUARD',
      [use(guard, {}, { optional: true })],
      { pinned: ['guard'] },
      'guard is pinned and may not be optional',
    ],
    ['UNKNOWN_ENTRY', [without('ghost')], {}, 'cannot leave out "ghost"'],
    ['UNKNOWN_ENTRY', [replace('ghost', guard)], {}, 'cannot replace "ghost"'],
    [
      'NOT_A_PLUGIN',
      [use({ name: 'fake' } as unknown as Plugin, {}, { source: './fake.ts' })],
      {},
      'an entry from ./fake.ts is no plugin',
    ],
    ['NOT_A_PLUGIN', [use(make('Camel_Case'))], {}, '"Camel_Case" is no name for a plugin'],
  ]

  test.each(cases)('%s: %#', (code, entries, options, said) => {
    const found = problemsOf(entries, options)
    expect(found.map((problem) => problem.code)).toEqual([code])
    expect(found[0]?.message).toContain(said)
    expect(found[0]?.fix).not.toBe('')
  })

  test('all of them at once, each with its fix', () => {
    const found = problemsOf(
      [
        use(reader),
        use(make('plain'), { size: 1 }),
        use(make('twin')),
        use(make('twin')),
        without('ghost'),
      ],
      { builtinProviders: { store: ['stores-memory', 'stores-database'] } },
    )
    expect(found.map(({ code }) => code).toSorted()).toEqual([
      'BAD_CONFIG',
      'DUPLICATE_NAME',
      'MISSING_PROVIDER',
      'UNKNOWN_ENTRY',
    ])
    const text = explain(found)
    expect(text).toContain('The plugins cannot run, for 4 reasons:')
    expect(text).toContain(
      '  MISSING_PROVIDER  reader needs "store", and no plugin in the list provides it\n    fix: add stores-memory or stores-database',
    )
  })

  test('nothing of a plugin runs while planning', () => {
    const loud = definePlugin({
      name: 'loud',
      version: '1.0.0',
      setup: () => {
        throw new Error('ran')
      },
    })
    expect(names(planOf([use(loud)]))).toEqual(['loud'])
  })
})

test('a pinned plugin leaves with `unsafe: true`, need not tap what it had to, and the plan warns', () => {
  const plan = planOf([use(make('guard')), without('guard', { unsafe: true })], {
    pinned: ['guard'],
    mustTap: { 'tool.guard': ['guard', 'taint'] },
  })
  expect(plan.warnings).toEqual(['guard is pinned and was taken out with `unsafe: true`'])
  expect(plan.mustTap).toEqual({ 'tool.guard': ['taint'] })
})

test('a slot that the kernel hands in needs no plugin', () => {
  expect(planOf([use(reader)], { given: [Store] }).providers.get('store')).toBe('kernel')
})

test('60 plugins are planned in time that grows with their number', { tags: 'speed' }, () => {
  const chain = (count: number): readonly Entry[] =>
    Array.from({ length: count }, (_, index) => {
      const own = slot.kernel<object>(`slot-${index}`)
      const needed = Object.fromEntries(
        Array.from({ length: Math.min(3, index) }, (_, back) => [
          `n${back}`,
          slot.kernel<object>(`slot-${index - 1 - back}`),
        ]),
      )
      return use(
        make(`p${index}`, {
          provides: [own],
          requires: needed,
          config: z.object({ size: z.number().default(index) }),
        }),
      )
    }).toReversed()
  const time = (entries: readonly Entry[]): number => {
    const start = performance.now()
    planOf(entries)
    return performance.now() - start
  }
  const [small, large] = [chain(10), chain(60)]
  time(small)
  // One beside the other, so that whatever else the machine does is there for both.
  const times = Array.from({ length: 150 }, () => [time(small), time(large)] as const)
  expect(
    Math.min(...times.map(([, one]) => one)) / Math.min(...times.map(([one]) => one)),
  ).toBeLessThan(12)
})
