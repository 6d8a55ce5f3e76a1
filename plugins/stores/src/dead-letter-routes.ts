import {
  Agent,
  failure,
  hashOf,
  type Caller,
  type Generation,
  type RouteContext,
  type RouteHandler,
  type StoreBackend,
  type StoreDefinition,
} from '@amodal/sdk'
import { isStorable } from '@amodal/sdk/data'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { deadLettersOf } from './dead-letters.ts'
import type { Documents } from './documents.ts'
import { toolName } from './shape.ts'
import { writeDocuments } from './writer.ts'
import { DEAD_LETTER_DOCS } from './dead-letter-docs.ts'
import { Page, Retry } from './dead-letter-requests.ts'

const noLetter = (): Response => failed(failure('NOT_FOUND', 'there is no such dead letter'))

/** Whose letters they are. */
interface Origin {
  readonly store: StoreDefinition
  readonly caller: Caller
  readonly stores: readonly StoreDefinition[]
}

/** `/api/dead-letters`: documents that could not be stored, for callers who may write the store. */
export function deadLetterRoutes(generation: () => Generation, documents: Documents): RouteHandler {
  async function withLetters(
    context: RouteContext,
    name: string,
    work: (letters: StoreDefinition, backend: StoreBackend, origin: Origin) => Promise<Response>,
  ): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const bundle = generation().scope.get(Agent).bundle()
    const store = bundle?.stores.find((one) => one.name === name)
    const roles = caller.value.roles ?? []
    if (
      !bundle ||
      store?.failure?.deadLetter !== true ||
      !documents.mayWrite(store, roles) ||
      !documents.mayUse(toolName(store), bundle, roles)
    )
      return failed(failure('NOT_FOUND', `there is no store "${name}" that keeps dead letters`))
    const letters = deadLettersOf(store)
    const done = await documents.inRequest(letters, caller.value, (backend) =>
      work(letters, backend, { store, caller: caller.value, stores: bundle.stores }),
    )
    return done.ok ? done.value : failed(done.error)
  }

  const list = (
    context: RouteContext,
    name: string,
    asked: Readonly<Record<string, string>>,
  ): Promise<Response> =>
    withLetters(context, name, async (letters, backend) => {
      const page = Page.safeParse(asked)
      if (!page.success) return failed(failure('VALIDATION_ERROR', problems(page.error)))
      const found = await backend.query(
        letters,
        { filters: [], sort: { field: 'at', descending: true }, ...page.data },
        context.signal,
      )
      if (!found.ok) return failed(found.error)
      const { documents: some, total } = found.value
      return Response.json({
        deadLetters: some.map(({ payload }) => payload),
        total,
        hasMore: page.data.offset + some.length < total,
      })
    })

  const remove = (context: RouteContext, name: string, id: string): Promise<Response> =>
    withLetters(context, name, async (letters, backend) => {
      const gone = await backend.remove(letters, isStorable(id) ? id : '', {}, context.signal)
      if (!gone.ok) return failed(gone.error)
      return gone.value ? Response.json({ deleted: true, id }) : noLetter()
    })

  /** Writes the document of a letter, or a corrected one; the letter goes once it is stored. */
  const retry = (
    context: RouteContext,
    name: string,
    id: string,
    request: Request,
  ): Promise<Response> =>
    withLetters(context, name, async (letters, backend, { store, caller, stores }) => {
      const body = await readJson(request, Retry)
      if (!body.ok) return failed(body.error)
      const found = await backend.get(letters, isStorable(id) ? id : '', context.signal)
      if (!found.ok) return failed(found.error)
      if (!found.value) return noLetter()
      const document = body.value.document ?? found.value.payload['document'] ?? null
      const written = await writeDocuments(store, [document], {
        atomic: true,
        isLetter: true,
        open: (target, work) => documents.inRequest(target, caller, work),
        stores,
        log: generation().log,
        signal: context.signal,
        callKey: documents.callKey(store, caller.tenant, `dead:${hashOf([id, document])}`),
      })
      if (!written.ok) return failed(written.error)
      const {
        stored: [first],
        refused: [problem],
      } = written.value
      if (!first) return failed(failure('VALIDATION_ERROR', problem?.error ?? 'nothing was stored'))
      documents.changed(store, caller.tenant, 'put', 1)
      const removed = await backend.remove(letters, id, {}, context.signal)
      if (!removed.ok) return failed(removed.error)
      return Response.json({ stored: true, key: first.key, version: first.version })
    })

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, DEAD_LETTER_DOCS)
  endpoint(app, '/api/dead-letters/:name', {
    GET: ({ req, env }) => list(env, req.param('name'), req.query()),
  })
  endpoint(app, '/api/dead-letters/:name/:id', {
    DELETE: ({ req, env }) => remove(env, req.param('name'), req.param('id')),
  })
  endpoint(app, '/api/dead-letters/:name/:id/retry', {
    POST: ({ req, env }) => retry(env, req.param('name'), req.param('id'), req.raw),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
