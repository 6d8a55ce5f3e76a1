import type { FrameId, RequestLimiter, RouteContext, SessionView } from '@amodal/sdk'
import { plainFrameText } from '@amodal/sdk/wire'
import { failed, idempotencyKeyOf, rateLimited, readJson } from '@amodal/plugin-http/tokens'
import { taskRequest, toSend, type MessageLimits } from './chat-request.ts'
import { follow, lastSeen } from './follow.ts'
import { inSession } from './sessions.ts'
import { shownAsk } from './session-shape.ts'
import type { CallerClients } from './caller-client.ts'

const BEGINNING: FrameId = { seq: 0, fencingToken: 0, attempt: 0, n: 0 }

/**
 * Work in the background. A task is a session of its own and supports all operations of a session.
 */
export class Tasks {
  readonly #callerClients: CallerClients
  readonly #limiter: RequestLimiter | undefined
  readonly #schema: ReturnType<typeof taskRequest>

  constructor(
    callerClients: CallerClients,
    limiter: RequestLimiter | undefined,
    limits: MessageLimits,
  ) {
    this.#callerClients = callerClients
    this.#limiter = limiter
    this.#schema = taskRequest(limits)
  }

  /** Responds once the task is committed: it runs even if this process dies afterwards. */
  async begin(context: RouteContext, request: Request): Promise<Response> {
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, this.#schema)
    if (!body.ok) return failed(body.error)
    const { prompt, ...rest } = body.value
    const callerClient = this.#callerClients(context, rest.scope_id)
    if (!callerClient.ok) return failed(callerClient.error)
    const { client, caller } = callerClient.value
    return rateLimited(this.#limiter, caller, async () => {
      const sent = await client.send(
        toSend({ ...rest, message: prompt }, key.value, request.headers),
      )
      if (!sent.ok) return failed(sent.error)
      const { frames, session } = sent.value
      frames.close() // these frames have no reader; the task continues
      return Response.json(
        { task_id: session, session_id: session },
        { status: 202, headers: { location: `/task/${session}` } },
      )
    })
  }

  one(context: RouteContext, id: string): Promise<Response> {
    return inSession(id, async (session) => {
      const callerClient = this.#callerClients(context)
      if (!callerClient.ok) return failed(callerClient.error)
      const view = await callerClient.value.client.session(session)
      return view.ok ? Response.json(taskOf(view.value)) : failed(view.error)
    })
  }

  /** Streams its events so far, then new ones until it ends. */
  async stream(context: RouteContext, request: Request, id: string): Promise<Response> {
    const from = lastSeen(request, BEGINNING)
    return from.ok
      ? follow(context, request, id, {
          callerClients: this.#callerClients,
          from: from.value,
          text: plainFrameText,
        })
      : failed(from.error)
  }
}

function taskOf({ row, state, asks, entries }: SessionView) {
  const ended = entries.findLast((entry) => entry.kind === 'run_ended')
  const outcome = ended?.reason === 'error' ? 'error' : 'completed'
  const status = state !== 'idle' || ended === undefined ? 'running' : outcome
  return {
    task_id: row.session,
    session_id: row.session,
    status,
    event_count: entries.length,
    created_at: new Date(row.createdAt).toISOString(),
    ...(asks.length > 0 && { pending_input: asks.map(shownAsk) }),
  }
}
