import { type StarterFile } from './starter-files.ts';
export interface Written {
    readonly made: readonly string[];
    readonly kept: readonly string[];
}
/** Writes the files that are not there, one after the other. Throws what the system says. */
export declare function writeFolder(dir: string, files: readonly StarterFile[]): Promise<Written>;
