import { type Generation, type RouteHandler } from '@amodal/sdk';
/** `/api/memory`: what is noted of whoever asks, for them to read and to remove. */
export declare function memoryRoutes(generation: () => Generation, limit: number): RouteHandler;
