import { type Failure, type Frame, type FrameId, type Result, type RouteContext } from '@amodal/sdk';
import type { Visitors } from './visitor.ts';
export interface Follow {
    readonly visitors: Visitors;
    /** The frame that the client saw last; left out: from now on. */
    readonly from: FrameId | undefined;
    /** Of the message whose turn it is to be; left out: of all. */
    readonly key?: string | undefined;
    readonly text: (frame: Frame) => string;
    readonly events?: 'all';
}
/** The answer to a head of what would be a stream. */
export declare const streamHead: () => Response;
/** The frame that a client says it saw last; `otherwise` where it says none. */
export declare function lastSeen(request: Request, otherwise: FrameId | undefined): Result<FrameId | undefined, Failure>;
/**
 * Goes on with a session's stream. A client that has seen all of a session at rest is answered `204`: a browser's
 * `EventSource` reconnects after a stream that ended, for ever, unless it is told so.
 */
export declare function follow(context: RouteContext, request: Request, id: string, { visitors, from, key, text, events }: Follow): Promise<Response>;
