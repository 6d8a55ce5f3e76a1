import { type Database, type Eraser, type ErasureRequest, type Failure, type Result } from '@amodal/sdk';
/** What was erased, or would be, by the names of erasers. */
export interface Summary {
    readonly sessions: number;
    readonly parts: readonly {
        readonly name: string;
        readonly removed: number;
        readonly unknown: number;
    }[];
    readonly tables: readonly string[];
}
type Named = ReadonlyMap<string, Eraser>;
/** Takes all of it out, or nothing: one transaction, which is rolled back where only the figures are wanted. */
export declare function erase(database: Database, erasers: Named, request: ErasureRequest, { dryRun, signal }: {
    readonly dryRun: boolean;
    readonly signal: AbortSignal;
}): Promise<Result<Summary, Failure>>;
/** After it was committed: bytes of rows that are gone, and copies outside of the database. */
export declare function cleanUp(database: Database, erasers: Named, tables: readonly string[], signal: AbortSignal): Promise<Result<void, Failure>>;
export {};
