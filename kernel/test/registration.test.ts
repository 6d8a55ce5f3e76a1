import { describe, expect, test } from 'vitest'
import {
  defineHook,
  definePlugin,
  kernelHooks,
  registry,
  slot,
  use,
  type Generation,
  type Plugin,
  type SetupApi,
  type TurnContext,
} from '../src/index.ts'
import { kernelWith, plugin, refused } from './helpers.ts'
import { type Named, Store, Words, Guard } from './lifecycle-fixtures.ts'

const Failed = defineHook('kernel.failed', kernelHooks<TurnContext>().kernel.failed)

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
