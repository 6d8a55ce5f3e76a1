import { type Failure, type Result } from '@amodal/sdk';
import type { Sandbox } from './levels.ts';
export interface LauncherOptions {
    /** The first that works here is taken. */
    readonly sandboxes: readonly Sandbox[];
    /** Left to programs that are kept apart. */
    readonly network: boolean;
    /** Where the server is root: the first of 512 numbers of users that handlers may be. */
    readonly users: number;
    /** MB that a program may take for its data, beside what Node takes for doing nothing. */
    readonly memoryMb: number;
    /** Where programs are looked for, as in `PATH`. */
    readonly path: () => string;
    /** Is told once what handlers are wrapped in here. */
    readonly found: (sandbox: Sandbox) => void;
    /** Whether a sandbox that starts is good enough; without it, it is. */
    readonly accept?: (machine: Machine) => Promise<Result<void, Failure>>;
}
/** Where a program runs, and what it can read where bubblewrap shows it no more than that. */
export interface Place {
    readonly cwd: string;
    readonly readable: readonly string[];
}
export interface Command {
    readonly file: string;
    readonly args: readonly string[];
    /** To be called once it has ended: lets go of what it was given, and ends what it has left behind. */
    readonly after?: () => void;
}
/** What was found out about this machine. */
export interface Machine {
    readonly sandbox: Sandbox;
    /** KB of data that Node counts before it runs anything: mostly room that V8 reserves. Not known everywhere. */
    readonly nodeKb: number | undefined;
}
/** Puts together how a program is started so that it can do as little as possible on its own. */
export declare class Launcher {
    #private;
    readonly options: LauncherOptions;
    constructor(options: LauncherOptions);
    /** What handlers are wrapped in here; found out once, by starting something in it. */
    sandbox(): Promise<Result<Sandbox, Failure>>;
    machine(): Promise<Result<Machine, Failure>>;
    command(argv: readonly string[], place: Place): Promise<Result<Command, Failure>>;
    /** Resolves when nothing is left of those that have ended. */
    settled(): Promise<void>;
    /** The real interpreter: what stands in `PATH` may be a script that needs more than handlers have. */
    python(): Promise<Result<string, Failure>>;
    /** A program by its name, as a shell would find it. */
    find(name: string): string | undefined;
    /** The same in a sandbox that is only looked at. */
    commandIn({ sandbox, nodeKb }: Machine, argv: readonly string[], place: Place): Command;
}
/** Folders that an interpreter needs to read. */
export declare const homeOf: (interpreter: string) => string;
