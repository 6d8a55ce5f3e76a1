import { type Failure, type JsonObject, type Result, type StoreBackend, type StoreDefinition } from '@amodal/sdk';
/** A document that another one refers to, and where it does. */
export interface Ref {
    readonly path: string;
    readonly store: string;
    readonly key: string;
}
/** What a document that fits its store refers to. */
export declare function refsOf({ entity: { schema } }: StoreDefinition, payload: JsonObject): readonly Ref[];
/** Opens the documents of a store for one request or call. */
export type OpenStore = <T>(store: StoreDefinition, work: (backend: StoreBackend) => Promise<T>) => Promise<Result<T, Failure>>;
/**
 * Finds out which of the references lead nowhere. A store that the agent does not have is not asked.
 *
 * @returns what `nameOf` says of each that does
 */
export declare function danglingRefs(refs: readonly Ref[], stores: readonly StoreDefinition[], open: OpenStore, signal: AbortSignal): Promise<Result<ReadonlySet<string>, Failure>>;
export declare const nameOf: ({ store, key }: Pick<Ref, 'store' | 'key'>) => string;
