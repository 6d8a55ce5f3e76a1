import { problem, type PlanProblem } from './plan.ts'

/** The plugin that added an entry; `instead`: the plugin whose entry it overrides. */
interface Owner {
  readonly plugin: string
  readonly override: boolean
  readonly instead?: string
}

/** The entries of one registry in one generation. Every key has one owner. */
export class Entries {
  readonly id: string
  readonly values = new Map<string, unknown>()
  readonly owners = new Map<string, Owner>()

  constructor(id: string) {
    this.id = id
  }

  /**
   * An override wins in any order. Two entries, or two overrides, of one key are a problem, unless
   * they are the same value: a plugin that is listed twice adds its constants twice.
   */
  add(key: string, value: unknown, plugin: string, override: boolean): PlanProblem | undefined {
    const there = this.owners.get(key)
    if (there && this.values.get(key) === value) return undefined
    if (there && (there.override === override || there.instead !== undefined)) {
      return problem(
        'DUPLICATE_NAME',
        [plugin, there.plugin],
        `${plugin} and ${there.plugin} both add "${key}" to ${this.id}`,
        'use another key, or override it on purpose: `{ override: true }`',
      )
    }
    if (there && !override) this.owners.set(key, { ...there, instead: plugin })
    else {
      this.values.set(key, value)
      this.owners.set(key, { plugin, override, ...(there && { instead: there.plugin }) })
    }
    return undefined
  }
}
