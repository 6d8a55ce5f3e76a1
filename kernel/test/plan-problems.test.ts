import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  explain,
  replace,
  resolvePlan,
  slot,
  use,
  without,
  type Entry,
  type PlanOptions,
  type PlanProblem,
  type Plugin,
} from '../src/index.ts'
import { Store, make, store, reader, planOf, names } from './plan-fixtures.ts'

const Mail = slot.kernel<{ readonly name: string }>('mail')

function problemsOf(entries: readonly Entry[], options: PlanOptions = {}): readonly PlanProblem[] {
  const plan = resolvePlan(entries, options)
  if (plan.ok) throw new Error('the plan has no problem')
  return plan.error
}

describe('problems', () => {
  const guard = make('guard')
  const cases: readonly (readonly [
    code: string,
    entries: readonly Entry[],
    options: PlanOptions,
    message: string,
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
      'an entry from ./fake.ts is not a plugin',
    ],
    ['NOT_A_PLUGIN', [use(make('Camel_Case'))], {}, '"Camel_Case" is not a valid plugin name'],
  ]

  test.each(cases)('%s: %#', (code, entries, options, message) => {
    const found = problemsOf(entries, options)
    expect(found.map((problem) => problem.code)).toEqual([code])
    expect(found[0]?.message).toContain(message)
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
