/** Plays one reply into one response, at the reply's own pace and with the reply's own faults. */
import type { ServerResponse } from 'node:http';
import { type FrameCache, type FrameContext } from './model-frames.ts';
import type { Reply, ScriptedError } from './model-reply.ts';
import type { ModelProtocol } from './protocols/protocol.ts';
export interface Exchange {
    readonly response: ServerResponse;
    readonly protocol: ModelProtocol;
    readonly streaming: boolean;
    /** Aborts once the connection is closed, by whichever side. */
    readonly signal: AbortSignal;
    readonly cache: FrameCache;
    readonly context: FrameContext;
    /** Destroys the socket in the server's own name. */
    readonly cut: () => void;
}
/** Resolves when the reply is played, or as soon as the client has left. */
export declare function playReply(reply: Reply, exchange: Exchange): Promise<void>;
/** Sends an error in the protocol's form, or breaks the response off where it has already begun. */
export declare function refuse(response: ServerResponse, protocol: ModelProtocol, status: number, error: ScriptedError, retryAfter?: number | string): void;
