import { type Entry } from '@amodal/sdk';
/** What every preset has: secrets, the way out, the prompt, the agent's own parts, its models and tools, and the guards. Tools that are code are listed by each preset. */
export declare const base: readonly Entry[];
