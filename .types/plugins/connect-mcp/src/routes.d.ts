import { type Generation, type RouteHandler } from '@amodal/sdk';
import type { Servers } from './servers.ts';
/** `GET /inspect/mcp/:name`: how a server fares, and the tools the agent has of it. */
export declare function mcpRoutes(servers: Servers, generation: () => Generation): RouteHandler;
