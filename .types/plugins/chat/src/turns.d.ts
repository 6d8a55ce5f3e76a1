import { type RequestLimiter, type RouteContext } from '@amodal/sdk';
import { type MessageLimits } from './chat-request.ts';
import type { Visitors } from './visitor.ts';
/** Sending messages and following what comes of them. */
export declare class Turns {
    #private;
    constructor(visitors: Visitors, limiter: RequestLimiter | undefined, limits: MessageLimits);
    /** Answers with the turn's events as they come. `init` is the first, and says that the message is kept. */
    stream(context: RouteContext, request: Request): Promise<Response>;
    /** Answers once the turn has ended, or waits for a person. */
    sync(context: RouteContext, request: Request): Promise<Response>;
    /** One or the other: JSON where the client asks for it. */
    either(context: RouteContext, request: Request): Promise<Response>;
    /** A click in a widget is a message of whoever clicks. */
    clicked(context: RouteContext, request: Request): Promise<Response>;
    /**
     * A message in the query, for what can only ask with GET, such as a browser's `EventSource`. A browser follows links
     * and loads pictures for pages of strangers, so it has to say that it asks for a page of this server's own.
     * One that comes back for more is never taken for a second message.
     */
    asked(context: RouteContext, request: Request): Promise<Response>;
    /** Goes on with a stream that was cut, after the frame that the client saw last. */
    follow(context: RouteContext, request: Request, id: string): Promise<Response>;
}
