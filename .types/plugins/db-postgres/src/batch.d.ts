import type { Connection, Submittable } from 'pg';
import { type Answer, type PreparedStatements } from '@amodal/sdk/database';
import type { Statement } from '@amodal/sdk';
/**
 * Several statements as one message to the server, closed by a single `Sync`: one round trip, and one transaction
 * unless another is open (extended query protocol, PostgreSQL documentation 54.2.3). Handed to `client.query`, which
 * calls the `handle…` methods as answers arrive.
 */
export declare class Batch implements Submittable {
    #private;
    /**
     * @param prepared what this connection has prepared
     * @param settle called once; a parameter that is no value of a database is thrown at once instead
     */
    constructor(statements: readonly Statement[], prepared: PreparedStatements, settle: (failed: Error | undefined, answer: Answer) => void);
    submit(connection: Connection): void;
    handleRowDescription({ fields }: {
        readonly fields: readonly {
            readonly name: string;
            readonly dataTypeID: number;
        }[];
    }): void;
    handleDataRow({ fields }: {
        readonly fields: readonly (string | null)[];
    }): void;
    handleCommandComplete({ text }: {
        readonly text: string;
    }): void;
    handleEmptyQuery(): void;
    handleError(cause: Error): void;
    handleReadyForQuery(): void;
    /** `copy … from stdin` has nothing to read here: the server is told so, and answers with an error. */
    handleCopyInResponse(connection: Connection & {
        sendCopyFail?: (message: string) => void;
    }): void;
    handleCopyData(): void;
    handlePortalSuspended(): void;
}
