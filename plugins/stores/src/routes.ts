import {
  LOCAL_TENANT, principalId, sessionId, SessionFacts, StoreBackend, Agent,
  type Failure, type Generation, type JsonObject, type RouteContext, type RouteHandler, type Scope, type StoreDefinition, type StoreDocument,
} from '@amodal/sdk'
import { Hono } from 'hono'
import { z } from 'zod'
import { readQuery } from './query.ts'
import type { Seeds } from './seed.ts'
import { keyOf, misfits } from './shape.ts'

const Query = z.object({
  filter: z.string().optional().transform((text, context) => {
    if (text === undefined || text === '') return undefined
    try {
      return z.record(z.string(), z.json()).parse(JSON.parse(text))
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON object, such as {"status":"open"}' })
      return z.NEVER
    }
  }),
  sort: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  offset: z.coerce.number().int().min(0).optional(),
})
const Payload = z.record(z.string(), z.json())

const meta = (document: StoreDocument): JsonObject => ({ computedAt: document.computedAt, stale: document.stale, ...(document.expiresAt === undefined ? {} : { expiresAt: document.expiresAt }) })
const wire = (document: StoreDocument, appId: string): JsonObject => ({ key: document.key, appId, store: document.store, version: document.version, payload: document.payload, meta: meta(document) })

/** `/api/stores`: lists, reads and writes documents of the caller's tenant. */
export function storeRoutes(generation: () => Generation, seeds: Seeds): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>().basePath('/api/stores')
  const problem = (code: string, message: string, status: 400 | 404 | 500 | 503): Response => Response.json({ error: { code, message } }, { status })
  const broken = (failure: Failure): Response => problem(failure.code, failure.message, failure.code === 'DATABASE_UNAVAILABLE' ? 503 : 500)
  const bundleStores = (): readonly StoreDefinition[] => generation().scope.get(Agent).bundle()?.stores ?? []
  const appId = (): string => generation().scope.get(Agent).bundle()?.manifest.name ?? 'local'

  /** Runs with the documents of one tenant, in a scope of its own. */
  async function inScope(work: (backend: StoreBackend, scope: Scope) => Promise<Response>): Promise<Response> {
    const scope = generation().scope.child('session', [[SessionFacts, { tenant: LOCAL_TENANT, session: sessionId('api'), principal: principalId('local') }]])
    try {
      return await work(scope.get(StoreBackend), scope)
    } finally {
      await scope.close()
    }
  }
  async function withStore(name: string, signal: AbortSignal, work: (store: StoreDefinition, backend: StoreBackend) => Promise<Response>): Promise<Response> {
    const store = bundleStores().find((one) => one.name === name)
    if (!store) return problem('NOT_FOUND', `there is no store "${name}"`, 404)
    return inScope(async (backend) => {
      const ready = await seeds.ensure(backend, store, signal)
      return ready.ok ? work(store, backend) : broken(ready.error)
    })
  }

  app.get('/', (c) => inScope(async (backend) => {
    const list: JsonObject[] = []
    for (const store of bundleStores()) {
      const ready = await seeds.ensure(backend, store, c.req.raw.signal)
      const count = ready.ok ? await backend.count(store, c.req.raw.signal) : ready
      if (!count.ok) return broken(count.error)
      list.push({ name: store.name, entity: store.entity.name, ttl: store.ttl ?? null, trace: store.raw['trace'] === true, history: store.history?.versions ?? 0, documentCount: count.value })
    }
    return Response.json({ stores: list })
  }))
  app.get('/:name', (c) => withStore(c.req.param('name'), c.req.raw.signal, async (store, backend) => {
    const asked = Query.safeParse(c.req.query())
    if (!asked.success) return problem('VALIDATION_ERROR', asked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '), 400)
    const query = readQuery(store, asked.data, 1_000)
    if (!query.ok) return problem('VALIDATION_ERROR', query.error, 400)
    const found = await backend.query(store, query.value, c.req.raw.signal)
    if (!found.ok) return broken(found.error)
    const { documents, total } = found.value
    return Response.json({ documents: documents.map((one) => wire(one, appId())), total, hasMore: query.value.offset + documents.length < total })
  }))
  app.get('/:name/:key', (c) => withStore(c.req.param('name'), c.req.raw.signal, async (store, backend) => {
    const found = await backend.get(store, c.req.param('key'), c.req.raw.signal)
    if (!found.ok) return broken(found.error)
    if (!found.value) return problem('NOT_FOUND', `there is no document "${c.req.param('key')}" in ${store.name}`, 404)
    const history = await backend.history(store, found.value.key, c.req.raw.signal)
    if (!history.ok) return broken(history.error)
    return Response.json({ document: wire(found.value, appId()), history: history.value.map((one) => wire(one, appId())) })
  }))
  app.post('/:name', (c) => withStore(c.req.param('name'), c.req.raw.signal, async (store, backend) => {
    const payload = Payload.safeParse(await c.req.json().catch(() => undefined))
    if (!payload.success) return problem('VALIDATION_ERROR', 'the body must be a JSON object: the document itself', 400)
    const problems = misfits(store, payload.data)
    const key = keyOf(store, payload.data)
    if (problems.length > 0 || key === undefined) return problem('VALIDATION_ERROR', problems.join('; ') || `the key ${store.entity.key} cannot be made`, 400)
    const callKey = c.req.header('idempotency-key')
    const written = await backend.write(store, [{ key, payload: payload.data }], { atomic: true, ...(callKey === undefined ? {} : { callKey: `api:${callKey}` }) }, c.req.raw.signal)
    if (!written.ok) return broken(written.error)
    const [first] = written.value
    if (!first?.stored) return problem('STORE_FAILED', first?.error ?? 'nothing was stored', 500)
    return Response.json({ stored: true, key: first.key, version: first.version, ...(first.previousVersion === undefined ? {} : { previousVersion: first.previousVersion }) }, { status: 201 })
  }))
  app.notFound(() => problem('NOT_FOUND', 'there is nothing here', 404))
  return { fetch: (request, context) => app.fetch(request, context) }
}
