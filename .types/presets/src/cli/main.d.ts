/** What the command line needs of the process it runs in. */
export interface Terminal {
    /** Without the program. */
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly write: (text: string) => void;
    readonly fail: (text: string) => void;
    readonly input: AsyncIterable<string>;
    /** A person types the input. */
    readonly interactive?: boolean;
    /** Aborts when the person has had enough: the command ends in good order. */
    readonly signal: AbortSignal;
}
/**
 * Runs one command line.
 *
 * @returns the exit code: 0 done, 1 it failed, 2 the command line was wrong, 130 it was interrupted
 */
export declare function main(terminal: Terminal): Promise<number>;
