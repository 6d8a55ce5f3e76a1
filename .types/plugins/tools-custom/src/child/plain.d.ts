type Plain = null | boolean | number | string | readonly Plain[] | {
    readonly [key: string]: Plain;
};
/**
 * Makes JSON of what a handler returns, or says where it is none. Nothing is lost in silence: dates, maps, sets, big
 * integers and addresses have a plain form; functions, streams, promises and circles have not.
 */
export declare function plain(value: unknown, path?: string, above?: readonly object[]): Plain;
export {};
