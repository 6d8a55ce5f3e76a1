import type { Entry, Plugin, UseOptions } from '@amodal/kernel'

/** Lists a plugin. The same name again merges its config one level deep; arrays replace. */
export function use(plugin: Plugin, config?: unknown, options: UseOptions = {}): Entry {
  return Object.freeze({ kind: 'use', plugin, config, options })
}

/** Puts another plugin in the place of one that is listed before. */
export function replace(name: string, plugin: Plugin, config?: unknown, options: UseOptions = {}): Entry {
  return Object.freeze({ kind: 'replace', name, plugin, config, options })
}

/** Takes a plugin out. A pinned one needs `unsafe: true`, which is told at every start. */
export function without(name: string, options: { readonly unsafe?: boolean } = {}): Entry {
  return Object.freeze({ kind: 'without', name, unsafe: options.unsafe === true })
}
