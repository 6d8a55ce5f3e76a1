import { type Entry, type MustTap } from '@amodal/sdk';
/** A named list of plugins, and what must hold of it. Composition is concatenation; later entries win. */
export interface Preset {
    readonly name: string;
    readonly entries: readonly Entry[];
    /** Plugins that `without` removes only with `unsafe: true`. */
    readonly pinned: readonly string[];
    /** Hooks that these plugins must tap, or the kernel does not boot. */
    readonly mustTap: MustTap;
}
type Parts = Partial<Omit<Preset, 'name' | 'entries'>>;
/**
 * Makes a preset from lists of entries.
 *
 * @param parts what must hold of it; nothing where it is left out
 * @example
 * export const mine = definePreset('mine', [...embedded.entries, use(weather), without('knowledge')])
 */
export declare function definePreset(name: string, entries: readonly Entry[], parts?: Parts): Preset;
export {};
