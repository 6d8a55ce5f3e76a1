import type { BlockList } from 'node:net';
import { type Failure, type Logger, type Result } from '@amodal/sdk';
import type { CrossOrigin } from './cross-origin.ts';
import type { Visit } from './door.ts';
export interface ServerOptions {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
    /** ms for a whole request to arrive. */
    readonly requestTimeoutMs: number;
    /** ms that a reader of a stream which is too far behind may take to catch up. */
    readonly slowReaderMs: number;
    /** Pages of other origins that may call. */
    readonly crossOrigin: CrossOrigin;
    /** What stands in front of this server, and is believed when it says whom it forwards. */
    readonly proxies: BlockList;
    readonly fetch: (request: Request, visit: Visit) => Promise<Response>;
    readonly log: Logger;
}
/** The socket in front of the routes. */
export declare class HttpServer {
    #private;
    constructor(options: ServerOptions);
    /** Resolves once requests are taken; `PORT_IN_USE` names the address and the next step. */
    listen(): Promise<Result<void, Failure>>;
    address(): {
        readonly host: string;
        readonly port: number;
    } | undefined;
    /** Takes no new connection, and waits for what is under way; what is left when `signal` aborts is cut off. */
    close(signal: AbortSignal): Promise<void>;
}
