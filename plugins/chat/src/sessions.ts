import { failure, isId, sessionId, type AgentFace, type Failure, type JsonObject, type Result, type SessionId, type SessionRow } from '@amodal/sdk'
import { failed, problems, readJson } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { answerRequest, toAnswers } from './answer-request.ts'
import { details, summary } from './session-shape.ts'

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
  readonly #face: (request: Request) => AgentFace
  readonly #app: () => string

  /** @param app the agent's name */
  constructor(face: (request: Request) => AgentFace, app: () => string) {
    this.#face = face
    this.#app = app
  }

  async list(request: Request, query: Readonly<Record<string, string>>): Promise<Response> {
    const asked = page.safeParse(query)
    if (!asked.success) return failed(failure('VALIDATION_ERROR', problems(asked.error)))
    const { limit, cursor } = asked.data
    const found = await this.#face(request).sessions({ limit, ...(cursor !== undefined && { cursor }) })
    return answer(found, ({ rows, next }) => ({ sessions: rows.map((row) => this.#summary(row)), next_cursor: next ?? null }))
  }

  async history(request: Request): Promise<Response> {
    const face = this.#face(request)
    const rows: SessionRow[] = []
    for (let cursor: string | undefined; rows.length < HISTORY;) {
      const found = await face.sessions({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
      if (!found.ok) return failed(found.error)
      rows.push(...found.value.rows)
      cursor = found.value.next
      if (cursor === undefined) break
    }
    return Response.json(rows.slice(0, HISTORY).map((row) => this.#summary(row)))
  }

  one(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => answer(await this.#face(request).session(session), (view) => details(view, this.#app())))
  }

  update(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => {
      const body = await readJson(request, change)
      if (!body.ok) return failed(body.error)
      const { title, tags, metadata } = body.value
      const updated = await this.#face(request).update(session, {
        ...(title !== undefined && { title }), ...(tags && { tags }), ...(metadata && { meta: metadata }),
      })
      return answer(updated, (row) => ({ ok: true, ...this.#summary(row) }))
    })
  }

  remove(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => answer(await this.#face(request).remove(session), () => ({ ok: true })))
  }

  cancel(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => answer(await this.#face(request).cancel(session), ({ active }) => ({ ok: true, active })))
  }

  clear(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => answer(await this.#face(request).clear(session), () => ({ ok: true })))
  }

  fork(request: Request, id: string): Promise<Response> {
    return inSession(id, async (session) => {
      const body = await readJson(request, place)
      if (!body.ok) return failed(body.error)
      return answer(await this.#face(request).fork(session, body.value.at), (row) => this.#summary(row), 201)
    })
  }

  /** Answers one question of a parked run, or several. @param id the session, where the path names it */
  async answer(request: Request, id?: string): Promise<Response> {
    const body = await readJson(request, answerRequest)
    if (!body.ok) return failed(body.error)
    const named = id ?? body.value.session_id ?? body.value.sessionId
    if (!named) return failed(failure('VALIDATION_ERROR', 'session_id: names the session that asked'))
    return inSession(named, async (session) => {
      const face = this.#face(request)
      const view = await face.session(session)
      if (!view.ok) return failed(view.error)
      const answers = toAnswers(body.value, view.value.asks)
      if (!answers.ok) return failed(answers.error)
      return answer(await face.answer(session, answers.value), ({ settled }) => ({ ok: true, settled }))
    })
  }

  #summary(row: SessionRow): JsonObject {
    return summary(row, this.#app())
  }
}

function answer<T>(result: Result<T, Failure>, show: (value: T) => JsonObject, status = 200): Response {
  return result.ok ? Response.json(show(result.value), { status }) : failed(result.error)
}

/** What cannot be an id is answered as an unknown one, before anything is asked about it. */
export const inSession = async (id: string, work: (session: SessionId) => Promise<Response>): Promise<Response> =>
  isId(id) ? work(sessionId(id)) : failed(failure('SESSION_NOT_FOUND', 'no id'))
