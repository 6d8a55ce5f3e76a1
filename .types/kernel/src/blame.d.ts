import { PluginError, type PluginPhase } from './errors.ts';
/** The error of a plugin, whoever it was thrown at: what is blamed already stays as it is. */
export declare function blame(plugin: string, phase: PluginPhase, where: string, cause: unknown): PluginError;
export type Teardown = () => void | Promise<void>;
/** One thing to undo, and who is to blame where that fails. */
export interface Undo {
    readonly plugin: string;
    readonly where: string;
    readonly undo: Teardown;
}
/** Empties the list, last made first. An error never stops the next one; all are returned. */
export declare function undoAll(undos: Undo[]): Promise<readonly PluginError[]>;
