import {
  err,
  failure,
  ok,
  type Failure,
  type Frame,
  type FrameId,
  type Result,
  type RouteContext,
} from '@amodal/sdk'
import { eventStream, parseFrameId } from '@amodal/sdk/wire'
import { failed } from '@amodal/plugin-http/tokens'
import { inSession } from './sessions.ts'
import type { CallerClients } from './caller-client.ts'

export interface Follow {
  readonly callerClients: CallerClients
  /**
   * The last frame that the client has received; default: from the beginning of the run in
   * progress, or of the turn of the message with `key`.
   */
  readonly from: FrameId | undefined
  /**
   * Key of the message whose turn is followed; default: the run in progress, whichever message
   * began it.
   */
  readonly key?: string | undefined
  readonly text: (frame: Frame) => string
  readonly events?: 'all'
}

/** The response to a `HEAD` request for a stream. */
export const streamHead = (): Response =>
  new Response(null, { headers: { 'content-type': 'text/event-stream' } })

/** The last frame that the client has received; `otherwise` if it names none. */
export function lastSeen(
  request: Request,
  otherwise: FrameId | undefined,
): Result<FrameId | undefined, Failure> {
  const last = request.headers.get('last-event-id')
  if (last === null) return ok(otherwise)
  const from = parseFrameId(last)
  return from
    ? ok(from)
    : err(
        failure(
          'VALIDATION_ERROR',
          'Last-Event-ID: is not the id of a frame (seq.fence.attempt.n)',
        ),
      )
}

/**
 * Resumes a session's stream. A client that has received all frames of an idle session gets `204`:
 * otherwise a browser's `EventSource` reconnects for ever.
 */
export function follow(
  context: RouteContext,
  request: Request,
  id: string,
  { callerClients, from, key, text, events }: Follow,
): Promise<Response> {
  return inSession(id, async (session) => {
    const callerClient = callerClients(context)
    if (!callerClient.ok) return failed(callerClient.error)
    if (request.method === 'HEAD') return streamHead()
    const frames = await callerClient.value.client.follow(session, from, key, undefined, events)
    if (!frames.ok) return failed(frames.error)
    const hasSeenAll =
      request.headers.has('last-event-id') &&
      frames.value.atRest === true &&
      !(await frames.value.wait())
    return hasSeenAll ? new Response(null, { status: 204 }) : eventStream(frames.value, { text })
  })
}
