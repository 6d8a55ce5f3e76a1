import type { Entry, KernelOptions, RuntimeSettings } from '@amodal/kernel'

/** A named list of plugins, and what must hold of it. Composition is concatenation; later entries win. */
export interface Preset {
  readonly name: string
  readonly entries: readonly Entry[]
  /** Plugins that `without` removes only with `unsafe: true`. */
  readonly pinned: readonly string[]
  /** Hooks that these plugins must tap, or the kernel does not boot. */
  readonly mustTap: NonNullable<KernelOptions['mustTap']>
  readonly settings: Partial<RuntimeSettings>
}

type Parts = Partial<Omit<Preset, 'name' | 'entries'>>

/**
 * Makes a preset from lists of entries.
 *
 * @example
 * export const mine = definePreset('mine', [...embedded.entries, use(weather), without('knowledge')])
 */
export function definePreset(name: string, entries: readonly Entry[], parts: Parts = {}): Preset {
  return Object.freeze({ name, entries: Object.freeze([...entries]), pinned: parts.pinned ?? [], mustTap: parts.mustTap ?? {}, settings: parts.settings ?? {} })
}
