import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  explain,
  Kernel,
  registry,
  replace,
  slot,
  use,
  without,
  type Entry,
  type KernelOptions,
  type Plugin,
  type Reloaded,
  type SetupApi,
} from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'
import { collectGarbage } from './collect-garbage.ts'

interface Named {
  readonly name: string
}
const Store = slot.kernel<Named>('store')
const Words = registry<string>('words')

/** Counts what happens to each instance of a plugin. */
class Ledger {
  readonly trail: string[] = []
  count(event: string): number {
    return this.trail.filter((line) => line === event).length
  }
  plugin(
    name: string,
    more: Partial<Omit<Parameters<typeof definePlugin>[0], 'name' | 'setup'>> = {},
    setup: (k: SetupApi) => void = () => undefined,
  ): Plugin {
    return definePlugin({
      name,
      version: '1.0.0',
      config: z.object({ size: z.number().default(0) }),
      ...more,
      setup: (k: SetupApi) => {
        this.trail.push(`${name} up`)
        setup(k)
        return () => {
          this.trail.push(`${name} down`)
        }
      },
    })
  }
}

async function kernelWith(entries: readonly Entry[], options: KernelOptions = {}): Promise<Kernel> {
  const kernel = await Kernel.create(entries, { drainMs: 50, graceMs: 50, ...options })
  if (!kernel.ok) throw new Error(explain(kernel.error))
  return kernel.value
}

async function reloaded(kernel: Kernel, entries: readonly Entry[]): Promise<Reloaded> {
  const done = await kernel.reload(entries)
  if (!done.ok) throw new Error(explain(done.error))
  return done.value
}

const store = (ledger: Ledger): Plugin =>
  ledger.plugin('store', { provides: [Store] }, ({ provide, config }) => {
    const { size } = config as { size: number }
    provide(Store, () => ({ name: `store ${size}` }))
  })

