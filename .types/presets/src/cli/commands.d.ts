import { type Command } from '@amodal/sdk';
import { type FolderError, type FolderOptions } from '../config/start.ts';
/** The commands that the plugins of a folder contribute, until they are closed. */
export interface OpenCommands {
    readonly commands: ReadonlyMap<string, Command>;
    /** Why the folder's own plugins could not be asked: the commands are those of the standard preset then. */
    readonly problem: FolderError | undefined;
    close(): Promise<void>;
}
/**
 * Asks the plugins of a folder for their commands. They are set up for that, and nothing is started. Commands help to
 * put a broken folder right, so those of the standard preset are there whatever is wrong with it.
 */
export declare function openCommands(options: FolderOptions): Promise<OpenCommands>;
