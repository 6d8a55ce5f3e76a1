import { type Failure, type Logger, type Result } from '@amodal/sdk';
import type { Engine } from './engine.ts';
/**
 * What is known of a database apart from the database: how far it had come, and which files it had. A start compares,
 * since Postgres itself takes a write-ahead log that breaks off for the end of it, and a table without pages for an
 * empty one. What it finds stays in `/health` until somebody removes the notice.
 */
export declare class FolderRecord {
    #private;
    constructor(folder: string, log: Logger);
    /** Before the folder is opened. `DATABASE_DAMAGED`: it must not be. */
    inspect(): Result<void, Failure>;
    /** Right after the database was opened, before anything was written. */
    opened(engine: Engine): Promise<void>;
    /** Notes how far the database has come. */
    advance(engine: Engine): Promise<void>;
    /** Notes the files; `clean`: the database has been closed. */
    note(clean: boolean): void;
    /** Files are about to become shorter: a process that dies meanwhile must not leave an old note. */
    forget(): void;
    /** Something is damaged that does not keep the database from serving. Reported once, and kept. */
    report(found: readonly string[]): void;
    /** The copy of an earlier write-ahead log, which may hold what was to be erased. */
    dropLog(): void;
    /** For `/health`. */
    problem(): string | undefined;
}
