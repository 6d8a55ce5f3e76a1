import { type RouteContext, type SessionId } from '@amodal/sdk';
import type { Visitors } from './visitor.ts';
/** What can be asked of sessions and done with them. */
export declare class Sessions {
    #private;
    /** @param app the agent's name */
    constructor(visitors: Visitors, app: () => string);
    list(context: RouteContext, query: Readonly<Record<string, string>>): Promise<Response>;
    /** A session that nothing was said in yet. */
    open(context: RouteContext, request: Request): Promise<Response>;
    history(context: RouteContext): Promise<Response>;
    stats(context: RouteContext): Promise<Response>;
    one(context: RouteContext, id: string): Promise<Response>;
    update(context: RouteContext, request: Request, id: string): Promise<Response>;
    remove(context: RouteContext, id: string): Promise<Response>;
    cancel(context: RouteContext, id: string): Promise<Response>;
    clear(context: RouteContext, id: string): Promise<Response>;
    retry(context: RouteContext, id: string): Promise<Response>;
    /** Settles an effect whose outcome is unknown. */
    settle(context: RouteContext, request: Request, id: string, call: string): Promise<Response>;
    fork(context: RouteContext, request: Request, id: string): Promise<Response>;
    /** Answers one question of a parked run, or several. @param id the session, where the path names it */
    answer(context: RouteContext, request: Request, id?: string): Promise<Response>;
}
/** What cannot be an id is answered as an unknown one, before anything is asked about it. */
export declare const inSession: (id: string, work: (session: SessionId) => Promise<Response>) => Promise<Response>;
