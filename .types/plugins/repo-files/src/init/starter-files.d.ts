import type { Starter } from './providers.ts';
/** Folders that are there from the beginning, for what is to come. */
export declare const EMPTY_FOLDERS: readonly ['connections', 'automations', 'evals'];
export interface StarterFile {
    readonly path: string;
    readonly text: string;
}
/** The files of a new agent; the manifest last, since it is what makes the folder one. */
export declare const starterFiles: (name: string, provider: Starter | undefined) => readonly StarterFile[];