describe('a reload', () => {
  test('sets up what changed and carries over what did not', async () => {
    const ledger = new Ledger()
    const [a, b] = [ledger.plugin('a'), ledger.plugin('b')]
    const kernel = await kernelWith([use(a), use(b)])
    const { carried, retired, generation } = await reloaded(kernel, [use(a), use(b, { size: 1 })])
    expect(await retired).toEqual([])
    expect(carried).toEqual(['a'])
    expect(ledger.trail).toEqual(['a up', 'b up', 'b up', 'b down'])
    expect(generation).toBe(kernel.current())
    expect(generation.id).toBe(2)
  })

  test('compares parsed config: spelling out a default changes nothing', async () => {
    const ledger = new Ledger()
    const a = ledger.plugin('a')
    const kernel = await kernelWith([use(a)])
    await reloaded(kernel, [use(a, { size: 0 })])
    expect(ledger.trail).toEqual(['a up'])
  })

  test('the same raw config is the same, also where parsing makes new objects', async () => {
    const ledger = new Ledger()
    const a = ledger.plugin('a', {
      config: z.object({ at: z.string().transform((text) => new URL(text)) }),
    })
    const kernel = await kernelWith([use(a, { at: 'http://here' })])
    await reloaded(kernel, [use(a, { at: 'http://here' })])
    expect(ledger.count('a up')).toBe(1)
    await reloaded(kernel, [use(a, { at: 'http://there' })])
    expect(ledger.count('a up')).toBe(2)
  })

  test('a clean plugin is set up once over 52 reloads, and its tap stands once', async () => {
    const ledger = new Ledger()
    const heard: string[] = []
    const clean = ledger.plugin('clean', {}, ({ hooks }) =>
      hooks.kernel.drain.tap(() => {
        heard.push('drained')
      }),
    )
    const noisy = ledger.plugin('noisy')
    const kernel = await kernelWith([use(clean), use(noisy)])
    for (let size = 1; size <= 52; size++)
      await (
        await reloaded(kernel, [use(clean), use(noisy, { size })])
      ).retired
    expect(ledger.count('clean up')).toBe(1)
    expect(ledger.count('noisy up') - ledger.count('noisy down')).toBe(1)
    await kernel.drain('test')
    expect(heard).toEqual(['drained'])
    await kernel.close()
    expect(ledger.count('clean down')).toBe(1)
    expect(ledger.count('noisy up') - ledger.count('noisy down')).toBe(0)
  })

  test('sets up anew those who hold a changed service; a carried service is the same object', async () => {
    const ledger = new Ledger()
    const base = store(ledger)
    const seen: string[] = []
    const reader = ledger.plugin('reader', { requires: { store: Store } }, ({ deps }) => {
      seen.push((deps as { store: Named }).store.name)
    })
    const kernel = await kernelWith([use(base), use(reader)])
    const before = kernel.scope.get(Store)
    await reloaded(kernel, [use(base), use(reader), use(ledger.plugin('new'))])
    expect(kernel.scope.get(Store)).toBe(before)
    expect(seen).toEqual(['store 0'])
    await reloaded(kernel, [use(base, { size: 2 }), use(reader)])
    expect(seen).toEqual(['store 0', 'store 2'])
  })

  test('also those who could use a service that came or went', async () => {
    const ledger = new Ledger()
    const seen: (string | undefined)[] = []
    const shy = ledger.plugin('shy', { optional: { store: Store } }, ({ deps }) => {
      seen.push((deps as { store?: Named }).store?.name)
    })
    const base = store(ledger)
    const kernel = await kernelWith([use(shy)])
    await reloaded(kernel, [use(shy), use(base)])
    await reloaded(kernel, [use(shy)])
    expect(seen).toEqual([undefined, 'store 0', undefined])
  })

  test('wraps a carried service anew when its decorators change', async () => {
    const ledger = new Ledger()
    const wrapper = ledger.plugin('wrapper', { decorates: [Store] }, ({ decorate, config }) =>
      decorate(Store, (inner) => ({ name: `${(config as { size: number }).size}(${inner.name})` })),
    )
    const base = store(ledger)
    const kernel = await kernelWith([use(base), use(wrapper)])
    expect(kernel.scope.get(Store).name).toBe('0(store 0)')
    const old = kernel.current()
    const release = old.acquire()
    const { retired } = await reloaded(kernel, [use(base), use(wrapper, { size: 1 })])
    expect(kernel.scope.get(Store).name).toBe('1(store 0)')
    expect(old.scope.get(Store).name).toBe('0(store 0)')
    release()
    await retired
    await reloaded(kernel, [use(base)])
    expect(kernel.scope.get(Store).name).toBe('store 0')
    expect(ledger.count('store up')).toBe(1)
  })

  test('rebuilds registries, with entries of carried plugins in plan order', async () => {
    const ledger = new Ledger()
    const words = (name: string): Plugin =>
      ledger.plugin(name, {}, ({ add, config }) =>
        add(Words, name, `${name} ${(config as { size: number }).size}`),
      )
    const [a, b, c] = [words('a'), words('b'), words('c')]
    const kernel = await kernelWith([use(a), use(c)])
    await reloaded(kernel, [use(a), use(b), use(c, { size: 1 })])
    expect([...kernel.current().registry(Words).values()]).toEqual(['a 0', 'b 0', 'c 1'])
  })

  test('replaces and removes', async () => {
    const ledger = new Ledger()
    const base = store(ledger)
    const mine = ledger.plugin('mine', { provides: [Store] }, ({ provide }) =>
      provide(Store, () => ({ name: 'mine' })),
    )
    const kernel = await kernelWith([use(base)])
    await (
      await reloaded(kernel, [use(base), replace('store', mine)])
    ).retired
    expect(kernel.scope.get(Store).name).toBe('mine')
    await (
      await reloaded(kernel, [use(base), without('store')])
    ).retired
    expect(ledger.trail).toEqual(['store up', 'mine up', 'store down', 'mine down'])
  })

  test('moves carried plugins to the new generation', async () => {
    const ledger = new Ledger()
    let current: SetupApi['generation'] | undefined
    const a = ledger.plugin('a', {}, (k) => {
      current = k.generation
    })
    const kernel = await kernelWith([use(a)])
    await reloaded(kernel, [use(a), use(ledger.plugin('b'))])
    expect(current?.()).toBe(kernel.current())
  })

  test('reloads asked for at once happen one after another', async () => {
    const ledger = new Ledger()
    const a = ledger.plugin('a')
    const kernel = await kernelWith([use(a)])
    await Promise.all([1, 2, 3].map((size) => kernel.reload([use(a, { size })])))
    expect(kernel.current().id).toBe(4)
    expect(inspectionOf(kernel).plugins[0]?.config).toEqual({ size: 3 })
  })
})

