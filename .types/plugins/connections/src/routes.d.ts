import { type Agent, type Generation, type RouteHandler } from '@amodal/sdk';
/** `GET /inspect/connections` and `GET /inspect/connections/:name`: what each is, without its secrets. */
export declare function createRoutes(agent: Agent, generation: () => Generation): RouteHandler;
