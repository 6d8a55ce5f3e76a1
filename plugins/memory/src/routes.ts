import {
  failure,
  isId,
  ok,
  OutputRedactor,
  sessionId,
  SessionFacts,
  type Failure,
  type Generation,
  type JsonObject,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { mayEdit, settingsNow } from './settings.ts'
import { MemoryStore, type Memory } from './tokens.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** `/api/memory`: the caller's own notes, to read and to delete. */
export function memoryRoutes(generation: () => Generation, entries: number): RouteHandler {
  async function withStore<T>(
    { caller }: RouteContext,
    work: (store: MemoryStore) => Promise<Result<T, Failure>>,
    show: (value: T) => Response,
  ): Promise<Response> {
    const asked = caller()
    if (!asked.ok) return failed(asked.error)
    const { tenant, principal } = asked.value
    const scope = generation().scope.child('session', [
      [SessionFacts, { tenant, session: sessionId('memory'), principal }],
    ])
    try {
      const done = await work(scope.get(MemoryStore))
      return done.ok ? show(done.value) : failed(done.error)
    } finally {
      await scope.close()
    }
  }

  /** Refuses where the manifest lets this caller change nothing. */
  function changing(
    env: RouteContext,
    work: (store: MemoryStore) => Promise<Result<number | boolean, Failure>>,
    show: (value: number | boolean) => Response,
  ): Promise<Response> {
    const caller = env.caller()
    if (!caller.ok) return Promise.resolve(failed(caller.error))
    return mayEdit(settingsNow(generation(), entries), caller.value.roles ?? [])
      ? withStore(env, work, show)
      : Promise.resolve(failed(failure('FORBIDDEN_SCOPE', 'the memory is changed by admins alone')))
  }

  const wire = ({ id, text, origin, notedBy, at }: Memory): JsonObject => ({
    id,
    text: generation().scope.find(OutputRedactor)?.text(text) ?? text,
    origin: origin.by,
    ...(origin.by === 'outside' && { from: origin.from }),
    noted_by: notedBy,
    created_at: at,
  })

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/memory', {
    GET: ({ env }) =>
      withStore(
        env,
        (store) => store.list(env.signal),
        (notes) =>
          Response.json({
            memories: notes.map(wire),
            limit: settingsNow(generation(), entries).entries,
          }),
      ),
    DELETE: ({ env }) =>
      changing(
        env,
        (store) => store.clear(env.signal),
        (removed) => Response.json({ removed: Number(removed) }),
      ),
  })
  endpoint(app, '/api/memory/:id', {
    DELETE: ({ req, env }) =>
      changing(
        env,
        (store) =>
          isId(req.param('id'))
            ? store.remove(req.param('id'), env.signal)
            : Promise.resolve(ok(false)),
        (found) =>
          found
            ? Response.json({ removed: 1 })
            : failed(failure('NOT_FOUND', 'there is no such note')),
      ),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