describe('a reload that fails', () => {
  test.each(['plan', 'setup', 'boot'] as const)(
    'in %s leaves the running generation in place',
    async (phase) => {
      const ledger = new Ledger()
      const [a, fresh] = [ledger.plugin('a'), ledger.plugin('fresh')]
      const broken = ledger.plugin(
        'broken',
        phase === 'plan' ? { requires: { store: Store } } : {},
        ({ onBoot }) => {
          if (phase === 'setup') throw new Error('boom')
          onBoot(() => {
            throw new Error('boom')
          })
        },
      )
      const kernel = await kernelWith([use(a)])
      const before = kernel.current()
      const done = await kernel.reload([use(a), use(fresh), use(broken)])
      expect(done).toMatchObject({
        ok: false,
        error: { kind: phase === 'plan' ? 'plan' : 'plugin' },
      })
      expect(kernel.current()).toBe(before)
      expect(before.signal.aborted).toBe(false)
      expect(ledger.count('a down')).toBe(0)
      expect(ledger.count('fresh up')).toBe(ledger.count('fresh down'))
      await reloaded(kernel, [use(a), use(fresh)])
      expect(inspectionOf(kernel).plugins.map(({ name }) => name)).toEqual(['a', 'fresh'])
    },
  )

  test('a plugin that only a new process can exchange says so', async () => {
    const ledger = new Ledger()
    const fixed = ledger.plugin('fixed', { reload: 'restart' })
    const kernel = await kernelWith([use(fixed)])
    expect(await kernel.reload([use(fixed, { size: 1 })])).toMatchObject({
      ok: false,
      error: { problems: [{ code: 'RESTART_NEEDED', plugins: ['fixed'] }] },
    })
    await reloaded(kernel, [use(fixed), use(ledger.plugin('other'))])
    expect(ledger.count('fixed up')).toBe(1)
  })

  test('a closed kernel is not reloaded', async () => {
    const kernel = await kernelWith([])
    await kernel.close()
    expect(await kernel.reload([])).toMatchObject({
      ok: false,
      error: { problems: [{ code: 'KERNEL_CLOSED' }] },
    })
  })
})

describe('a run in flight', () => {
  test('keeps its generation, with its old values, until it lets go', async () => {
    const ledger = new Ledger()
    const base = store(ledger)
    const kernel = await kernelWith([use(base)], { drainMs: 5_000 })
    const run = kernel.current()
    const release = run.acquire()
    const { retired } = await reloaded(kernel, [use(base, { size: 1 })])
    expect([run.scope.get(Store).name, kernel.scope.get(Store).name]).toEqual([
      'store 0',
      'store 1',
    ])
    expect([run.signal.aborted, run.held, ledger.count('store down')]).toEqual([false, 1, 0])
    release()
    release()
    await retired
    expect([run.signal.aborted, run.held, ledger.count('store down')]).toEqual([true, 0, 1])
  })

  test('is asked to hand over at the drain limit', async () => {
    const ledger = new Ledger()
    const base = store(ledger)
    const kernel = await kernelWith([use(base)], { drainMs: 20, graceMs: 5_000 })
    const run = kernel.current()
    const release = run.acquire()
    run.signal.addEventListener('abort', release)
    const { retired } = await reloaded(kernel, [use(base, { size: 1 })])
    await retired
    expect([run.signal.aborted, run.held, ledger.count('store down')]).toEqual([true, 0, 1])
  })

  test('keeps a plugin of two generations ago, which others still use, alive', async () => {
    const ledger = new Ledger()
    const [base, other] = [store(ledger), ledger.plugin('other')]
    const kernel = await kernelWith([use(base), use(other)], { drainMs: 5_000 })
    const release = kernel.current().acquire()
    const first = await reloaded(kernel, [use(base), use(other, { size: 1 })])
    const second = await reloaded(kernel, [use(base, { size: 1 }), use(other, { size: 1 })])
    await second.retired
    expect(ledger.count('store down')).toBe(0)
    release()
    await first.retired
    expect(ledger.trail.slice(-2)).toEqual(['other down', 'store down'])
  })
})

