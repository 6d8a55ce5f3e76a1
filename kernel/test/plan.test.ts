import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, registry, replace, slot, use, without, type Entry } from '../src/index.ts'
import { Store, make, store, reader, planOf, names } from './plan-fixtures.ts'

const Words = registry<string>('words')

describe('order', () => {
  test('list order, where nothing is needed', () => {
    const plan = planOf([use(make('c')), use(make('a')), use(make('b'))])
    expect(names(plan)).toEqual(['c', 'a', 'b'])
    expect(plan.why('a')).toBe('in list order')
  })

  test('a provider is before its consumers, and the plan gives the reason', () => {
    const plan = planOf([use(reader), use(make('other')), use(store)])
    expect(names(plan)).toEqual(['store-memory', 'reader', 'other'])
    expect(plan.why('reader')).toBe('after store-memory (needs store)')
  })

  test('an optional provider too, if it is in the list', () => {
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

  test('`after` orders plugins in the list, by entry name or by plugin name', () => {
    const last = make('last', { after: ['first', 'absent'] })
    expect(names(planOf([use(last), use(make('first'), {}, { as: 'first-two' })]))).toEqual([
      'first-two',
      'last',
    ])
    expect(planOf([use(last)]).why('last')).toBe('in list order')
  })

  test('a plugin that declares entries of a registry is before those that require it', () => {
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

  test('a loose schema accepts unknown fields', () => {
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

test('a pinned plugin is removed with `unsafe: true`, with its required taps, and the plan warns', () => {
  const plan = planOf([use(make('guard')), without('guard', { unsafe: true })], {
    pinned: ['guard'],
    mustTap: { 'tool.guard': ['guard', 'taint'] },
  })
  expect(plan.warnings).toEqual(['guard is pinned and was taken out with `unsafe: true`'])
  expect(plan.mustTap).toEqual({ 'tool.guard': ['taint'] })
})

test('a slot that is given needs no plugin', () => {
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
  // Measured alternately, so that other load on the machine affects both.
  const times = Array.from({ length: 150 }, () => [time(small), time(large)] as const)
  expect(
    Math.min(...times.map(([, one]) => one)) / Math.min(...times.map(([one]) => one)),
  ).toBeLessThan(12)
})
