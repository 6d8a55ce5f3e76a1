import { type AgentBundle, type BundleIssue, type Logger } from '@amodal/sdk';
import type { Rewiring } from './tokens.ts';
/** Follows the wiring that the manifest asks for. Most edits leave it alone, and then nothing is wired anew. */
export declare class WiringWatch {
    #private;
    /** Why the wiring that is asked for is not the one there is. */
    problem: string | undefined;
    constructor(rewire: Rewiring | undefined, log: Logger);
    /** What is wrong with the wiring of files that are to be used. */
    check(bundle: AgentBundle): Promise<readonly BundleIssue[]>;
    used(bundle: AgentBundle): void;
}
