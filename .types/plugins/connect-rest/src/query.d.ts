import { type Json, type Result } from '@amodal/sdk';
export type Query = Readonly<Record<string, readonly string[]>>;
/**
 * One query of what stands behind the `?` of an endpoint and of `params`, names and values decoded. A list becomes a
 * name that comes several times, an object names with brackets (`filter[status]`); `null` is left out.
 *
 * @example canonicalQuery('stage=won', { limit: 50, ids: [1, 2] }) // { stage: ['won'], limit: ['50'], ids: ['1', '2'] }
 */
export declare function canonicalQuery(text: string, params: Json | undefined): Result<Query, string>;
/** As it is sent. */
export declare function queryText(query: Query): string;
