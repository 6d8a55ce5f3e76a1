import {
  failure,
  isId,
  sessionId,
  type Agent,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { streamResponse } from '@amodal/sdk/wire'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  idempotencyKeyOf,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { shownMember } from './member.ts'
import type { Panels } from './panels.ts'
import type { PanelAccess } from './panel-service.ts'
import { templatesOf } from './template.ts'
import type { MemberAnswer } from './tokens.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { newMember, question } from './panel-requests.ts'

/** Where panels are, and the scopes that a credential needs there. */
export const PREFIXES = { '/panels': 'sessions', '/panels/:panel/ask': 'chat' } as const

const HEARTBEAT_MS = 15_000

export function createRoutes(agent: Agent, panels: Panels, service: PanelAccess): RouteHandler {
  const routes = new PanelRoutes(agent, panels, service)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/panels', { GET: ({ env }) => routes.list(env) })
  endpoint(app, '/panels/:panel', { GET: ({ req, env }) => routes.one(env, req.param('panel')) })
  endpoint(app, '/panels/:panel/members', {
    POST: ({ req, env }) => routes.add(env, req.raw, req.param('panel')),
  })
  endpoint(app, '/panels/:panel/members/:id', {
    GET: ({ req, env }) => routes.member(env, req.param('panel'), req.param('id')),
    DELETE: ({ req, env }) => routes.remove(env, req.param('panel'), req.param('id')),
  })
  endpoint(app, '/panels/:panel/ask', {
    POST: ({ req, env }) => routes.ask(env, req.raw, req.param('panel')),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

class PanelRoutes {
  readonly #agent: Agent
  readonly #panels: Panels
  readonly #service: PanelAccess

  constructor(agent: Agent, panels: Panels, service: PanelAccess) {
    this.#agent = agent
    this.#panels = panels
    this.#service = service
  }

  async list(context: RouteContext): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const panels = templatesOf(this.#agent.bundle()).map(({ name, description, set }) => ({
      name,
      description,
      set,
    }))
    return Response.json({ panels })
  }

  async one(context: RouteContext, panel: string): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const template = this.#panels.template(panel)
    if (!template.ok) return failed(template.error)
    const { name, description, set, maxMembers } = template.value
    return answered(
      await this.#panels.members(caller.value, panel, context.signal),
      (members): JsonObject => ({
        name,
        description,
        set,
        max_members: maxMembers,
        members: members.map(shownMember),
      }),
    )
  }

  async add(context: RouteContext, request: Request, panel: string): Promise<Response> {
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, newMember)
    if (!body.ok) return failed(body.error)
    const { title, state, scope_id: scope } = body.value
    const caller = context.caller(scope)
    if (!caller.ok) return failed(caller.error)
    const draft = { title, state, ...(key.value !== undefined && { key: key.value }) }
    return answered(
      await this.#service.add(caller.value, panel, draft, context.signal),
      (member) => member,
      201,
    )
  }

  member(context: RouteContext, panel: string, id: string): Promise<Response> {
    return this.#inMember(context, id, async (caller) =>
      answered(
        await this.#panels.member(caller, panel, sessionId(id), context.signal),
        shownMember,
      ),
    )
  }

  remove(context: RouteContext, panel: string, id: string): Promise<Response> {
    return this.#inMember(context, id, async (caller) =>
      answered(await this.#panels.remove(caller, panel, sessionId(id), context.signal), () => ({
        ok: true,
      })),
    )
  }

  /** Asks members: JSON once all have answered, or each answer as it comes. */
  async ask(context: RouteContext, request: Request, panel: string): Promise<Response> {
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, question)
    if (!body.ok) return failed(body.error)
    const caller = context.caller(body.value.scope_id)
    if (!caller.ok) return failed(caller.error)
    const { message, order, members } = body.value
    const panelQuestion = {
      message,
      order,
      key: key.value ?? crypto.randomUUID(),
      ...(members && { members }),
    }
    const { signal } = context
    if (!(request.headers.get('accept') ?? '').includes('text/event-stream'))
      return answered(
        await this.#service.ask(caller.value, panel, panelQuestion, signal),
        (answers): JsonObject => ({ panel, answers }),
      )
    const chosen = await this.#service.chosen(caller.value, panel, members, signal)
    if (!chosen.ok) return failed(chosen.error)
    return this.#streamed((onAnswer) =>
      this.#service.ask(caller.value, panel, { ...panelQuestion, onAnswer }, signal),
    )
  }

  #streamed(
    ask: (
      onAnswer: (answer: MemberAnswer) => void,
    ) => Promise<Result<readonly MemberAnswer[], Failure>>,
  ): Response {
    return streamResponse({
      send: async (sink) => {
        const beat = setInterval(() => sink.write(':\n\n'), HEARTBEAT_MS)
        beat.unref()
        try {
          const answers = await ask((answer) => {
            sink.write(eventText({ type: 'member_answer', ...answer }))
          })
          sink.write(
            eventText(
              answers.ok
                ? { type: 'done', members: answers.value.length }
                : { type: 'error', code: answers.error.code, message: answers.error.message },
            ),
          )
        } finally {
          clearInterval(beat)
        }
        sink.end()
      },
    })
  }

  /** A malformed id is answered like one that is not there. */
  async #inMember(
    context: RouteContext,
    id: string,
    work: (caller: Caller) => Promise<Response>,
  ): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    return isId(id) ? work(caller.value) : failed(failure('SESSION_NOT_FOUND', 'no id'))
  }
}

const eventText = (event: JsonObject & { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const answered = <T>(
  result: Result<T, Failure>,
  show: (value: T) => JsonObject,
  status = 200,
): Response => (result.ok ? Response.json(show(result.value), { status }) : failed(result.error))
