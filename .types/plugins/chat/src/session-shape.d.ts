import { type Caller, type JsonObject, type LastEnd, type PendingAsk, type SessionRow, type SessionView } from '@amodal/sdk';
/** `null` where no price is known. */
export declare const dollars: (cost: number | undefined) => number | null;
/** A question that waits, as clients see it. */
export declare const shownAsk: ({ id, type, call, schema, context, expires_at }: PendingAsk) => JsonObject;
/** A session in a list. `app` is the agent's name. */
export declare const summary: (row: SessionRow, app: string, { tenant }: Pick<Caller, 'tenant'>) => JsonObject;
/** What there is to be cancelled no more. */
export declare function statusAfter(lastEnd: LastEnd | undefined): 'idle' | 'complete' | 'canceled' | 'error';
/** One session with its history. `seq` is the last entry, a place to fork at. */
export declare const details: ({ row, state, asks, unknown, entries }: SessionView, app: string, caller: Pick<Caller, 'tenant'>) => JsonObject;
