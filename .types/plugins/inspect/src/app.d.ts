import { type Agent, type Generation, type Inspector, type RouteHandler } from '@amodal/sdk';
import type { SentCalls } from './sent-calls.ts';
export interface Inspected {
    readonly agent: Agent;
    readonly inspector: Inspector;
    readonly sent: SentCalls;
    readonly generation: () => Generation;
    readonly uptimeMs: () => number;
}
export declare function createRoutes({ agent, inspector, sent, generation, uptimeMs }: Inspected): RouteHandler;
