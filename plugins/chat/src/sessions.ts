import {
  callId,
  failure,
  isId,
  parseDateTime,
  sessionId,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type RouteContext,
  type SessionId,
  type SessionRow,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { failed, idempotencyKeyOf, problems, readJson } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { answerRequest, toAnswers } from './answer-request.ts'
import { SESSION_KINDS, SESSION_STANDINGS } from '@amodal/sdk/loop'
import { publicHeaders } from '@amodal/sdk/wire'
import { details, statusAfter, summary } from './session-shape.ts'
import { stats } from './stats.ts'
import type { CallerClient, CallerClients } from './caller-client.ts'

/** Size of the list without pages, for older clients. */
const HISTORY = 500
const PAGE = 100

const tags = z.array(z.string().max(100)).max(50)
/** ISO 8601, as ms since the epoch; without an offset it is UTC. */
const moment = z.string().transform((text, context) => {
  const ms = parseDateTime(text)
  if (ms !== undefined) return ms
  context.addIssue({
    code: 'custom',
    message: 'must be a date, or a date and a time, such as 2026-01-31T09:30:00Z',
  })
  return z.NEVER
})
export const page = z.object({
  attention: z.enum(['true', 'false']).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
  waiting: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional(),
  /** Those that have all of them. */
  tags: z
    .string()
    .max(5_200)
    .transform((text) =>
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    )
    .optional(),
  /** Of one of these kinds; sessions of the admin agent are listed only if their kind is named. */
  kind: z
    .string()
    .max(100)
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(SESSION_KINDS)))
    .optional(),
  /** In the title, or at the beginning of the id. */
  q: z.string().max(200).optional(),
  status: z.enum(SESSION_STANDINGS).optional(),
  model: z.string().max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export const change = z.object({
  title: z.string().max(200).optional(),
  tags: tags.optional(),
  metadata: z.record(z.string().max(100), jsonValue).optional(),
})
export const settlement = z.strictObject({ outcome: z.enum(['happened', 'not_happened', 'retry']) })
export const begun = change.extend({ scope_id: z.string().max(200).nullish() })
export const place = z.object({ at: z.number().int().min(0).optional() })

/** The routes of sessions. */
export class Sessions {
  readonly #callerClients: CallerClients
  readonly #app: () => string

  /** @param app the agent's name */
  constructor(callerClients: CallerClients, app: () => string) {
    this.#callerClients = callerClients
    this.#app = app
  }

  async list(context: RouteContext, query: Readonly<Record<string, string>>): Promise<Response> {
    const parsed = page.safeParse(query)
    if (!parsed.success) return failed(failure('VALIDATION_ERROR', problems(parsed.error)))
    const { attention, limit, cursor, waiting, tags: wanted, kind: kinds } = parsed.data
    const { q, status, model, from, to } = parsed.data
    if (attention === 'true') {
      return this.#asCaller(context, async ({ client, caller }) => {
        const [count, troubled] = await Promise.all([client.waiting(), client.troubled()])
        if (!count.ok) return failed(count.error)
        return answer(troubled, (rows) => ({
          sessions: rows.map((row) => this.#summary(row, caller)),
          next_cursor: null,
          waiting_count: count.value,
        }))
      })
    }
    const filters = {
      ...(cursor !== undefined && { cursor }),
      ...(waiting !== undefined && { waiting }),
      ...(wanted && { tags: wanted }),
      ...(kinds && { kinds }),
      ...(q !== undefined && q !== '' && { search: q }),
      ...(status !== undefined && { standing: status }),
      ...(model !== undefined && model !== '' && { model }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    }
    return this.#asCaller(context, async ({ client, caller }) => {
      const [count, listed] = await Promise.all([
        client.waiting(),
        client.sessions({ limit, ...filters }),
      ])
      if (!count.ok) return failed(count.error)
      return answer(listed, ({ rows, next }) => ({
        sessions: rows.map((row) => this.#summary(row, caller)),
        next_cursor: next ?? null,
        waiting_count: count.value,
      }))
    })
  }

  /** A session without messages. */
  async open(context: RouteContext, request: Request): Promise<Response> {
    const body = await readJson(request, begun)
    if (!body.ok) return failed(body.error)
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const { title, tags: given, metadata, scope_id: scope } = body.value
    return this.#asCaller(
      context,
      async ({ client, caller }) => {
        const headers = publicHeaders(request.headers)
        const opened = await client.open({
          headers,
          ...(key.value !== undefined && { key: key.value }),
          ...(title !== undefined && { title }),
          ...(given && { tags: given }),
          ...(metadata && { meta: metadata }),
        })
        return answer(opened, (row) => this.#summary(row, caller), 201)
      },
      scope,
    )
  }

  history(context: RouteContext): Promise<Response> {
    return this.#asCaller(context, async ({ client, caller }) => {
      const rows: SessionRow[] = []
      for (let cursor: string | undefined; rows.length < HISTORY;) {
        const found = await client.sessions({
          limit: PAGE,
          ...(cursor !== undefined && { cursor }),
        })
        if (!found.ok) return failed(found.error)
        rows.push(...found.value.rows)
        cursor = found.value.next
        if (cursor === undefined) break
      }
      return Response.json(rows.slice(0, HISTORY).map((row) => this.#summary(row, caller)))
    })
  }

  stats(context: RouteContext): Promise<Response> {
    return this.#asCaller(context, async ({ client }) => answer(await client.totals(), stats))
  }

  get(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client, caller }) =>
      answer(await client.session(session), (view) => details(view, this.#app(), caller)),
    )
  }

  update(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client, caller }) => {
      const body = await readJson(request, change)
      if (!body.ok) return failed(body.error)
      const { title, tags, metadata } = body.value
      const updated = await client.update(session, {
        ...(title !== undefined && { title }),
        ...(tags && { tags }),
        ...(metadata && { meta: metadata }),
      })
      return answer(updated, (row) => ({ ok: true, ...this.#summary(row, caller) }))
    })
  }

  remove(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client }) =>
      answer(await client.remove(session), () => ({ ok: true })),
    )
  }

  cancel(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client }) => {
      const cancelled = await client.cancel(session)
      if (!cancelled.ok || cancelled.value.active)
        return answer(cancelled, ({ active }) => ({ ok: true, active, status: 'canceled' }))
      return answer(await client.session(session), ({ row: { lastEnd } }) => ({
        ok: true,
        active: false,
        status: 'cannot_cancel',
        current_status: statusAfter(lastEnd),
      }))
    })
  }

  clear(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client }) =>
      answer(await client.clear(session), () => ({ ok: true })),
    )
  }

  retry(context: RouteContext, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client }) =>
      answer(await client.retry(session), () => ({ ok: true })),
    )
  }

  /** Settles an effect whose outcome is unknown. */
  settle(context: RouteContext, request: Request, id: string, call: string): Promise<Response> {
    return this.#session(context, id, async (session, { client }) => {
      const body = await readJson(request, settlement)
      if (!body.ok) return failed(body.error)
      return answer(
        await client.settle(session, callId(call), body.value.outcome),
        ({ settled }) => ({ ok: true, settled }),
      )
    })
  }

  fork(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#session(context, id, async (session, { client, caller }) => {
      const body = await readJson(request, place)
      if (!body.ok) return failed(body.error)
      return answer(
        await client.fork(session, body.value.at),
        (row) => this.#summary(row, caller),
        201,
      )
    })
  }

  /**
   * Answers one question of a parked run, or several.
   * @param id the session, where the path names it
   */
  async answer(context: RouteContext, request: Request, id?: string): Promise<Response> {
    const body = await readJson(request, answerRequest)
    if (!body.ok) return failed(body.error)
    const named = id ?? body.value.session_id ?? body.value.sessionId
    if (!named)
      return failed(failure('VALIDATION_ERROR', 'session_id: names the session that asked'))
    return this.#session(
      context,
      named,
      async (session, { client }) => {
        const view = await client.session(session)
        if (!view.ok) return failed(view.error)
        const answers = toAnswers(body.value, view.value.asks)
        if (!answers.ok) return failed(answers.error)
        return answer(await client.answer(session, answers.value), ({ settled }) => ({
          ok: true,
          settled,
        }))
      },
      body.value.scope_id,
    )
  }

  #session(
    context: RouteContext,
    id: string,
    work: (session: SessionId, callerClient: CallerClient) => Promise<Response>,
    scope?: string | null,
  ): Promise<Response> {
    return inSession(id, (session) =>
      this.#asCaller(context, (callerClient) => work(session, callerClient), scope),
    )
  }

  async #asCaller(
    context: RouteContext,
    work: (callerClient: CallerClient) => Promise<Response>,
    scope?: string | null,
  ): Promise<Response> {
    const callerClient = this.#callerClients(context, scope)
    return callerClient.ok ? work(callerClient.value) : failed(callerClient.error)
  }

  #summary(row: SessionRow, caller: Caller): JsonObject {
    return summary(row, this.#app(), caller)
  }
}

function answer<T>(
  result: Result<T, Failure>,
  show: (value: T) => JsonObject,
  status = 200,
): Response {
  return result.ok ? Response.json(show(result.value), { status }) : failed(result.error)
}

/** A malformed id gets the response of an unknown one, without a lookup. */
export const inSession = async (
  id: string,
  work: (session: SessionId) => Promise<Response>,
): Promise<Response> =>
  isId(id) ? work(sessionId(id)) : failed(failure('SESSION_NOT_FOUND', 'no id'))
