import { type PlanProblem } from '@amodal/kernel';
import type { StartError } from './start.ts';
/**
 * Says what went wrong, where, and what to do about it: every problem of a plan, one line each; or the one plugin or file that
 * is at fault. For a person at a terminal.
 *
 * @param what what `startAgent`, `Kernel.create`, `kernel.reload` or `resolvePlan` refused with
 * @example
 * const started = await startAgent(entries)
 * if (!started.ok) throw new Error(explain(started.error))
 */
export declare function explain(what: StartError | readonly PlanProblem[]): string;
