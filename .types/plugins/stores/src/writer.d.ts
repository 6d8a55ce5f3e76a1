import { type Failure, type Json, type JsonObject, type Lease, type Logger, type Result, type StoreDefinition, type StoreWriteOutcome } from '@amodal/sdk';
import { type OpenStore } from './refs.ts';
/** For whom documents are written, and how. */
export interface Writing {
    readonly open: OpenStore;
    /** All stores of the agent, to which documents may refer. */
    readonly stores: readonly StoreDefinition[];
    /** All of them or none. */
    readonly atomic: boolean;
    /** The same key again changes nothing, and answers as it did. */
    readonly callKey?: string;
    /** Stands for what is asked under that key. */
    readonly asked?: string;
    readonly trace?: JsonObject;
    /** Of the session that it is done for. */
    readonly lease?: Lease;
    readonly log: Logger;
    readonly signal: AbortSignal;
}
/** A document that was not stored: by its place where it does not fit, by its key where the store refused it. */
export type Refused = {
    readonly index: number;
    readonly error: string;
} | {
    readonly key: string;
    readonly error: string;
};
export interface Written {
    readonly stored: readonly (StoreWriteOutcome & {
        readonly stored: true;
    })[];
    readonly refused: readonly Refused[];
}
/**
 * Writes documents: those that fit their store and refer to what is there. A store that cannot take them is asked again as
 * often as its `failure` says; what is given up then is kept aside where it says that, too.
 */
export declare function writeDocuments(store: StoreDefinition, documents: readonly Json[], writing: Writing): Promise<Result<Written, Failure>>;
