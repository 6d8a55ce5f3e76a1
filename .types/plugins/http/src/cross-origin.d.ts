export interface CrossOriginOptions {
    /** Exactly as a browser names them: `https://app.example.com`. */
    readonly origins: readonly string[];
    /** For how long a browser need not ask again. */
    readonly maxAgeSeconds: number;
}
/** Pages of other origins that may call: an exact list, without cookies. */
export declare class CrossOrigin {
    #private;
    constructor({ origins, maxAgeSeconds }: CrossOriginOptions);
    allows(origin: string | undefined): origin is string;
    /** The answer to a browser that asks before it sends. Nobody is asked who they are: it carries no credential. */
    preflight(request: Request): Response | undefined;
    /** Says in an answer whether its page may read it. @param origin of the page, where it is allowed */
    mark({ headers }: Response, origin: string | undefined): void;
}
/** An origin, and nothing beside it. */
export declare const isOrigin: (text: string) => boolean;
