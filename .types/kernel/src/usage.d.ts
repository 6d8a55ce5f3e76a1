/** Tokens of one model call or the sum of several; cache reads and writes stand apart from fresh input. */
export interface Usage {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
}
export declare const NO_USAGE: Usage;
export declare function addUsage(a: Usage, b: Usage): Usage;
