import { type Failure, type Result } from '@amodal/kernel';
import type { Row, Statement } from '../ports/database.ts';
/** What a server answers to a batch: the rows of its last statement, and what that statement was. */
export interface Answer {
    readonly rows: readonly Row[];
    readonly command: string;
}
/** A transaction that may also run scripts of several statements. */
export interface Transaction {
    readonly run: (statement: Statement) => Promise<readonly Row[]>;
    readonly script: (sql: string) => Promise<void>;
}
/** One connection, for as long as the transaction lasts. */
export interface Line {
    /** Several statements in one round trip. */
    batch(statements: readonly Statement[]): Promise<Result<Answer, Failure>>;
    script(sql: string): Promise<Result<void, Failure>>;
}
/** A statement and what goes before it. */
export declare const stepsOf: (statement: Statement) => readonly Statement[];
/**
 * Runs `work` inside a transaction. `begin` travels with the first statement, so a transaction that never runs one
 * costs nothing. Rolled back when `work` throws or returns an `Err`, and as soon as the signal aborts: statements that
 * `work` still makes then find the transaction over. A conflict with another transaction is what the caller gets,
 * whatever `work` has made of it.
 *
 * @param settings statements to run right behind `begin`
 */
export declare function runTransaction<T>(line: Line, work: (transaction: Transaction) => Promise<T>, signal: AbortSignal, settings?: readonly Statement[]): Promise<Result<T, Failure>>;
