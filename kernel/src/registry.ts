import { problem, type PlanProblem } from './plan.ts'

/** Who added an entry; `instead` of whom, where it overrides one. */
interface Owner {
  readonly plugin: string
  readonly override: boolean
  readonly instead?: string
}

/** The entries of one registry in one generation. Keys are owned; a clash names both owners. */
export class Entries {
  readonly id: string
  readonly values = new Map<string, unknown>()
  readonly owners = new Map<string, Owner>()

  constructor(id: string) {
    this.id = id
  }

  /** An override wins whatever the order; two of the same sort under one key are a problem. */
  add(key: string, value: unknown, plugin: string, override: boolean): PlanProblem | undefined {
    const there = this.owners.get(key)
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
