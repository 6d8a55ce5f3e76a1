import { type Row, type Statement, type StoreDefinition, type StoreWrite, type StoreWriteOutcome } from '@amodal/sdk';
/** Statements of one transaction, as one tenant. */
export type Run = (statement: Statement) => Promise<readonly Row[]>;
/**
 * Writes documents, however many, in a handful of statements. The keys are locked first and in order, so that writers
 * of the same documents come one after the other, none is lost, and two batches that overlap do not wait for each other.
 */
export declare function writeAll(run: Run, store: StoreDefinition, writes: readonly StoreWrite[], mayWrite: (outcomes: readonly StoreWriteOutcome[]) => boolean): Promise<readonly StoreWriteOutcome[]>;
/** The lock of a document, as SQL. */
export declare const lockOf: (tenant: string, store: string, key: string) => string;
/** Held until the end of the transaction. Two keys may share a lock, which only costs time. */
export declare function lockKeys(run: Run, store: StoreDefinition, keys: readonly string[]): Promise<void>;
