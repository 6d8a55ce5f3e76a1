import type { Statement, StoreDefinition, StoreQuery } from '@amodal/sdk';
/** Columns of a document `d`. */
export declare const DOCUMENT = "d.key, version, payload, computed_at, expires_at, trace, (expires_at is not null and expires_at <= now()) as stale";
/** How many documents a query finds. */
export declare function countStatement(store: StoreDefinition, query: StoreQuery): Statement;
/**
 * One page of a query.
 *
 * @param total how many documents it finds: what is few is sorted, what is many is read in the order of the index
 */
export declare function pageStatement(store: StoreDefinition, query: StoreQuery, total: number): Statement;
