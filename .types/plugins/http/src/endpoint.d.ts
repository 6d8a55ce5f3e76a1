import type { Env, Handler, Hono } from 'hono';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/**
 * Adds a path with a handler per method to a Hono app; any other method is answered with `NOT_ALLOWED` and the
 * methods there are.
 *
 * @example
 * endpoint(app, '/notes/:id', { GET: (c) => c.json(notes.get(c.req.param('id'))), DELETE: remove })
 */
export declare function endpoint<E extends Env, P extends string>(app: Hono<E>, path: P, handlers: Readonly<Partial<Record<Method, Handler<E, P>>>>): void;
