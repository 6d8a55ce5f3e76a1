import type { Shape } from './values.ts';
/** A statement that the server keeps under a name. */
export interface Prepared {
    readonly name: string;
    /** What its rows look like, once the server has said so; `undefined` for a statement without rows. */
    shape: Shape | undefined;
    known: boolean;
}
export interface Use {
    readonly statement: Prepared;
    /** It must be parsed and described in this round trip. */
    readonly fresh: boolean;
    /** Names to close before. Closing one that does not exist is no error. */
    readonly close: readonly string[];
}
/**
 * The statements prepared on one connection, least recently used out. A text that comes again costs the
 * server no parsing and the wire no description.
 */
export declare class PreparedStatements {
    #private;
    /** @param limit how many are kept; 0 prepares anew each time, under no name */
    constructor(limit?: number);
    use(sql: string): Use;
    /** The server knows none of them any more, or holds one to an old shape. */
    forget(): void;
}
