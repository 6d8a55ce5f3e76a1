/** Asks the server for something; rejects with an error that has a `code`. */
export type Asks = (what: Readonly<Record<string, unknown>>) => Promise<unknown>;
interface Given {
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly facts: Readonly<Record<string, unknown>>;
    readonly ask: Asks;
    readonly tell: (what: Readonly<Record<string, unknown>>) => void;
}
/** The `ctx` of one call. */
export declare function contextOf({ env, signal, facts, ask, tell }: Given): object;
/** A `fetch` that the server makes, under its rules for addresses, sizes and time. */
export declare function fetchThrough(ask: () => Asks): typeof fetch;
export {};
