import { type Failure, type Json, type Lease, type Result } from '@amodal/sdk';
import type { Launcher, Place } from './launcher.ts';
export interface Execution {
    /** A line for the shell, or a program with its arguments. */
    readonly command: string | readonly string[];
    readonly cwd: string;
    readonly timeoutMs: number;
    /** Of the session that it is done for: read in the tick that starts it. */
    readonly lease: Lease;
}
/** Runs a command with nothing of our environment but `PATH`. When its time is over, its whole group is. */
export declare function execute({ command, cwd, timeoutMs, lease }: Execution, place: Place, launcher: Launcher, signal: AbortSignal): Promise<Result<Json, Failure>>;
