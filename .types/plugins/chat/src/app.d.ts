import { type Agent, type RequestLimiter, type RouteHandler } from '@amodal/sdk';
import type { MessageLimits } from './chat-request.ts';
/** Where the routes below are mounted, and what a credential must be good for there. */
export declare const PREFIXES: {
    readonly '/chat': 'chat';
    readonly '/api/v1/chat': 'chat';
    readonly '/ai/stream': 'chat';
    readonly '/ask-user-response': 'chat';
    readonly '/widget-actions': 'chat';
    readonly '/task': 'chat';
    readonly '/sessions': 'sessions';
    readonly '/session': 'sessions';
    readonly '/api/stats': 'sessions';
};
export declare function createRoutes(agent: Agent, limiter: RequestLimiter | undefined, limits: MessageLimits): RouteHandler;
