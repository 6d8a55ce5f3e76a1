import { type Entry, type KernelOptions, type Result, type Running, type StartError } from '@amodal/sdk';
import { type RuntimeSettings } from '@amodal/plugin-loop';
import { type WiringFailure, type WiringFile } from './read.ts';
export interface FolderOptions {
    /** Folder of the agent. */
    readonly dir: string;
    /** Stands for the environment of the process. */
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Wins over the one that amodal.json names; `dev` where neither does. */
    readonly preset?: string;
    readonly port?: number;
    readonly host?: string;
    /** Of `log-json`, where that is listed. */
    readonly logLevel?: string;
    /** Plugins to leave out, where they are listed. */
    readonly without?: readonly string[];
    /** Keeps sessions, documents and keys in memory: a look at the agent must not wait for whoever holds its data. */
    readonly inMemory?: boolean;
    /** Put last, so they win. */
    readonly entries?: readonly Entry[];
    readonly settings?: Partial<RuntimeSettings>;
}
export type FolderError = StartError | {
    readonly kind: 'config';
    readonly failure: WiringFailure;
};
/** What a folder is wired with: its preset, its own plugins, what the command line says. */
export interface Folder {
    readonly preset: string;
    readonly entries: readonly Entry[];
    readonly options: KernelOptions;
}
/**
 * Reads a folder and runs it.
 *
 * @example
 * const started = await startFolder({ dir: './my-agent', env: process.env })
 * if (!started.ok) throw new Error(explainStart(started.error))
 */
export declare function startFolder(options: FolderOptions): Promise<Result<Running, FolderError>>;
/**
 * Runs some plugins of a folder and what they need, for whoever tends its data: no agent, so nothing answers messages.
 *
 * @param names of the plugins
 */
export declare function startParts(options: FolderOptions, names: readonly string[]): Promise<Result<Pick<Running, 'kernel' | 'close'>, FolderError>>;
/** Reads how an agent folder is wired. Runs nothing of any plugin. */
export declare function readFolder(options: FolderOptions): Promise<Result<Folder, FolderError>>;
/** The same for a wiring that has been read. */
export declare function wireFolder(read: WiringFile, options: FolderOptions): Promise<Result<Folder, FolderError>>;
