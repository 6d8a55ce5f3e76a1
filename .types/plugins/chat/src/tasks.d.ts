import { type RequestLimiter, type RouteContext } from '@amodal/sdk';
import { type MessageLimits } from './chat-request.ts';
import type { Visitors } from './visitor.ts';
/** Work in the background. A task is a session of its own, so whatever can be done with one can be done with it. */
export declare class Tasks {
    #private;
    constructor(visitors: Visitors, limiter: RequestLimiter | undefined, limits: MessageLimits);
    /** Answers once the task is kept: whatever dies after that, it is worked on. */
    begin(context: RouteContext, request: Request): Promise<Response>;
    one(context: RouteContext, id: string): Promise<Response>;
    /** All that was told of it, then what comes, until it ends. */
    stream(context: RouteContext, request: Request, id: string): Promise<Response>;
}
