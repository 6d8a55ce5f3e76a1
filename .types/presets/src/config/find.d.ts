import { type Failure, type Plugin, type Result } from '@amodal/kernel';
export interface FoundPlugin {
    readonly plugin: Plugin;
    /** `builtin`, or the path or package it is from. */
    readonly source: string;
}
/**
 * Finds a plugin by what amodal.json says: a path (`./`, `../`, `/`, `file:`), the name of a builtin, or the exact
 * name of a package, which is resolved from the folder of amodal.json and never installed on the fly.
 *
 * @returns the plugin and where it is from; `PLUGIN_NOT_FOUND`, `NOT_A_PLUGIN`, or `PLUGIN_FAILED` where it throws while it is loaded
 */
export declare function findPlugin(name: string, configFile: string): Promise<Result<FoundPlugin, Failure>>;
