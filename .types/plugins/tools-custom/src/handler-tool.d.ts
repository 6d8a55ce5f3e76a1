import { type JsonObject, type Outbound, type Secrets, type ToolContext, type ToolResult } from '@amodal/sdk';
import type { HandlerTool } from './custom-tool.ts';
import type { Handlers } from './handlers.ts';
import type { HandlerPool } from './process/pool.ts';
export interface HandlerParts {
    readonly handlers: Handlers;
    readonly pool: HandlerPool;
    readonly outbound: Outbound;
    readonly secrets: Secrets;
}
/** Calls a handler in its process, and makes a result of what comes back. */
export declare function runHandler(tool: HandlerTool, args: JsonObject, ctx: ToolContext, { handlers, pool, outbound, secrets }: HandlerParts): Promise<ToolResult>;
