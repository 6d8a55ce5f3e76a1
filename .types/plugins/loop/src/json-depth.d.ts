/** Levels of JSON in arguments and results, as in a request to the server: few enough for whoever walks through them. */
export declare const DEEPEST = 64;
/** Whether JSON text opens more levels than anybody walks through; what stands inside of its texts does not count. */
export declare function isDeep(json: string): boolean;
