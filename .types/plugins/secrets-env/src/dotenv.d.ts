/** What a `.env` file says. */
export interface DotEnv {
    readonly variables: ReadonlyMap<string, string>;
    /** Lines that are no assignment, counted from 1. */
    readonly problems: readonly {
        readonly line: number;
        readonly message: string;
    }[];
}
/**
 * Reads `NAME=value` lines: `export` before the name, comments, values in single quotes (as they are) or double
 * quotes (`\n`, `\r`, `\t`, `\"`, `\\`), both over several lines. Nothing is expanded: a `$` is a `$`.
 * A name that comes twice has its last value.
 *
 * @example
 * parseDotEnv('export TOKEN="a b" # mine').variables.get('TOKEN') // 'a b'
 */
export declare function parseDotEnv(text: string): DotEnv;
