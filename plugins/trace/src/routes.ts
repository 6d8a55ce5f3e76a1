import {
  failure,
  isId,
  sessionId,
  type Agent,
  type Failure,
  type Json,
  type JsonObject,
  type OutputRedactor,
  type Result,
  type RouteContext,
  type RouteHandler,
  type SessionId,
  type SessionStore,
  err,
  ok,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import type { SentModelCalls } from '@amodal/plugin-inspect/tokens'
import { Hono } from 'hono'
import { detailOf } from './detail/detail.ts'
import { pageOf } from './page.ts'
import { isRowId, readDetailQuery, readQuery } from './query.ts'
import { TraceReader, type SessionTrace } from './read-trace.ts'
import { sentFor } from './sent-call.ts'
import { entriesOf } from './shown.ts'
import type { Thing } from './thing.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** The trace of a session. */
export const ROUTE = '/sessions/:id/trace'

export interface TraceParts {
  readonly agent: Agent
  readonly store: SessionStore
  readonly redactor: OutputRedactor | undefined
  readonly sent: SentModelCalls | undefined
}

export function createRoutes(parts: TraceParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, ROUTE, {
    GET: async ({ req, env }) => {
      const query = readQuery(req.query())
      if (!query.ok) return failed(query.error)
      const found = await readAs(parts, env, req.param('id'))
      if (!found.ok) return failed(found.error)
      return answer(await pageOf(found.value.trace, query.value, found.value.reader))
    },
  })
  endpoint(app, `${ROUTE}/:row`, {
    GET: async ({ req, env }) =>
      answer(await detail(parts, env, req.param('id'), req.param('row'), req.query())),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const answer = (body: Result<JsonObject, Failure>): Response =>
  body.ok ? Response.json(body.value satisfies Json) : failed(body.error)

interface Found {
  readonly trace: SessionTrace
  readonly reader: TraceReader
}

/** The session, where its caller may see it. */
async function readAs(
  { agent, store, redactor }: TraceParts,
  context: RouteContext,
  id: string,
): Promise<Result<Found, Failure>> {
  const caller = context.caller()
  if (!caller.ok) return caller
  // a malformed id gets the response of an unknown one
  const session: SessionId | undefined = isId(id) ? sessionId(id) : undefined
  if (session === undefined) return err(failure('SESSION_NOT_FOUND', 'no id'))
  const { signal } = context
  const client = agent.as(caller.value)
  const reader = new TraceReader({ client, caller: caller.value, store, redactor, signal })
  const trace = await reader.read(session)
  return trace.ok ? ok({ trace: trace.value, reader }) : trace
}

async function detail(
  parts: TraceParts,
  context: RouteContext,
  id: string,
  row: string,
  search: Readonly<Record<string, string>>,
): Promise<Result<JsonObject, Failure>> {
  const query = readDetailQuery(search)
  if (!query.ok) return query
  if (!isRowId(row))
    return err(failure('VALIDATION_ERROR', 'seq: is the id of a row, such as 12 or 12.1'))
  const found = await readAs(parts, context, id)
  if (!found.ok) return found
  const caller = context.caller()
  if (!caller.ok) return caller
  const { trace, reader } = found.value
  const thing = thingOf(trace, row)
  if (!thing) return err(noRow(row))
  const about = trace.things.find((one) => thing.kind === 'ask' && one.id === thing.of)
  const shown = await reader.show(trace.session, about ? [thing, about] : [thing])
  if (!shown.ok) return shown
  const [own, call] = shown.value
  if (!own) return err(noRow(row))
  return ok(
    detailOf(own, {
      trace,
      call: call?.kind === 'call' ? call : undefined,
      full: query.value.full,
      sent: sentFor(own, trace.session, caller.value, parts.sent),
    }),
  )
}

/** By its id, or by the number of any journal entry that it is made of. */
const thingOf = ({ things }: SessionTrace, row: string): Thing | undefined =>
  things.find(({ id }) => id === row) ??
  things.find((thing) => entriesOf(thing).some(({ seq }) => String(seq) === row))

const noRow = (row: string): Failure =>
  failure('NOT_FOUND', `the trace of this session has no row ${row}: read the trace for its rows`)
