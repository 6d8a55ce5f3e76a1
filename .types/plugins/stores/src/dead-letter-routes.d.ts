import { type Generation, type RouteHandler } from '@amodal/sdk';
import type { Documents } from './documents.ts';
/** `/api/dead-letters`: what stores could not take, for those who may write into them. */
export declare function deadLetterRoutes(generation: () => Generation, documents: Documents): RouteHandler;
