import { type Failure, type Result } from '@amodal/sdk';
import type { HandlerProcess } from './handler-process.ts';
import { type Attempt, type Sandbox } from './levels.ts';
import type { Machine } from './launcher.ts';
/** What became of each attempt, tried from inside of a real handler's process. */
export interface Proof {
    readonly sandbox: Sandbox;
    readonly attempts: Readonly<Record<Attempt, 'stopped' | 'reached'>>;
    /** What the sandbox is said to stop, and does not; where there is nothing, the proof holds. */
    readonly missing: readonly Attempt[];
}
/** Starts a process with the handler of `child/attempts.ts` in it. */
export type StartAttempts = (machine: Machine, signal: AbortSignal) => Promise<Result<HandlerProcess, Failure>>;
/**
 * Tries, from a handler's process in this sandbox, what no handler may do, and looks from outside at what came of it. Files that
 * the server itself could read are there to be found, and a port of this machine listens: what was not reached was stopped.
 *
 * @param root of the agent: its own `.env` and keys are tried, too
 */
export declare function prove(machine: Machine, network: boolean, root: string | undefined, start: StartAttempts, signal: AbortSignal): Promise<Result<Proof, Failure>>;
