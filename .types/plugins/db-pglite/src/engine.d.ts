import { type PGliteOptions } from '@electric-sql/pglite';
import { type Answer } from '@amodal/sdk/database';
import { type Statement } from '@amodal/sdk';
/**
 * One open PGlite, driven at the level of the Postgres protocol: several statements travel as one message and
 * form one transaction, and a text that comes again is prepared. Calls are synchronous inside, so one at a time:
 * {@link Turns} sees to that.
 */
export declare class Engine {
    #private;
    private constructor();
    /** Opens a folder or `memory://`; runs `initdb` where there is no database yet. */
    static open(options: Pick<PGliteOptions, 'dataDir' | 'loadDataDir'>, heard: (channel: string, payload: string) => void): Promise<Engine>;
    /** Runs the statements in order, all or none (unless a transaction is open), and answers for the last. Throws what Postgres says. */
    batch(statements: readonly Statement[]): Promise<Answer>;
    /** Several statements without parameters, in the open transaction or in one of their own. */
    script(sql: string): Promise<void>;
    /**
     * The whole database as a tar from which another opens: tidied, without the maps that Postgres makes anew,
     * and of the write-ahead log (five segments, most of them recycled) what opening reads.
     */
    dump(): Promise<Uint8Array>;
    /** Something went wrong inside PGlite itself, and it was not closed in order. */
    get broken(): boolean;
    close(): Promise<void>;
}