describe('an exclusive resource', () => {
  /** A port or a folder: taken twice it refuses. */
  class Port {
    holder: string | undefined
    take(name: string): void {
      if (this.holder !== undefined)
        throw new Error(`${name} cannot have it: ${this.holder} holds it`)
      this.holder = name
    }
  }

  const server = (ledger: Ledger, port: Port): Plugin =>
    ledger.plugin(
      'server',
      {
        reload: 'exclusive',
        provides: [Store],
        config: z.object({ size: z.number().default(0), breaks: z.boolean().default(false) }),
      },
      ({ provide, onBoot, config }) => {
        const { size, breaks } = config as { size: number; breaks: boolean }
        provide(Store, () => ({ name: `server ${size}` }))
        onBoot(() => {
          if (breaks) throw new Error('bad address')
          port.take(`server ${size}`)
          return () => {
            port.holder = undefined
          }
        })
      },
    )

  test('changes hands: the old holder and those who need it go first', async () => {
    const [ledger, port] = [new Ledger(), new Port()]
    const base = server(ledger, port)
    const reader = ledger.plugin('reader', { requires: { store: Store } })
    const other = ledger.plugin('other')
    const kernel = await kernelWith([use(base), use(reader), use(other)])
    const { carried } = await reloaded(kernel, [use(base, { size: 1 }), use(reader), use(other)])
    expect(ledger.trail).toEqual([
      'server up',
      'reader up',
      'other up',
      'reader down',
      'server down',
      'server up',
      'reader up',
    ])
    expect(carried).toEqual(['other'])
    expect(port.holder).toBe('server 1')
  })

  test('is given back when the new holder fails', async () => {
    const [ledger, port] = [new Ledger(), new Port()]
    const base = server(ledger, port)
    const reader = ledger.plugin('reader', { requires: { store: Store } })
    const kernel = await kernelWith([use(base), use(reader)])
    expect(await kernel.reload([use(base, { size: 1, breaks: true }), use(reader)])).toMatchObject({
      ok: false,
      error: { kind: 'plugin', error: { plugin: 'server' } },
    })
    expect(port.holder).toBe('server 0')
    expect(kernel.scope.get(Store).name).toBe('server 0')
    expect(kernel.current().signal.aborted).toBe(false)
    await kernel.close()
    expect(port.holder).toBeUndefined()
    expect(ledger.count('reader up')).toBe(ledger.count('reader down'))
  })

  test('waits for runs, and from then on none may begin in the old wiring', async () => {
    const [ledger, port] = [new Ledger(), new Port()]
    const base = server(ledger, port)
    const kernel = await kernelWith([use(base)], { drainMs: 5_000 })
    const old = kernel.current()
    const release = old.acquire()
    const change = kernel.reload([use(base, { size: 1 })])
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
    expect(port.holder).toBe('server 0')
    expect(old.signal.aborted).toBe(false)
    release()
    await change
    expect(old.signal.aborted).toBe(true)
    expect(kernel.current().signal.aborted).toBe(false)
    expect(kernel.current().scope.get(Store).name).toBe('server 1')
  })

  test('is carried over, not exchanged, when nothing of it changed', async () => {
    const [ledger, port] = [new Ledger(), new Port()]
    const base = server(ledger, port)
    const kernel = await kernelWith([use(base)])
    await reloaded(kernel, [use(base), use(ledger.plugin('other'))])
    expect(ledger.count('server up')).toBe(1)
  })
})

test('of 100 generations none outlives its reload', async () => {
  const ledger = new Ledger()
  const base = store(ledger)
  // Every way in which a plugin may hold on: taps, services, decorators, entries, logs, boot.
  const clingy = ledger.plugin(
    'clingy',
    { requires: { store: Store }, decorates: [slot.kernel<Named>('other')] },
    (k) => {
      k.hooks.kernel.drain.tap(() => k.log.info('drained'))
      k.decorate(slot.kernel<Named>('other'), (inner) => inner)
      k.add(Words, 'clingy', 'x')
      k.onBoot(() => () => k.log.info('down'))
    },
  )
  const other = ledger.plugin(
    'other',
    { provides: [slot.kernel<Named>('other')], requires: { store: Store } },
    ({ provide }) =>
      provide(slot.kernel<Named>('other'), (scope) => ({ name: scope.get(Store).name })),
  )
  const noisy = ledger.plugin('noisy', {}, ({ hooks, generation, onBoot }) => {
    hooks.kernel.drain.tap(() => void generation().id)
    onBoot(() => void generation().scope.get(Store))
  })
  const kernel = await kernelWith([use(base), use(other), use(clingy), use(noisy)])
  const old: WeakRef<object>[] = []
  const useAndReload = async (size: number): Promise<void> => {
    const now = kernel.current()
    now.scope.get(slot.kernel<Named>('other'))
    await now.hooks.kernel.drain.call('look')
    const release = now.acquire()
    await now.scope.child('session').close()
    release()
    old.push(new WeakRef(now))
    await (
      await reloaded(kernel, [use(base), use(other), use(clingy), use(noisy, { size })])
    ).retired
  }
  for (let size = 1; size <= 100; size++) await useAndReload(size)
  await collectGarbage()
  expect(old.flatMap((ref, index) => (ref.deref() === undefined ? [] : [index]))).toEqual([])
  expect(ledger.count('clingy up')).toBe(1)
  expect(ledger.count('noisy up') - ledger.count('noisy down')).toBe(1)
  await kernel.close()
})
