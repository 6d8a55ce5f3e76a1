export interface ExchangeOptions {
    /** Address of the server, such as `http://127.0.0.1:3847`. */
    readonly url: string;
    readonly fetch?: typeof fetch;
    /** An API key or a token: who asks. */
    readonly credential?: string;
    /** Whose data, where the credential does not say it. */
    readonly scope?: string;
    /** Sent with every request. */
    readonly headers?: Readonly<Record<string, string>>;
    /** ms for an answer that is no stream; 30,000 where it is not given. */
    readonly timeoutMs?: number;
}
export interface Asked {
    readonly method?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
}
/** Requests to one server. */
export declare class Exchange {
    #private;
    constructor(options: ExchangeOptions);
    /** An answer as JSON; throws {@link ClientError} where there is none, or where it is an error. */
    json<T>(path: string, asked?: Asked): Promise<T>;
    /** A response that is no error, its body not read yet. */
    open(path: string, { method, body, headers, signal }: Asked): Promise<Response>;
}
