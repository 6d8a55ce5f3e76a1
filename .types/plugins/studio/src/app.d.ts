import { type RouteHandler } from '@amodal/sdk';
import type { Page } from './page.ts';
/** `GET /` and what the page is made of, below `/studio`. Nothing here is data, so strangers may have it. */
export declare function createRoutes(page: Page): RouteHandler;
