import { type Generation, type RouteHandler } from '@amodal/sdk';
import type { Documents } from './documents.ts';
/** `/api/stores`: lists, reads and writes documents of the caller's tenant. */
export declare function storeRoutes(generation: () => Generation, documents: Documents): RouteHandler;
