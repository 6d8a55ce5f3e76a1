import type { Database } from '@amodal/sdk';
/** The Database slot as a client of `pg`, for a library that counts in one. Its statements are upserts of one row. */
export interface PgClient {
    query(statement: {
        readonly text: string;
        readonly values?: readonly unknown[];
    }): Promise<{
        readonly rows: readonly unknown[];
        readonly rowCount: number;
    }>;
}
export declare const pgClient: (database: Database) => PgClient;
/** Windows that are over are of no use to anybody. @param before ms since the epoch */
export declare const forgetWindows: (database: Database, before: number) => Promise<import("@amodal/sdk").Result<readonly Readonly<Record<string, unknown>>[], import("@amodal/sdk").Failure>>;
