/** `Promise.all` over a function, with at most `limit` calls under way; results in the order of the items. */
export declare function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]>;
