import type { PoolClient } from 'pg';
import { type Answer, type Line, type PreparedStatements } from '@amodal/sdk/database';
import { type Failure, type Result, type Statement } from '@amodal/sdk';
export interface CheckoutOptions {
    readonly client: PoolClient;
    readonly prepared: PreparedStatements;
    /** ms a statement may take; 0: no limit. The server knows the same limit and is quicker. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}
/**
 * A connection taken from the pool. A statement that is aborted or overdue is cancelled at the server, which then
 * says for certain that it did not happen; a server that does not answer loses the connection, and the write is in doubt.
 */
export declare class Checkout implements Line {
    #private;
    constructor({ client, prepared, timeoutMs, signal }: CheckoutOptions);
    batch(statements: readonly Statement[]): Promise<Result<Answer, Failure>>;
    /** Through the simple protocol, which takes several statements at once. */
    script(sql: string): Promise<Result<void, Failure>>;
    /** Back to the pool, or away with it where it is not usable any more. */
    release(): void;
}
