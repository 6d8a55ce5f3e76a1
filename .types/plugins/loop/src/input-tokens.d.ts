import type { Counted, ModelCall } from '@amodal/sdk';
/** An estimate. */
export declare const tokensOf: (text: string) => number;
/**
 * Tokens that a call sends: what its provider counted last, and an estimate of what came since. Budgets need it before the
 * call; afterwards the provider's own number counts.
 */
export declare function inputTokens({ system, tools, messages }: Pick<ModelCall, 'system' | 'tools' | 'messages'>, counted: Counted | undefined): number;
