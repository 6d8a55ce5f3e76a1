/** Values by key; beyond its size, the one that was not asked for the longest goes. */
export declare class RecentlyUsed<V> {
    #private;
    constructor(size: number);
    get(key: string, make: () => V): V;
}
