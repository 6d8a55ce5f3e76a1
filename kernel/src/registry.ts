import { problem, type PlanProblem } from './plan.ts'
import type { Registry } from './token.ts'

/** One entry as a plugin added it. */
export interface Addition { readonly registry: Registry<unknown>; readonly key: string; readonly value: unknown; readonly override: boolean }

interface Owned { readonly plugin: string; readonly addition: Addition; readonly instead: string | undefined }

/** The registries of one generation. Keys are owned; a clash names both owners. */
export class Registries {
  readonly #entries = new Map<symbol, { readonly id: string; readonly byKey: Map<string, Owned> }>()
  readonly #views = new Map<symbol, ReadonlyMap<string, unknown>>()

  /** An override wins whatever the order; two of the same sort under one key are a problem. */
  add(plugin: string, addition: Addition): PlanProblem | undefined {
    const { registry, key } = addition
    const { byKey } = this.#of(registry)
    const there = byKey.get(key)
    if (!there) {
      byKey.set(key, { plugin, addition, instead: undefined })
    } else if (there.addition.override === addition.override || there.instead !== undefined) {
      return problem('DUPLICATE_NAME', [plugin, there.plugin], `${plugin} and ${there.plugin} both add "${key}" to ${registry.id}`, 'use another key, or override it on purpose: `{ override: true }`')
    } else {
      const [winner, loser] = addition.override ? [{ plugin, addition }, there.plugin] : [there, plugin]
      byKey.set(key, { ...winner, instead: loser })
    }
    return undefined
  }

  /** Built once, on first use: taps may ask for it on every call. */
  view<T>(registry: Registry<T>): ReadonlyMap<string, T> {
    const known = this.#views.get(registry.key)
    // Entries are typed by their token where they are added.
    if (known) return known as ReadonlyMap<string, T>
    const { byKey } = this.#of(registry)
    const made = new Map([...byKey].map(([key, owned]) => [key, owned.addition.value]))
    this.#views.set(registry.key, made)
    return made as ReadonlyMap<string, T>
  }

  ownerOf(registry: Registry<unknown>, key: string): string | undefined {
    return this.#entries.get(registry.key)?.byKey.get(key)?.plugin
  }

  *list(): Iterable<{ readonly id: string; readonly key: string; readonly plugin: string; readonly instead: string | undefined }> {
    for (const { id, byKey } of this.#entries.values()) for (const [key, { plugin, instead }] of byKey) yield { id, key, plugin, instead }
  }

  #of(registry: Registry<unknown>): { readonly id: string; readonly byKey: Map<string, Owned> } {
    const known = this.#entries.get(registry.key)
    if (known) return known
    const made = { id: registry.id, byKey: new Map<string, Owned>() }
    this.#entries.set(registry.key, made)
    return made
  }
}
