/** A value or the reason there is none. Everything that can fail inside the product returns one. */
export type Result<T, E> = Ok<T> | Err<E>;
export interface Ok<T> {
    readonly ok: true;
    readonly value: T;
}
export interface Err<E> {
    readonly ok: false;
    readonly error: E;
}
export declare const ok: <T>(value: T) => Ok<T>;
export declare const err: <E>(error: E) => Err<E>;
/** Runs `work` and turns a throw or a rejection into an `Err` made by `wrap`. */
export declare function tryAsync<T, E>(work: () => T | Promise<T>, wrap: (cause: unknown) => E): Promise<Result<T, E>>;
/** The synchronous twin of {@link tryAsync}. */
export declare function trySync<T, E>(work: () => T, wrap: (cause: unknown) => E): Result<T, E>;
/** For the edges of a module, where an exception is the contract. */
export declare function unwrap<T, E>(result: Result<T, E>, describe: (error: E) => string): T;
/** The end of an exhaustive switch: a forgotten case does not compile. */
export declare function never(value: never): never;
export declare function messageOf(cause: unknown): string;
