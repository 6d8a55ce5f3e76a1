import type { Preset } from './define-preset.ts';
type Load<T> = () => Promise<{
    readonly default: T;
}>;
/** Presets by name, loaded when they are chosen. */
export declare const PRESETS: Readonly<Record<string, Load<Preset>>>;
/** Plugins that `plugins` in amodal.json may name without a path or package; a test compares it with the folders. */
export declare const PLUGINS: Readonly<Record<string, Load<unknown>>>;
/** Who fills a slot, for the fix in "nothing provides X". */
export declare const PROVIDERS: Readonly<Record<string, readonly string[]>>;
/** Builtin plugins that no preset lists, for those who name them in amodal.json. */
export declare const OPT_IN: readonly string[];
export {};
