import { type Action, type ContextInjection, type Failure, type Json, type Result } from '@amodal/sdk';
import type { Query } from './query.ts';
/** A request on its way out: the action, and what the connection adds to it. */
export interface Draft {
    /** Encoded. */
    readonly path: string;
    readonly query: Query;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Json;
}
export declare const draftOf: ({ path, query, headers, body }: Action) => Draft;
/**
 * Puts withheld values in the place of their handles, in every text that the caller passed. What was judged holds the
 * handle, so a value may be no more than a name: in the path it cannot lead elsewhere.
 */
export declare function reveal(draft: Draft, valueOf: (text: string) => Result<string, Failure>): Result<Draft, Failure>;
/** Puts values of who asks to their places, over whatever is there. */
export declare function inject(draft: Draft, injections: readonly ContextInjection[], valueOf: (name: string) => string | undefined): Result<Draft, Failure>;
/** Sets a field of the body (`a.b` is one further down); of each item, where the body is a list. */
export declare function intoBody(draft: Draft, field: string, value: Json): Result<Draft, Failure>;
