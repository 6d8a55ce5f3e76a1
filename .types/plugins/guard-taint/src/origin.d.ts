import type { JsonObject } from '@amodal/sdk';
import type { Chosen } from './chosen.ts';
import type { Source } from './corpus.ts';
/** Where a value of a call is from: a result, or nobody knows. What a person or the agent's files say has none. */
export interface Origin extends Chosen {
    readonly from: {
        readonly tool: string;
        readonly call: string;
        readonly excerpt: string;
    } | 'unknown';
}
export declare function originOf({ field, value }: Chosen, source: Source | undefined): Origin;
/** Of a result that nobody may read, the tool is named, and nothing around the value is shown. */
export declare function shownOrigin(origin: Origin, isPrivate: (tool: string) => boolean): Origin;
/** The context of an approval: each origin once. */
export declare function originsContext(origins: readonly Origin[]): JsonObject;
/** In one sentence, for the person who decides. */
export declare function reasonOf(origins: readonly Origin[]): string;
