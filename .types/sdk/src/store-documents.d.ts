import { type Json, type JsonObject } from '@amodal/kernel';
import type { StoreDefinition, StoreField } from './ports/bundle.ts';
import type { StoreFilter } from './ports/stores.ts';
/** A field of a store, and the names that lead to it. */
export interface StorePlace {
    readonly field: StoreField;
    readonly path: readonly string[];
}
/**
 * Finds a field by its name, or by a path into objects.
 *
 * @param name such as `status` or `owner.name`; a field whose own name has dots comes first
 * @example
 * storeField(repairs, 'bicycle.make') // { field: { type: 'string' }, path: ['bicycle', 'make'] }
 */
export declare function storeField({ entity: { schema } }: Pick<StoreDefinition, 'entity'>, name: string): StorePlace | undefined;
/** What a document holds there; `null` where there is nothing. */
export declare function valueAt(payload: JsonObject, path: readonly string[]): Json;
/** A value of the field's own type that can be compared; `undefined` for anything else, such as one from before the schema changed. */
export declare function comparable(value: Json, field: StoreField | undefined): number | string | undefined;
/** `-1`, `0` or `1`; numbers as numbers, texts by their characters. */
export declare const compareValues: (a: number | string, b: number | string) => number;
/** Whether a document meets a condition of a query, or of a rule of its store. */
export declare function holds(store: Pick<StoreDefinition, 'entity'>, payload: JsonObject, { field: name, op, value }: StoreFilter): boolean;
/**
 * How long a document is fresh: by the first rule whose conditions all hold, or else by the store's own `ttl`.
 *
 * @returns seconds; `undefined`: for ever
 * @see stores.md, TTL
 */
export declare function ttlOf(store: Pick<StoreDefinition, 'entity' | 'ttl' | 'ttlRules'>, payload: JsonObject): number | undefined;
