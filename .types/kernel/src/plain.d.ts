/** Plain data: what config and snapshots are made of. Anything else is compared and kept by identity. */
export declare function isPlain(value: unknown): value is Readonly<Record<string, unknown>>;
export declare function deepFreeze<T>(value: T): T;
export declare function sameValue(a: unknown, b: unknown): boolean;
/** One level deep: keys are joined, objects under the same key too; arrays and everything else replace. */
export declare function mergeConfig(earlier: unknown, later: unknown, depth?: number): unknown;
