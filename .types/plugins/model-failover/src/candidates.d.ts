import type { ModelConfig } from '@amodal/sdk';
/** One way to make a call: a model with one credential. */
export interface Candidate {
    /** Of the credential and the model: what cools down together. */
    readonly key: string;
    readonly profile: string;
    readonly config: ModelConfig;
}
/** A model with each of its credentials, then its fallback with each of its own, and so on. */
export declare function candidatesOf(wanted: ModelConfig): readonly Candidate[];
/** A hash, since a manifest may hold the credential itself. */
export declare function keyOf({ provider, model, baseUrl, apiKey, headers }: ModelConfig): string;
export declare const nameOf: ({ config: { provider, model }, profile }: Candidate) => string;
