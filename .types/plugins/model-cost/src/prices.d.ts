/** Dollars for a million tokens. A cache price that is left out is the one for input. */
export interface Price {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
}
/** By provider and model, as the providers published them. A model that is not here has no price, rather than a guessed one. */
export declare const PRICES: Readonly<Record<string, Price>>;
