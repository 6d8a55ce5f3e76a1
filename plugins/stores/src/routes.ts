import {
  Agent,
  err,
  failure,
  hashOf,
  ok,
  type Caller,
  type Failure,
  type Generation,
  type JsonObject,
  type Result,
  type RouteContext,
  type RouteHandler,
  type StoreBackend,
  type StoreDefinition,
  type StoreDocument,
} from '@amodal/sdk'
import { isStorable } from '@amodal/sdk/data'
import { ttlOf } from '@amodal/sdk/stores'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  idempotencyKeyOf,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { deadLettersOf } from './dead-letters.ts'
import type { Documents } from './documents.ts'
import { StoreConflict, StoreReadOnly } from './errors.ts'
import { readQuery } from './query.ts'
import { toolName } from './shape.ts'
import { storeInfo } from './store-info.ts'
import { writeDocuments } from './writer.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { MOST, Payload, Query } from './store-requests.ts'

const invalid = (message: string): Response => failed(failure('VALIDATION_ERROR', message))
const theirs = (): Response =>
  failed(StoreReadOnly('these documents belong to everybody: they can be read'))
const notByRole = (): Response =>
  failed(StoreReadOnly('your role may read these documents and not change them'))
const noDocument = (): Response => failed(failure('NOT_FOUND', 'there is no such document'))
/** The same key of somebody else, for another store or for another thing to do, is another one. */
const callKey = (
  does: 'put' | 'delete',
  { name }: StoreDefinition,
  { principal }: Caller,
  key: string,
): string => JSON.stringify(['api', does, name, principal, key])
/**
 * The version at which a document must stand for a write: `If-Match: "3"`, or `If-None-Match: *`
 * where there must be none.
 */
function versionOf(headers: Headers): Result<number | undefined, string> {
  const match = headers.get('if-match')
  const noneMatch = headers.get('if-none-match')
  if (match === null && noneMatch === null) return ok(undefined)
  if (match === null) return noneMatch === '*' ? ok(0) : err('If-None-Match: must be *')
  if (noneMatch !== null) return err('If-Match and If-None-Match: send one of them')
  const version = /^"?([1-9]\d{0,8})"?$/.exec(match)?.[1]
  return version === undefined
    ? err('If-Match: must be a version of the document, such as "3"')
    : ok(Number(version))
}
const answer = <T>(result: Result<T, Failure>, show: (value: T) => Response): Response =>
  result.ok ? show(result.value) : failed(result.error)

/** The stores that a caller may read, by their roles. */
export function readableStores(
  generation: () => Generation,
  documents: Documents,
  { roles = [] }: Pick<Caller, 'roles'>,
): readonly StoreDefinition[] {
  const bundle = generation().scope.get(Agent).bundle()
  return bundle && documents.mayUse('query_store', bundle, roles) ? bundle.stores : []
}

