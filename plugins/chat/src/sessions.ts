import { failure, isId, sessionId, type Caller, type Failure, type JsonObject, type Result, type RouteContext, type SessionId, type SessionRow } from '@amodal/sdk'
import { failed, problems, readJson } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { answerRequest, toAnswers } from './answer-request.ts'
import { details, summary } from './session-shape.ts'
import { stats } from './stats.ts'
import type { Visitor, Visitors } from './visitor.ts'

/** The list without pages, for older clients. */
const HISTORY = 500
const PAGE = 100

const page = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(500).optional() })
const change = z.object({
  title: z.string().max(200).optional(),
  tags: z.array(z.string().max(100)).max(50).optional(),
  metadata: z.record(z.string().max(100), z.json()).optional(),
})
const place = z.object({ at: z.number().int().min(0).optional() })

/** What can be asked of sessions and done with them. */
export class Sessions {
  readonly #visitors: Visitors
  readonly #app: () => string

  /** @param app the agent's name */
  constructor(visitors: Visitors, app: () => string) {
    this.#visitors = visitors
    this.#app = app
  }

  async list(context: RouteContext, query: Readonly<Record<string, string>>): Promise<Response> {
    const asked = page.safeParse(query)
    if (!asked.success) return failed(failure('VALIDATION_ERROR', problems(asked.error)))
    const { limit, cursor } = asked.data
    return this.#visited(context, async ({ face, caller }) =>
      answer(await face.sessions({ limit, ...(cursor !== undefined && { cursor }) }), ({ rows, next }) =>
        ({ sessions: rows.map((row) => this.#summary(row, caller)), next_cursor: next ?? null })))
  }

  history(context: RouteContext): Promise<Response> {
    return this.#visited(context, async ({ face, caller }) => {
      const rows: SessionRow[] = []
      for (let cursor: string | undefined; rows.length < HISTORY;) {
        const found = await face.sessions({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
        if (!found.ok) return failed(found.error)
        rows.push(...found.value.rows)
        cursor = found.value.next
        if (cursor === undefined) break
      }
      return Response.json(rows.slice(0, HISTORY).map((row) => this.#summary(row, caller)))
    })
  }

  stats(context: RouteContext): Promise<Response> {
    return this.#visited(context, async ({ face }) => answer(await face.totals(), stats))
  }

  one(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face, caller }) => answer(await face.session(session), (view) => details(view, this.#app(), caller)))
  }

  update(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face, caller }) => {
      const body = await readJson(request, change)
      if (!body.ok) return failed(body.error)
      const { title, tags, metadata } = body.value
      const updated = await face.update(session, {
        ...(title !== undefined && { title }), ...(tags && { tags }), ...(metadata && { meta: metadata }),
      })
      return answer(updated, (row) => ({ ok: true, ...this.#summary(row, caller) }))
    })
  }

  remove(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face }) => answer(await face.remove(session), () => ({ ok: true })))
  }

  cancel(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face }) => answer(await face.cancel(session), ({ active }) => ({ ok: true, active })))
  }

  clear(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face }) => answer(await face.clear(session), () => ({ ok: true })))
  }

  fork(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { face, caller }) => {
      const body = await readJson(request, place)
      if (!body.ok) return failed(body.error)
      return answer(await face.fork(session, body.value.at), (row) => this.#summary(row, caller), 201)
    })
  }

  /** Answers one question of a parked run, or several. @param id the session, where the path names it */
  async answer(context: RouteContext, request: Request, id?: string): Promise<Response> {
    const body = await readJson(request, answerRequest)
    if (!body.ok) return failed(body.error)
    const named = id ?? body.value.session_id ?? body.value.sessionId
    if (!named) return failed(failure('VALIDATION_ERROR', 'session_id: names the session that asked'))
    return this.#session(context, named, async (session, { face }) => {
      const view = await face.session(session)
      if (!view.ok) return failed(view.error)
      const answers = toAnswers(body.value, view.value.asks)
      if (!answers.ok) return failed(answers.error)
      return answer(await face.answer(session, answers.value), ({ settled }) => ({ ok: true, settled }))
    }, body.value.scope_id)
  }

  #session(context: RouteContext, id: string, work: (session: SessionId, visitor: Visitor) => Promise<Response>, scope?: string | null): Promise<Response> {
    return inSession(id, (session) => this.#visited(context, (visitor) => work(session, visitor), scope))
  }

  async #visited(context: RouteContext, work: (visitor: Visitor) => Promise<Response>, scope?: string | null): Promise<Response> {
    const visitor = this.#visitors(context, scope)
    return visitor.ok ? work(visitor.value) : failed(visitor.error)
  }

  #summary(row: SessionRow, caller: Caller): JsonObject {
    return summary(row, this.#app(), caller)
  }
}

function answer<T>(result: Result<T, Failure>, show: (value: T) => JsonObject, status = 200): Response {
  return result.ok ? Response.json(show(result.value), { status }) : failed(result.error)
}

/** What cannot be an id is answered as an unknown one, before anything is asked about it. */
export const inSession = async (id: string, work: (session: SessionId) => Promise<Response>): Promise<Response> =>
  isId(id) ? work(sessionId(id)) : failed(failure('SESSION_NOT_FOUND', 'no id'))
