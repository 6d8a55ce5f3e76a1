import {
  Agent, failure, LOCAL_TENANT, ok, principalId, sessionId, SessionFacts, StoreBackend,
  type Failure, type Generation, type JsonObject, type Result, type RouteContext, type RouteHandler, type StoreDefinition, type StoreDocument,
} from '@amodal/sdk'
import { crashed, endpoint, failed, problems, readJson } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { z } from 'zod'
import { readQuery } from './query.ts'
import type { Seeds } from './seed.ts'
import { keyOf, misfits } from './shape.ts'

/** Documents that one request gives at most. */
const MOST = 1_000

const Filter = z.string().transform((text, context): JsonObject => {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(text))
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object, such as {"status":"open"}' })
    return z.NEVER
  }
})
const Query = z.object({
  filter: Filter.optional(), sort: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(MOST).optional(), offset: z.coerce.number().int().min(0).optional(),
})
const Payload = z.record(z.string(), z.json())
const CallKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible characters').optional()

const invalid = (message: string): Response => failed(failure('VALIDATION_ERROR', message))
const answer = <T>(result: Result<T, Failure>, show: (value: T) => Response): Response => (result.ok ? show(result.value) : failed(result.error))

/** `/api/stores`: lists, reads and writes documents of the caller's tenant. */
export function storeRoutes(generation: () => Generation, seeds: Seeds): RouteHandler {
  const bundle = () => generation().scope.get(Agent).bundle()
  const wire = (store: StoreDefinition, { key, version, payload, computedAt, stale, expiresAt }: StoreDocument): JsonObject => ({
    key, appId: bundle()?.manifest.name ?? 'local', store: store.name, version, payload,
    meta: { computedAt, stale, ...(store.ttl !== undefined && { ttl: store.ttl }), ...(expiresAt !== undefined && { expiresAt }) },
  })

  /** Runs with the documents of one tenant, in a scope of its own. */
  async function withBackend(work: (backend: StoreBackend) => Promise<Response>): Promise<Response> {
    const scope = generation().scope.child('session', [[SessionFacts, { tenant: LOCAL_TENANT, session: sessionId('api'), principal: principalId('local') }]])
    try {
      return await work(scope.get(StoreBackend))
    } finally {
      await scope.close()
    }
  }
  async function withStore(name: string, work: (store: StoreDefinition, backend: StoreBackend) => Promise<Response>): Promise<Response> {
    const store = bundle()?.stores.find((one) => one.name === name)
    if (!store) return failed(failure('NOT_FOUND', `there is no store "${name}"`))
    return withBackend(async (backend) => {
      const ready = await seeds.ensure(backend, store, LOCAL_TENANT)
      return ready.ok ? work(store, backend) : failed(ready.error)
    })
  }

  const list = (signal: AbortSignal): Promise<Response> => withBackend(async (backend) => {
    const rows: JsonObject[] = []
    for (const store of bundle()?.stores ?? []) {
      const ready = await seeds.ensure(backend, store, LOCAL_TENANT)
      const count = ready.ok ? await backend.count(store, signal) : ready
      if (!count.ok) return failed(count.error)
      rows.push({ name: store.name, entity: store.entity.name, ttl: store.ttl ?? null, trace: store.raw['trace'] === true, history: store.history?.versions ?? 0, documentCount: count.value })
    }
    return Response.json({ stores: rows })
  })

  const query = (name: string, asked: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> => withStore(name, async (store, backend) => {
    const read = Query.safeParse(asked)
    if (!read.success) return invalid(problems(read.error))
    const wanted = readQuery(store, read.data, MOST)
    if (!wanted.ok) return invalid(wanted.error)
    return answer(await backend.query(store, wanted.value, signal), ({ documents, total }) =>
      Response.json({ documents: documents.map((one) => wire(store, one)), total, hasMore: wanted.value.offset + documents.length < total }))
  })

  const one = (name: string, key: string, signal: AbortSignal): Promise<Response> => withStore(name, async (store, backend) => {
    const found = await backend.get(store, key, signal)
    const history = found.ok && found.value ? await backend.history(store, key, signal) : ok([])
    return answer(found, (document) => {
      if (!document) return failed(failure('NOT_FOUND', `there is no document "${key}" in ${store.name}`))
      return answer(history, (earlier) => Response.json({ document: wire(store, document), history: earlier.map((version) => wire(store, version)) }))
    })
  })

  const put = (name: string, request: Request, signal: AbortSignal): Promise<Response> => withStore(name, async (store, backend) => {
    const callKey = CallKey.safeParse(request.headers.get('idempotency-key') ?? undefined)
    if (!callKey.success) return invalid(`Idempotency-Key: ${callKey.error.issues[0]?.message ?? 'is not valid'}`)
    const payload = await readJson(request, Payload)
    if (!payload.ok) return failed(payload.error)
    const wrong = misfits(store, payload.value)
    if (wrong.length > 0) return invalid(wrong.join('; '))
    const options = { atomic: true, ...(callKey.data !== undefined && { callKey: `api:${callKey.data}` }) }
    return answer(await backend.write(store, [{ key: keyOf(store, payload.value) ?? '', payload: payload.value }], options, signal), ([written]) => {
      if (!written?.stored) return failed(failure('STORE_FAILED', written?.error ?? 'nothing was stored'))
      const { key, version, previousVersion } = written
      return Response.json({ stored: true, key, version, ...(previousVersion !== undefined && { previousVersion }) }, { status: 201 })
    })
  })

  const app = new Hono<{ Bindings: RouteContext }>()
  endpoint(app, '/api/stores', { GET: ({ env }) => list(env.signal) })
  endpoint(app, '/api/stores/:name', {
    GET: ({ req, env }) => query(req.param('name'), req.query(), env.signal),
    POST: ({ req, env }) => put(req.param('name'), req.raw, env.signal),
  })
  endpoint(app, '/api/stores/:name/:key', { GET: ({ req, env }) => one(req.param('name'), req.param('key'), env.signal) })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
