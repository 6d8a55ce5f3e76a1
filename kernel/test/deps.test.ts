import { expect, onTestFinished, test } from 'vitest'
import { definePlugin, explain, Kernel, registry, slot, use } from '../src/index.ts'

const Name = slot.kernel<string>('deps-name')
const Cart = slot.session<{ readonly items: readonly string[] }>('deps-cart')
const Nobody = slot.run<string>('deps-nobody')
const Prices = registry<number>('deps-prices')

test('what a plugin asks for is there by its key, whatever its scope', async () => {
  const seen: unknown[] = []
  const created = await Kernel.create([
    use(
      definePlugin({
        name: 'shop',
        version: '1.0.0',
        provides: [Name, Cart],
        setup({ provide, add }) {
          provide(Name, () => 'bikes')
          provide(Cart, () => ({ items: ['bell'] }))
          add(Prices, 'bell', 7)
        },
      }),
    ),
    use(
      definePlugin({
        name: 'till',
        version: '1.0.0',
        requires: { name: Name, cart: Cart, prices: Prices },
        optional: { nobody: Nobody },
        setup({ deps, onBoot, generation }) {
          onBoot(() => {
            const scope = generation().scope.child('session')
            seen.push(deps.name, deps.cart({ scope }), deps.prices().get('bell'))
            seen.push(deps.nobody({ scope: scope.child('run') }))
            return async () => void (await scope.close())
          })
        },
      }),
    ),
  ])
  if (!created.ok) throw new Error(explain(created.error))
  const kernel = created.value
  onTestFinished(async () => void (await kernel.close('test')))
  expect(seen).toEqual(['bikes', { items: ['bell'] }, 7, undefined])
})
