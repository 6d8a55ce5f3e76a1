import { failure } from '@amodal/sdk'
import type { Env, Handler, Hono } from 'hono'
import { failed } from './failed.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Adds a path with a handler per method to a Hono app; any other method is answered with
 * `NOT_ALLOWED` and the methods there are.
 *
 * @example
 * endpoint(app, '/notes/:id', { GET: (c) => c.json(notes.get(c.req.param('id'))), DELETE: remove })
 */
export function endpoint<E extends Env, P extends string>(
  app: Hono<E>,
  path: P,
  handlers: Readonly<Partial<Record<Method, Handler<E, P>>>>,
): void {
  const allowed = Object.keys(handlers)
  for (const [method, handler] of Object.entries(handlers)) app.on(method, path, handler)
  app.all(path, (c) =>
    failed(
      failure(
        'NOT_ALLOWED',
        `${c.req.method} is not offered here; ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}`,
      ),
      { allow: allowed.join(', ') },
    ),
  )
}
