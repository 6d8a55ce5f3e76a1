import { type Result } from '@amodal/sdk';
/**
 * Takes a file for as long as something is written beside it. An `Err` says that somebody else has it. Whoever died with
 * it, on this machine, has it no longer.
 *
 * @param staleMs after which whoever has it elsewhere is taken to have died: far more than the work takes
 * @param now ms since the epoch
 * @returns how to give it back
 */
export declare function takeLock(file: string, staleMs: number, now: number): Result<() => void, string>;
