import { replace, use, type Entry, type MustTap } from '@amodal/sdk'

/**
 * A named list of plugins, and what must hold of it. Composition is concatenation; later entries
 * win.
 */
export interface Preset {
  readonly name: string
  readonly entries: readonly Entry[]
  /** Plugins that `without` removes only with `unsafe: true`. */
  readonly pinned: readonly string[]
  /** Hooks that these plugins must tap, or the kernel does not boot. */
  readonly mustTap: MustTap
}

type Parts = Partial<Omit<Preset, 'name' | 'entries'>>

/**
 * Makes a preset from lists of entries.
 *
 * @param parts what must hold of it; nothing where it is left out
 * @example
 * export const mine = definePreset('mine', [
 *   ...embedded.entries,
 *   use(weather),
 *   without('knowledge'),
 * ])
 */
export function definePreset(name: string, entries: readonly Entry[], parts: Parts = {}): Preset {
  return Object.freeze({
    pinned: [],
    mustTap: {},
    ...parts,
    name,
    entries: Object.freeze(entries.map((entry) => fromPreset(name, entry))),
  })
}

/** Entries say where they are from, for `inspect`. */
function fromPreset(name: string, entry: Entry): Entry {
  if (entry.kind === 'without' || entry.options.source !== undefined) return entry
  const options = { ...entry.options, source: `preset ${name}` }
  return entry.kind === 'use'
    ? use(entry.plugin, entry.config, options)
    : replace(entry.name, entry.plugin, entry.config, options)
}
