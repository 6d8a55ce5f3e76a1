import {
  definePlugin,
  explain,
  resolvePlan,
  slot,
  type Entry,
  type Plan,
  type PlanOptions,
  type Plugin,
} from '../src/index.ts'

export const Store = slot.kernel<{ readonly name: string }>('store')

export type Shape = Partial<Omit<Parameters<typeof definePlugin>[0], 'name' | 'setup'>>
export const make = (name: string, shape: Shape = {}): Plugin =>
  definePlugin({ name, version: '1.2.0', ...shape, setup: () => undefined })

export const store = make('store-memory', { provides: [Store] })
export const reader = make('reader', { requires: { store: Store } })

export function planOf(entries: readonly Entry[], options: PlanOptions = {}): Plan {
  const plan = resolvePlan(entries, options)
  if (!plan.ok) throw new Error(explain(plan.error))
  return plan.value
}

export const names = (plan: Plan): readonly string[] => plan.plugins.map(({ name }) => name)
