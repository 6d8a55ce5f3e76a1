import type { FrameId, RequestLimiter, RouteContext, SessionView } from '@amodal/sdk'
import { plainFrameText } from '@amodal/sdk/wire'
import { failed, readJson } from '@amodal/plugin-http/tokens'
import { keyOf, taskRequest, toSend, type MessageLimits } from './chat-request.ts'
import { counted } from './counted.ts'
import { follow, lastSeen } from './follow.ts'
import { inSession } from './sessions.ts'
import { shownAsk } from './session-shape.ts'
import type { Visitors } from './visitor.ts'

const BEGINNING: FrameId = { seq: 0, fence: 0, attempt: 0, n: 0 }

/**
 * Work in the background. A task is a session of its own, so whatever can be done with one can be
 * done with it.
 */
export class Tasks {
  readonly #visitors: Visitors
  readonly #limiter: RequestLimiter | undefined
  readonly #schema: ReturnType<typeof taskRequest>

  constructor(visitors: Visitors, limiter: RequestLimiter | undefined, limits: MessageLimits) {
    this.#visitors = visitors
    this.#limiter = limiter
    this.#schema = taskRequest(limits)
  }

  /** Answers once the task is kept: whatever dies after that, it is worked on. */
  async begin(context: RouteContext, request: Request): Promise<Response> {
    const key = keyOf(request)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, this.#schema)
    if (!body.ok) return failed(body.error)
    const { prompt, ...rest } = body.value
    const visitor = this.#visitors(context, rest.scope_id)
    if (!visitor.ok) return failed(visitor.error)
    const { face, caller } = visitor.value
    return counted(this.#limiter, caller, async () => {
      const sent = await face.send(toSend({ ...rest, message: prompt }, key.value, request.headers))
      if (!sent.ok) return failed(sent.error)
      const { frames, session } = sent.value
      frames.close() // nobody reads here; it goes on
      return Response.json(
        { task_id: session, session_id: session },
        { status: 202, headers: { location: `/task/${session}` } },
      )
    })
  }

  one(context: RouteContext, id: string): Promise<Response> {
    return inSession(id, async (session) => {
      const visitor = this.#visitors(context)
      if (!visitor.ok) return failed(visitor.error)
      const view = await visitor.value.face.session(session)
      return view.ok ? Response.json(taskOf(view.value)) : failed(view.error)
    })
  }

  /** All that was told of it, then what comes, until it ends. */
  async stream(context: RouteContext, request: Request, id: string): Promise<Response> {
    const from = lastSeen(request, BEGINNING)
    return from.ok
      ? follow(context, request, id, {
          visitors: this.#visitors,
          from: from.value,
          text: plainFrameText,
        })
      : failed(from.error)
  }
}

function taskOf({ row, state, asks, entries }: SessionView) {
  const ended = entries.findLast((entry) => entry.kind === 'run_ended')
  const status =
    state !== 'idle' || ended === undefined
      ? 'running'
      : ended.reason === 'error'
        ? 'error'
        : 'completed'
  return {
    task_id: row.session,
    session_id: row.session,
    status,
    event_count: entries.length,
    created_at: new Date(row.createdAt).toISOString(),
    ...(asks.length > 0 && { pending_input: asks.map(shownAsk) }),
  }
}
