import { type JsonObject } from '@amodal/sdk';
/**
 * Of what a call asks for: equal for calls that are the same or nearly. Case, spacing and empty arguments do not matter,
 * nor the order and the small words of a sentence. Numbers, ids and pages do: the next page is another call.
 *
 * @param tool its name
 */
export declare function likenessOf(tool: string, args: JsonObject): string;
