import { problem, type PlanProblem } from './plan.ts'
import type { Registry } from './token.ts'

/** Who added an entry; `instead` of whom, where it overrides one. */
interface Owner { readonly plugin: string; readonly override: boolean; readonly instead?: string }
interface Shelf { readonly id: string; readonly values: Map<string, unknown>; readonly owners: Map<string, Owner> }

/** The registries of one generation. Keys are owned; a clash names both owners. */
export class Registries {
  readonly all = new Map<symbol, Shelf>()

  /** An override wins whatever the order; two of the same sort under one key are a problem. */
  add({ id, key: token }: Registry<unknown>, key: string, value: unknown, plugin: string, override: boolean): PlanProblem | undefined {
    const { values, owners } = this.#shelf(id, token)
    const there = owners.get(key)
    if (there && (there.override === override || there.instead !== undefined)) {
      return problem('DUPLICATE_NAME', [plugin, there.plugin], `${plugin} and ${there.plugin} both add "${key}" to ${id}`,
        'use another key, or override it on purpose: `{ override: true }`')
    }
    const wins = !there || override
    if (wins) values.set(key, value)
    owners.set(key, wins ? { plugin, override, ...(there && { instead: there.plugin }) } : { ...there, instead: plugin })
    return undefined
  }

  /** The same map each time: taps may ask for it on every call. */
  view<T>({ id, key }: Registry<T>): ReadonlyMap<string, T> {
    // Entries are typed by their token where they are added.
    return this.#shelf(id, key).values as ReadonlyMap<string, unknown> as ReadonlyMap<string, T>
  }

  ownerOf(registry: Registry<unknown>, key: string): string | undefined {
    return this.all.get(registry.key)?.owners.get(key)?.plugin
  }

  #shelf(id: string, token: symbol): Shelf {
    const known = this.all.get(token)
    if (known) return known
    const made: Shelf = { id, values: new Map(), owners: new Map() }
    this.all.set(token, made)
    return made
  }
}
