// Checked by the compiler alone, as part of `tsc`: each marked line must not compile.
import {
  definePlugin,
  parallel,
  defineHook,
  hooksOf,
  registry,
  replace,
  slot,
  use,
  type Generation,
  type Kernel,
  type MustTap,
  type Plugin,
  type PreparedCall,
  type RunContext,
  type Scope,
} from '@amodal/sdk'
import { verdict } from '@amodal/sdk/loop'
import { z } from 'zod'

interface Store {
  get(key: string): string | undefined
}
const Store = slot.kernel<Store>('types-store')
const Cart = slot.session<{ readonly items: readonly string[] }>('types-cart')
const Mail = slot.kernel<{ send(to: string): void }>('types-mail')
const Prices = registry<{ readonly cents: number }>('types-prices')
const Sold = defineHook('types.sold', parallel<[item: string, cents: number]>({ onError: 'skip' }))

export const typed = definePlugin({
  name: 'typed',
  version: '1.0.0',
  requires: { store: Store, cart: Cart, prices: Prices },
  optional: { mail: Mail },
  provides: [Mail],
  decorates: [Store],
  config: z.object({ size: z.number().default(1), tags: z.array(z.string()).optional() }),
  adjustConfig: (raw, env) => ({ ...raw, size: Number(env['SIZE']) }),
  setup({ config, deps, hooks, tap, provide, add, decorate, onBoot, generation }) {
    const size: number = config.size
    const found: string | undefined = deps.store.get(String(size))
    deps.mail?.send(found ?? '')
    // @ts-expect-error an optional dependency may be absent
    deps.mail.send('x')
    // @ts-expect-error lives per session, so it is looked up in a scope
    void deps.cart
    // @ts-expect-error registries are read per use, through the generation
    void deps.prices
    // @ts-expect-error not declared
    void deps.clock
    // @ts-expect-error config is what the schema says
    void config.length

    provide(Mail, (scope) => ({ send: (to) => void scope.find(Store)?.get(to) }))
    // @ts-expect-error not among `provides`
    provide(Cart, () => ({ items: [] }))
    // @ts-expect-error the wrong shape
    provide(Mail, () => ({ receive: () => undefined }))
    decorate(Store, (inner) => ({ get: (key) => inner.get(key.trim()) }))
    // @ts-expect-error not among `decorates`
    decorate(Mail, (inner) => inner)
    add(Prices, 'apple', { cents: 50 })
    // @ts-expect-error the wrong shape
    add(Prices, 'pear', { euros: 1 })

    hooks.tool.guard.tap(
      (verdict, call, ctx, { signal }) =>
        signal.aborted || ctx.step > 3 ? verdict.raise('deny', call.tool.name) : undefined,
      { stage: 'guard' },
    )
    hooks.event.emit.tap((event) => event)
    hooks.run.start.tap(async () => ({ deny: true, reason: 'budget_exceeded', message: 'no more' }))
    // @ts-expect-error a verdict is an object, never a boolean
    hooks.run.start.tap(() => false)
    // @ts-expect-error this hook is synchronous
    hooks.event.emit.tap(async (event) => event)
    // @ts-expect-error this one too, although it wants nothing back
    hooks.event.sent.tap(async () => undefined)
    // @ts-expect-error no such hook
    void hooks.tool.before
    // @ts-expect-error no such stage
    hooks.tool.guard.tap(() => undefined, { stage: 'before' })
    // @ts-expect-error plugins tap, they do not call
    void hooks.tool.guard.call

    tap(Sold, (item, cents, { signal }) => void [item.length, cents, signal.aborted])
    // @ts-expect-error the wrong arguments
    tap(Sold, (item: number) => void item)
    onBoot(async (signal) => () => void signal.aborted)
    // @ts-expect-error what boot returns undoes it
    onBoot(() => 'booted')
    void generation().registry(Prices).get('apple')?.cents
  },
})

export async function inUse(generation: Generation, scope: Scope, kernel: Kernel): Promise<void> {
  const items: readonly string[] = scope.get(Cart).items
  const session = scope.child('session', [[Cart, { items }]])
  // @ts-expect-error the value does not fit the slot
  scope.child('session', [[Cart, { items: 'none' }]])
  // @ts-expect-error there is one kernel scope
  scope.child('kernel')
  void session.find(Store)?.get('x')

  const sold = await generation.hook(Sold).call('apple', 50)
  if (!sold.ok) void sold.error.plugin
  const routed = await generation.hooks.kernel.drain.call('stop')
  if (routed.ok) {
    const nothing: void = routed.value
    return nothing
  }
  // @ts-expect-error the wrong argument
  await generation.hooks.kernel.drain.call(1)
  void kernel.current().ownerOf(Prices, 'apple').length
}

export async function guarded(
  generation: Generation,
  call: PreparedCall,
  ctx: RunContext,
): Promise<void> {
  const { tool, kernel } = hooksOf(generation)
  const heard = await tool.guard.call(verdict(), call, ctx)
  if (heard.ok) void heard.value.reasons.length
  // @ts-expect-error the call is missing
  await tool.guard.call(verdict(), ctx)
  await kernel.drain.call('stop')
  // @ts-expect-error the kernel calls its own hooks only
  void generation.hooks.tool
}

export const demanded: MustTap = { 'tool.guard': ['guard'], 'event.emit': ['guard'] }
// @ts-expect-error no such hook
export const misspelt: MustTap = { 'tool.guards': ['guard'] }

// @ts-expect-error a plugin needs a setup
definePlugin({ name: 'idle', version: '1.0.0' })

use(typed, { size: 2 })
// @ts-expect-error its schema has no such field
use(typed, { sise: 2 })
// @ts-expect-error another type
replace('typed', typed, { size: 'two' })
const plain = definePlugin({ name: 'plain', version: '1.0.0', setup: () => undefined })
// @ts-expect-error it takes no configuration
use(plain, { size: 2 })
// What was read from a file is checked while planning.
use<Plugin>(typed, { sise: 2 })
