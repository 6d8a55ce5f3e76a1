import { type AgentBundle, type BundleIssue, type Generation } from '@amodal/sdk';
/**
 * Whether the agent's models can be asked: their providers are there, and their keys are set.
 *
 * @param ask each model for one word, which costs a few tokens: only that shows that a key works
 */
export declare function checkModels(bundle: AgentBundle, generation: Generation, ask: boolean, signal: AbortSignal): Promise<readonly BundleIssue[]>;
