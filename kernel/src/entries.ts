import type { Entry, Plugin, UseOptions } from './plugin.ts'

/**
 * The input type of a plugin's schema. A plugin whose type has no schema accepts any config here,
 * which is checked while planning.
 */
export type ConfigOf<P extends Plugin> = P extends Plugin<infer Config> ? Config : unknown

/**
 * Lists a plugin. If the list names the plugin more than once, the configs are merged one level
 * deep; arrays are replaced. A field that the plugin's schema does not know is refused, by the
 * compiler and by the plan.
 *
 * @example
 * use(memory, { maxEntries: 20 })
 */
export function use<P extends Plugin>(
  plugin: P,
  config?: ConfigOf<P>,
  options: UseOptions = {},
): Entry {
  return Object.freeze({ kind: 'use', plugin, config, options })
}

/** Puts another plugin in the place of one that is listed before. */
export function replace<P extends Plugin>(
  name: string,
  plugin: P,
  config?: ConfigOf<P>,
  options: UseOptions = {},
): Entry {
  return Object.freeze({ kind: 'replace', name, plugin, config, options })
}

/** Takes a plugin out. A pinned one needs `unsafe: true`, which is logged at every start. */
export function without(name: string, options: { readonly unsafe?: boolean } = {}): Entry {
  return Object.freeze({ kind: 'without', name, unsafe: options.unsafe === true })
}
