import { describe, expect, test } from 'vitest'
import {
  definePlugin,
  PluginError,
  ScopeError,
  slot,
  use,
  type Scope,
  type SetupApi,
} from '../src/index.ts'
import { kernelWith } from './helpers.ts'

interface Named {
  readonly name: string
}
const Shop = slot.kernel<Named>('shop')
const Cart = slot.session<Named>('cart')
const Bill = slot.run<Named>('bill')
const Customer = slot.session<{ readonly id: string }>('customer')

const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  provides: [Shop],
  setup: ({ provide }) => provide(Shop, () => ({ name: 'shop' })),
})

async function scopeOf(
  provides: Parameters<typeof definePlugin>[0]['provides'],
  setup: (k: SetupApi) => void,
): Promise<Scope> {
  const kernel = await kernelWith([
    use(shop),
    use(
      definePlugin({
        name: 'maker',
        version: '1.0.0',
        requires: { shop: Shop },
        provides: provides ?? [],
        setup,
      }),
    ),
  ])
  return kernel.scope
}

const thrown = (act: () => unknown): unknown => {
  try {
    act()
  } catch (cause) {
    return cause
  }
  throw new Error('nothing was thrown')
}

describe('where a service lives', () => {
  test('a kernel service is one for all; a session service one per session, also when a run asks', async () => {
    let count = 0
    const kernel = await scopeOf([Cart], ({ provide }) =>
      provide(Cart, () => ({ name: `cart ${++count}` })),
    )
    const [ann, bob] = [kernel.child('session'), kernel.child('session')]
    const run = ann.child('run')
    expect(run.get(Cart)).toBe(ann.get(Cart))
    expect(ann.child('run').get(Cart)).toBe(ann.get(Cart))
    expect(bob.get(Cart)).not.toBe(ann.get(Cart))
    expect(run.get(Shop)).toBe(kernel.get(Shop))
    expect(count).toBe(2)
  })

  test('a factory gets the scope it makes for, and what lives above', async () => {
    const kernel = await scopeOf([Cart, Bill], ({ provide }) => {
      provide(Cart, (scope) => ({
        name: `cart of ${scope.get(Customer).id} in ${scope.get(Shop).name}`,
      }))
      provide(Bill, (scope) => ({ name: `bill for ${scope.get(Cart).name}` }))
    })
    const run = kernel.child('session', [[Customer, { id: 'ann' }]]).child('run')
    expect(run.get(Bill).name).toBe('bill for cart of ann in shop')
  })

  test('seeds are seen below, and not beside', async () => {
    const kernel = await scopeOf([], () => undefined)
    const session = kernel.child('session', [[Customer, { id: 'ann' }]])
    expect(session.child('run').get(Customer).id).toBe('ann')
    expect(kernel.child('session').has(Customer)).toBe(false)
  })

  test('asking from too high up is a leak, and says so', async () => {
    const kernel = await scopeOf([Cart], ({ provide }) => provide(Cart, () => ({ name: 'cart' })))
    expect(thrown(() => kernel.get(Cart))).toMatchObject({
      code: 'SCOPE_LEAK',
      message: 'scope leak: "cart" lives per session, but was requested from the kernel scope',
    })
    expect(thrown(() => kernel.child('session').get(Bill))).toMatchObject({ code: 'SCOPE_LEAK' })
    expect(thrown(() => kernel.child('run').child('session'))).toBeInstanceOf(ScopeError)
  })

  test('a leak inside a factory is the fault of its plugin', async () => {
    const Sign = slot.kernel<Named>('sign')
    const wrong = definePlugin({
      name: 'wrong',
      version: '1.0.0',
      provides: [Sign],
      requires: { cart: Cart },
      setup: ({ provide }) => provide(Sign, (scope) => scope.get(Cart)),
    })
    const cart = definePlugin({
      name: 'carts',
      version: '1.0.0',
      provides: [Cart],
      setup: ({ provide }) => provide(Cart, () => ({ name: 'cart' })),
    })
    const kernel = await kernelWith([use(cart), use(wrong)])
    expect(thrown(() => kernel.scope.get(Sign))).toMatchObject({
      plugin: 'wrong',
      phase: 'provide',
      where: 'sign',
      cause: { code: 'SCOPE_LEAK' },
    })
  })

  test('a slot without a provider is missing, or undefined for `find`', async () => {
    const kernel = await scopeOf([], () => undefined)
    expect(thrown(() => kernel.child('session').get(Cart))).toMatchObject({
      code: 'MISSING_PROVIDER',
      message: 'nothing provides "cart"',
    })
    expect(kernel.child('session').find(Cart)).toBeUndefined()
    expect(kernel.find(Shop)?.name).toBe('shop')
    expect(kernel.has(Shop)).toBe(true)
  })

  test('a kernel-scope factory reaches only what its plugin declared', async () => {
    const Sign = slot.kernel<Named>('sign')
    const kernel = await kernelWith([
      use(shop),
      use(
        definePlugin({
          name: 'sly',
          version: '1.0.0',
          provides: [Sign],
          setup: ({ provide }) => provide(Sign, (scope) => scope.get(Shop)),
        }),
      ),
    ])
    expect(thrown(() => kernel.scope.get(Sign))).toMatchObject({
      plugin: 'sly',
      cause: { code: 'UNDECLARED' },
    })
  })
})

