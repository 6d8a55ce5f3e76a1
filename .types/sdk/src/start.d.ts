import { Kernel, type Entry, type Failure, type KernelError, type KernelOptions, type Result } from '@amodal/kernel';
import type { BundleIssue } from './ports/bundle.ts';
import { Agent } from './ports/agent.ts';
export type StartError = KernelError | {
    readonly kind: 'agent';
    readonly failure: Failure & {
        readonly issues?: readonly BundleIssue[];
    };
};
/** A kernel and the agent it runs. */
export interface Running {
    readonly kernel: Kernel;
    readonly agent: Agent;
    readonly close: (reason?: string) => Promise<void>;
}
/**
 * Wires the plugins and hands out the agent that one of them (`loop`) runs.
 *
 * @example
 * const started = await startAgent(embedded.entries)
 * if (!started.ok) throw new Error(explain(started.error))
 * const { agent, close } = started.value
 */
export declare function startAgent(entries: readonly Entry[], options?: KernelOptions): Promise<Result<Running, StartError>>;
