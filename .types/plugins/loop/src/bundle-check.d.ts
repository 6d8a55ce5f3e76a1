import { type AgentBundle, type AgentHooks, type BundleFailure, type BundleSource, type HeldEdits, type Result } from '@amodal/sdk';
interface Place {
    readonly hooks: AgentHooks['bundle'];
    readonly source: BundleSource;
    readonly inUse: AgentBundle | undefined;
}
/**
 * Lets plugins read and check a bundle. At a start it serves with what could be read; later, it must have no error that the
 * bundle in use has not: a broken edit changes nothing.
 */
export declare function examineBundle(candidate: AgentBundle, { hooks, source, inUse }: Place): Promise<Result<AgentBundle, BundleFailure>>;
/** What `/health` says while edits are held back. */
export declare const heldProblem: ({ issues }: HeldEdits) => BundleFailure;
export {};