/** `/api/stores`: lists, reads and writes documents of the caller's tenant. */
export function storeRoutes(generation: () => Generation, documents: Documents): RouteHandler {
  const bundle = () => generation().scope.get(Agent).bundle()
  const isAllowed = (tool: string, roles: readonly string[]): boolean => {
    const whole = bundle()
    return whole !== undefined && documents.mayUse(tool, whole, roles)
  }
  const wire = (
    store: StoreDefinition,
    { key, version, payload, computedAt, stale, expiresAt, trace }: StoreDocument,
  ): JsonObject => {
    const ttl = ttlOf(store, payload)
    return {
      key,
      appId: bundle()?.manifest.name ?? 'local',
      store: store.name,
      version,
      payload,
      meta: {
        computedAt,
        stale,
        ...(ttl !== undefined && { ttl }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(trace && { trace }),
      },
    }
  }

  async function withStore(
    context: RouteContext,
    name: string,
    work: (store: StoreDefinition, caller: Caller, backend: StoreBackend) => Promise<Response>,
  ): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const whole = bundle()
    const store = whole?.stores.find((one) => one.name === name)
    if (!whole || !store || !documents.mayUse('query_store', whole, caller.value.roles ?? []))
      return failed(failure('NOT_FOUND', `there is no store "${name}"`))
    return answer(
      await documents.inRequest(store, caller.value, (backend) =>
        work(store, caller.value, backend),
      ),
      (response) => response,
    )
  }

  async function countOf(
    store: StoreDefinition,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Result<number, Failure>> {
    const opened = await documents.inRequest(store, caller, (backend) =>
      backend.count(store, signal),
    )
    return opened.ok ? opened.value : opened
  }

  async function list(context: RouteContext): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const rows: JsonObject[] = []
    for (const store of readableStores(generation, documents, caller.value)) {
      const documentCount = await countOf(store, caller.value, context.signal)
      if (!documentCount.ok) return failed(documentCount.error)
      const { roles = [] } = caller.value
      const mayWrite = documents.mayWrite(store, roles)
      const isWritable = mayWrite && isAllowed(toolName(store), roles)
      const deadLetters =
        isWritable && store.failure?.deadLetter === true
          ? await countOf(deadLettersOf(store), caller.value, context.signal)
          : ok(undefined)
      if (!deadLetters.ok) return failed(deadLetters.error)
      rows.push(
        storeInfo(store, {
          documentCount: documentCount.value,
          isWritable,
          isDeletable: mayWrite && isAllowed('delete_from_store', roles),
          deadLetters: deadLetters.value,
        }),
      )
    }
    return Response.json({ stores: rows })
  }

  const query = (
    context: RouteContext,
    name: string,
    asked: Readonly<Record<string, string>>,
  ): Promise<Response> =>
    withStore(context, name, async (store, _caller, backend) => {
      const read = Query.safeParse(asked)
      if (!read.success) return invalid(problems(read.error))
      const wanted = readQuery(store, read.data, MOST)
      if (!wanted.ok) return invalid(wanted.error)
      return answer(
        await backend.query(store, wanted.value, context.signal),
        ({ documents: page, total }) =>
          Response.json({
            documents: page.map((one) => wire(store, one)),
            total,
            hasMore: wanted.value.offset + page.length < total,
          }),
      )
    })

  const one = (context: RouteContext, name: string, key: string): Promise<Response> =>
    withStore(context, name, async (store, _caller, backend) => {
      const found = isStorable(key) ? await backend.get(store, key, context.signal) : ok(undefined)
      const history =
        found.ok && found.value ? await backend.history(store, key, context.signal) : ok([])
      return answer(found, (document) => {
        if (!document) return noDocument()
        return answer(history, (earlier) =>
          Response.json({
            document: wire(store, document),
            history: earlier.map((version) => wire(store, version)),
          }),
        )
      })
    })

  const put = (context: RouteContext, name: string, request: Request): Promise<Response> =>
    withStore(context, name, async (store, caller) => {
      const { tenant, roles = [] } = caller
      if (!documents.mayWrite(store, roles)) return theirs()
      if (!isAllowed(toolName(store), roles)) return notByRole()
      const key = idempotencyKeyOf(request.headers)
      if (!key.ok) return failed(key.error)
      const ifVersion = versionOf(request.headers)
      if (!ifVersion.ok) return invalid(ifVersion.error)
      const payload = await readJson(request, Payload)
      if (!payload.ok) return failed(payload.error)
      const written = await writeDocuments(store, [payload.value], {
        atomic: true,
        open: (target, work) => documents.inRequest(target, caller, work),
        stores: bundle()?.stores ?? [],
        log: generation().log,
        signal: context.signal,
        ...(ifVersion.value !== undefined && { ifVersion: ifVersion.value }),
        ...(key.value !== undefined && {
          callKey: documents.callKey(store, tenant, callKey('put', store, caller, key.value)),
          requestDigest:
            ifVersion.value === undefined
              ? hashOf(payload.value)
              : hashOf([payload.value, ifVersion.value]),
        }),
      })
      return answer(written, ({ stored: [first], refused: [problem] }) => {
        if (!first) {
          const message = problem?.error ?? 'nothing was stored'
          // a document that fits is refused for its version alone
          return problem && 'key' in problem ? failed(StoreConflict(message)) : invalid(message)
        }
        documents.changed(store, tenant, 'put', 1)
        const { version, previousVersion } = first
        return Response.json(
          {
            stored: true,
            key: first.key,
            version,
            ...(previousVersion !== undefined && { previousVersion }),
          },
          { status: 201 },
        )
      })
    })

  const remove = (
    context: RouteContext,
    name: string,
    key: string,
    request: Request,
  ): Promise<Response> =>
    withStore(context, name, async (store, caller, backend) => {
      const { tenant, roles = [] } = caller
      if (!documents.mayWrite(store, roles)) return theirs()
      if (!isAllowed('delete_from_store', roles)) return notByRole()
      const asked = idempotencyKeyOf(request.headers)
      if (!asked.ok) return failed(asked.error)
      const options =
        asked.value === undefined
          ? {}
          : {
              callKey: documents.callKey(
                store,
                tenant,
                callKey('delete', store, caller, asked.value),
              ),
              requestDigest: hashOf(key),
            }
      return answer(
        isStorable(key) ? await backend.remove(store, key, options, context.signal) : ok(false),
        (gone) => {
          if (!gone) return noDocument()
          documents.changed(store, tenant, 'delete', 1)
          return Response.json({ deleted: true, key })
        },
      )
    })

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/stores', { GET: ({ env }) => list(env) })
  endpoint(app, '/api/stores/:name', {
    GET: ({ req, env }) => query(env, req.param('name'), req.query()),
    POST: ({ req, env }) => put(env, req.param('name'), req.raw),
  })
  endpoint(app, '/api/stores/:name/:key', {
    GET: ({ req, env }) => one(env, req.param('name'), req.param('key')),
    DELETE: ({ req, env }) => remove(env, req.param('name'), req.param('key'), req.raw),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
