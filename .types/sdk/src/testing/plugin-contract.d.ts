import { type Entry, type KernelOptions, type Plugin, type UseOptions } from '@amodal/kernel';
export interface PluginContractOptions {
    /** A config that works. */
    readonly config?: unknown;
    /** What the plugin needs: entries that provide its slots. */
    readonly with?: readonly Entry[];
    /** How a list would name it, such as `{ trusted: true }` for one that seals. */
    readonly use?: UseOptions;
    /** Options for the kernel, such as `services`. */
    readonly kernel?: KernelOptions;
}
/**
 * What every plugin must do, as a block of tests: valid metadata, readable config errors, a setup without I/O,
 * errors that carry its name, and a life that leaves nothing behind. Ours pass the same kit.
 *
 * @example
 * pluginContract(jira, { config: { url: 'http://127.0.0.1:8080' }, with: [use(secretsInline)] })
 */
export declare function pluginContract(plugin: Plugin, options?: PluginContractOptions): void;
