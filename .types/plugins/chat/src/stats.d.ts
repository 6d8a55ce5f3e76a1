import type { JsonObject, SessionTotals } from '@amodal/sdk';
/** What a tenant's sessions came to, in tokens and dollars; sums of the sessions' own rows, which their journals add up to. */
export declare const stats: ({ sessions, inputTokens, outputTokens, cost, lastActive, models, agents }: SessionTotals) => JsonObject;
