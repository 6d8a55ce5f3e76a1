import type { Entry, Plugin, UseOptions } from '@amodal/kernel';
/** Lists a plugin. The same name again merges its config one level deep; arrays replace. */
export declare function use(plugin: Plugin, config?: unknown, options?: UseOptions): Entry;
/** Puts another plugin in the place of one that is listed before. */
export declare function replace(name: string, plugin: Plugin, config?: unknown, options?: UseOptions): Entry;
/** Takes a plugin out. A pinned one needs `unsafe: true`, which is told at every start. */
export declare function without(name: string, options?: {
    readonly unsafe?: boolean;
}): Entry;
