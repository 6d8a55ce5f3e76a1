import { type JsonObject, type Result, type StoreDefinition, type StoreQuery } from '@amodal/sdk';
export interface AskedQuery {
    readonly filter?: JsonObject | undefined;
    readonly sort?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
}
/**
 * Reads a query as tools and the API take it: `{"status": "open", "score": {"gte": 5}}`, sort `-opened_at`.
 * A field the store does not have, and a value it cannot have, is an error and never an empty result.
 *
 * @param most documents that are given at most
 */
export declare function readQuery(store: StoreDefinition, asked: AskedQuery, most: number): Result<StoreQuery, string>;
