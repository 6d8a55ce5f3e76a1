import { type BundleFile, type Failure, type Result } from '@amodal/sdk';
import type { HandlerTool } from './custom-tool.ts';
import { type Sources } from './digest.ts';
import { KeptCode } from './kept-code.ts';
import { HandlerProcess, type LoadFailure, type ProcessLimits } from './process/handler-process.ts';
import { type Launcher, type Machine, type Place } from './process/launcher.ts';
/** The parts of a handler that its process is made from. */
export type Code = Pick<HandlerTool, 'entry' | 'folder' | 'language' | 'shared'>;
/** An interpreter with what it has to read besides the handler's own code. */
interface Interpreter {
    readonly argv: readonly string[];
    readonly readable: readonly string[];
}
/** It stands with the sources: each of its processes is started by its path. */
export declare const CHILD: string;
/** Starts handlers in processes of their own. */
export declare class Handlers {
    #private;
    readonly launcher: Launcher;
    readonly limits: ProcessLimits;
    readonly kept: KeptCode;
    constructor(launcher: Launcher, limits: ProcessLimits, heapMb: number);
    /**
     * Starts a process with this handler in it. With `loaded`, it is the code that was loaded: what a person approved is not
     * exchanged for something else between two looks. Where other files stand there by now, those of the bundle are taken.
     */
    start(root: string, code: Code, env: Readonly<Record<string, string>>, { loaded, describe, signal }: {
        readonly loaded?: {
            readonly digest: string;
            readonly files: readonly BundleFile[];
        };
        readonly describe?: boolean;
        readonly signal: AbortSignal;
    }): Promise<Result<HandlerProcess, LoadFailure>>;
    /** Starts the handler that tries what none may do, in a sandbox that is looked at. */
    startAttempts(machine: Machine, signal: AbortSignal): Promise<Result<HandlerProcess, LoadFailure>>;
    /** A handler stands in its folder, and sees no more than that and what is shared. */
    place(root: string, code: Code): Place;
    interpreter(root: string, { folder, language }: Code): Promise<Result<Interpreter, Failure>>;
}
/** What belongs to a handler's code: its own folder or file, and what all handlers share. */
export declare function sourcesOf(root: string, { entry, folder, shared }: Code): Sources;
/** The folders and files of `tools/` that begin with `_`. */
export declare function sharedIn(files: readonly {
    readonly path: string;
}[]): readonly string[];
export {};
