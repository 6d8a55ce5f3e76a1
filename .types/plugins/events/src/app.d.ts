import { type RouteHandler } from '@amodal/sdk';
import type { Bus } from './bus.ts';
/** `GET /api/events`: what changes, as it happens. */
export declare function createRoutes(bus: Bus): RouteHandler;