describe('when a factory fails', () => {
  test('its plugin is named, and the next one to ask tries again', async () => {
    let broken = true
    const kernel = await scopeOf([Cart], ({ provide }) =>
      provide(Cart, () => {
        if (broken) throw new Error('no wheels')
        return { name: 'cart' }
      }),
    )
    const session = kernel.child('session')
    const error = thrown(() => session.get(Cart))
    expect(PluginError.is(error)).toBe(true)
    expect(error).toMatchObject({
      plugin: 'maker',
      phase: 'provide',
      where: 'cart',
      message: '[maker] failed in provide cart: no wheels',
    })
    broken = false
    expect(session.get(Cart).name).toBe('cart')
  })

  test('services that wait for each other are a circle, with its path', async () => {
    const [Hen, Egg] = [slot.session<Named>('hen'), slot.session<Named>('egg')]
    const kernel = await scopeOf([Hen, Egg], ({ provide }) => {
      provide(Hen, (scope) => ({ name: `hen from ${scope.get(Egg).name}` }))
      provide(Egg, (scope) => ({ name: `egg from ${scope.get(Hen).name}` }))
    })
    expect(thrown(() => kernel.child('session').get(Hen))).toMatchObject({
      plugin: 'maker',
      cause: { code: 'CYCLE', message: expect.stringContaining('hen -> egg -> hen') },
    })
  })
})

describe('decorators', () => {
  test('wrap in plan order, before anyone sees the service', async () => {
    const wrapper = (name: string) =>
      definePlugin({
        name,
        version: '1.0.0',
        decorates: [Shop],
        setup: ({ decorate }) => decorate(Shop, (inner) => ({ name: `${name}(${inner.name})` })),
      })
    const seen: string[] = []
    const reader = definePlugin({
      name: 'reader',
      version: '1.0.0',
      requires: { shop: Shop },
      setup: ({ deps }) => {
        seen.push(deps.shop.name)
      },
    })
    await kernelWith([use(reader), use(wrapper('inner')), use(wrapper('outer')), use(shop)])
    expect(seen).toEqual(['outer(inner(shop))'])
  })

  test('a decorator that throws is blamed, not the provider', async () => {
    const bad = definePlugin({
      name: 'bad',
      version: '1.0.0',
      decorates: [Shop],
      setup: ({ decorate }) =>
        decorate(Shop, () => {
          throw new Error('torn')
        }),
    })
    const kernel = await kernelWith([use(shop), use(bad)])
    expect(thrown(() => kernel.scope.get(Shop))).toMatchObject({
      plugin: 'bad',
      where: 'decorator of shop',
    })
  })
})

describe('closing', () => {
  test('undoes last made first, children before their parent, and goes on past errors', async () => {
    const undone: string[] = []
    const kernel = await scopeOf([Cart, Bill], ({ provide }) => {
      provide(Cart, (scope) => {
        scope.onClose(() => {
          undone.push('cart 1')
        })
        scope.onClose(() => {
          throw new Error('stuck')
        })
        scope.onClose(async () => {
          undone.push('cart 2')
        })
        return { name: 'cart' }
      })
      provide(Bill, (scope) => {
        scope.onClose(() => {
          undone.push('bill')
        })
        return { name: 'bill' }
      })
    })
    const session = kernel.child('session')
    session.get(Cart)
    session.child('run').get(Bill)
    const errors = await session.close()
    expect(undone).toEqual(['bill', 'cart 2', 'cart 1'])
    expect(errors).toMatchObject([{ plugin: 'maker', phase: 'teardown', where: 'session scope' }])
    expect(await session.close()).toEqual([])
    expect(thrown(() => session.get(Cart))).toMatchObject({ code: 'KERNEL_CLOSED' })
  })

  test('a teardown may still use services that were created earlier', async () => {
    const teardowns: string[] = []
    const kernel = await scopeOf([Cart, Bill], ({ provide }) => {
      provide(Cart, () => ({ name: 'cart' }))
      provide(Bill, (scope) => {
        scope.onClose(() => {
          teardowns.push(`bill of ${scope.get(Cart).name} undone`)
        })
        return { name: 'bill' }
      })
    })
    const session = kernel.child('session')
    session.child('run').get(Bill)
    await session.close()
    expect(teardowns).toEqual(['bill of cart undone'])
  })

  test('a scope where nothing is made costs nothing to close', async () => {
    const kernel = await scopeOf([], () => undefined)
    expect(await kernel.child('session').close()).toEqual([])
  })
})
