/**
 * `now`, `now_minus_1h`, `now_plus_7d`, also as `…_unix` (seconds) and `…_ms`; ISO 8601 otherwise.
 *
 * @param now ms since the epoch
 * @returns `undefined` where the name is none of these
 */
export declare function momentNamed(name: string, now: number): string | number | undefined;
